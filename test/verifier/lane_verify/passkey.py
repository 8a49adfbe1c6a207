"""docs/spec/passkey.md: the challenge that a passkey signs, and the check of an assertion; and I35 of invariants.md."""
import base64
import binascii
import hashlib
import re

import ed25519
import p256
import rsa
from jcs import hash_of, parse, text_of

# The most bytes of each member.
EVIDENCE = {
    "credential_id": 1023,
    "public_key": 1024,
    "authenticator_data": 4096,
    "client_data_json": 4096,
    "signature": 1024,
    "nonce": 32,
}
CONFIRMED = ("nonce", "request_id", "request_hash", "delivery_id", "display_hash", "reply")
ORIGIN = re.compile(r"(https?)://([a-z0-9.-]+)(?::[0-9]{1,5})?")
ES256, ES256_Y = bytes.fromhex("a5010203262001215820"), bytes.fromhex("225820")
EDDSA = bytes.fromhex("a4010103272006215820")
RS256, RS256_E = bytes.fromhex("a401030339010020 59"), bytes.fromhex("2143010001")
PRESENT, VERIFIED, NEW_KEY, EXTENDED = 0x01, 0x04, 0x40, 0x80


def encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decoded(text):
    """The bytes of base64url without padding in its one spelling; None for any other value."""
    if not isinstance(text, str) or not re.fullmatch(r"[A-Za-z0-9_-]*", text):
        return None
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return None
    return data if encoded(data) == text else None


def is_evidence(value):
    if not isinstance(value, dict) or set(value) != set(EVIDENCE):
        return False
    parts = {name: decoded(value[name]) for name in EVIDENCE}
    return all(part is not None and 0 < len(part) <= EVIDENCE[name] for name, part in parts.items())


def challenge_of(confirmed):
    text = text_of({name: confirmed[name] for name in CONFIRMED})
    return encoded(hashlib.sha256(b"lane/passkey/v1\n" + text.encode()).digest())


def evidence_hash(evidence):
    return hash_of("lane/evidence/v1\n", evidence)


def credential_hash(evidence):
    return hash_of("lane/credential/v1\n", {name: evidence[name] for name in ("credential_id", "public_key")})


def reader_of(key):
    """What checks a signature of this COSE key, as a function of message and signature; None where it is no such key."""
    if len(key) == 77 and key[:10] == ES256 and key[42:45] == ES256_Y:
        return lambda message, signature: p256.verify(key[10:42], key[45:], message, signature)
    if len(key) == 42 and key[:10] == EDDSA and not ed25519.is_weak(key[10:]):
        return lambda message, signature: ed25519.verify(key[10:], message, signature)
    if key[:9] == RS256 and key[-5:] == RS256_E and len(key) in (272, 400, 528):
        size, modulus = int.from_bytes(key[9:11], "big"), key[11:-5]
        if size == len(modulus) and modulus[0] >= 0x80:
            return lambda message, signature: rsa.verify(modulus, message, signature)
    return None


def client_of(data):
    """What the browser says of the assertion; None where it says nothing that can be read."""
    try:
        said = parse(data.decode("utf-8"))
    except (UnicodeDecodeError, ValueError):
        return None
    if not isinstance(said, dict) or said.get("type") != "webauthn.get":
        return None
    texts = isinstance(said.get("challenge"), str) and isinstance(said.get("origin"), str)
    return said if texts else None


def is_whole(data):
    """Whether authenticator data has its parts, and no key of a registration."""
    if len(data) < 37 or data[32] & NEW_KEY:
        return False
    return len(data) > 37 if data[32] & EXTENDED else len(data) == 37


def host_of(origin):
    found = ORIGIN.fullmatch(origin)
    if found is None or (found[1] == "http" and found[2] != "localhost"):
        return None
    return found[2]


def flaw_of(evidence, challenge):
    """Why it is no assertion for this challenge; None where it is."""
    client_data, data = decoded(evidence["client_data_json"]), decoded(evidence["authenticator_data"])
    said, is_signed = client_of(client_data), reader_of(decoded(evidence["public_key"]))
    if said is None or is_signed is None or not is_whole(data):
        return "no_assertion"
    if said["challenge"] != challenge:
        return "another_challenge"
    host = host_of(said["origin"])
    if host is None or said.get("crossOrigin", False) is not False:
        return "another_origin"
    if hashlib.sha256(host.encode()).digest() != data[:32]:
        return "another_origin"
    if not (data[32] & PRESENT and data[32] & VERIFIED):
        return "nobody_verified"
    signed = data + hashlib.sha256(client_data).digest()
    return None if is_signed(signed, decoded(evidence["signature"])) else "another_key"


BY = {"passkey": "person", "passkey_by_operator": "operator"}


def is_evidence_of(neighbour, entry):
    """Whether the neighbour is the evidence of the reply that this entry announces."""
    return (
        neighbour is not None
        and neighbour["type"] == "REPLY_EVIDENCE"
        and entry["type"] == "INBOUND_REPLY_RECEIVED"
        and entry.get("request_id") == neighbour.get("request_id")
        and entry["body"]["reply_id"] == neighbour["body"]["reply_id"]
    )


def flaw_of_confirmation(stories, user_id, proof):
    """Of a reply that its announcement stands directly before."""
    if proof not in BY:
        return "I35" if stories.confirmed else None
    theirs = any(owner[:2] == (user_id, BY[proof]) for owner in stories.passkeys)
    return None if stories.confirmed and theirs else "I35"
