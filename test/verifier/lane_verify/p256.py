"""ECDSA over P-256 with SHA-256 (FIPS 186-5, section 6.4.2): verification, and signatures in DER (RFC 3279, section 2.2.3)."""
import hashlib

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
BASE = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)


def _add(one, other):
    """The sum of two points; None is the point at infinity."""
    if one is None or other is None:
        return one or other
    if one[0] == other[0] and (one[1] + other[1]) % P == 0:
        return None
    if one == other:
        slope = (3 * one[0] * one[0] - 3) * pow(2 * one[1], -1, P)
    else:
        slope = (other[1] - one[1]) * pow(other[0] - one[0], -1, P)
    x = (slope * slope - one[0] - other[0]) % P
    return x, (slope * (one[0] - x) - one[1]) % P


def _times(number, point):
    sum_ = None
    while number > 0:
        if number % 2 == 1:
            sum_ = _add(sum_, point)
        point = _add(point, point)
        number //= 2
    return sum_


def _integer(data, at):
    """A positive number in its shortest form, of 32 bytes at most, and where it ends; None for anything else."""
    if len(data) < at + 3 or data[at] != 2 or data[at + 1] == 0:
        return None
    end = at + 2 + data[at + 1]
    body = data[at + 2 : end]
    if end > len(data) or body[0] >= 0x80 or (body[0] == 0 and (len(body) == 1 or body[1] < 0x80)):
        return None
    return None if len(body.lstrip(b"\0")) > 32 else (int.from_bytes(body, "big"), end)


def _numbers(signature):
    """The two numbers of a signature; None where it is not their one DER text."""
    if len(signature) < 2 or signature[0] != 0x30 or signature[1] != len(signature) - 2:
        return None
    first = _integer(signature, 2)
    second = first and _integer(signature, first[1])
    return (first[0], second[0]) if second and second[1] == len(signature) else None


def verify(x, y, message, signature):
    """Whether these bytes are a signature of the key (two coordinates of 32 bytes) over the message."""
    numbers = _numbers(signature)
    key = (int.from_bytes(x, "big"), int.from_bytes(y, "big"))
    if numbers is None or key[0] >= P or key[1] >= P:
        return False
    if (key[1] * key[1] - (key[0] ** 3 - 3 * key[0] + B)) % P != 0:
        return False
    r, s = numbers
    if not (0 < r < ORDER and 0 < s < ORDER):
        return False
    digest = int.from_bytes(hashlib.sha256(message).digest(), "big")
    inverse = pow(s, -1, ORDER)
    point = _add(_times(digest * inverse % ORDER, BASE), _times(r * inverse % ORDER, key))
    return point is not None and point[0] % ORDER == r
