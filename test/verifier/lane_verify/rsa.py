"""RSASSA-PKCS1-v1_5 with SHA-256 and the exponent 65537 (RFC 8017, section 8.2.2): verification."""
import hashlib

DIGEST_INFO = bytes.fromhex("3031300d060960864801650304020105000420")
EXPONENT = 65537


def verify(modulus, message, signature):
    """Whether these bytes are a signature of the key (its modulus) over the message."""
    n, number = int.from_bytes(modulus, "big"), int.from_bytes(signature, "big")
    if len(signature) != len(modulus) or number >= n:
        return False
    tail = DIGEST_INFO + hashlib.sha256(message).digest()
    padding = b"\xff" * (len(modulus) - len(tail) - 3)
    return pow(number, EXPONENT, n).to_bytes(len(modulus), "big") == b"\0\1" + padding + b"\0" + tail
