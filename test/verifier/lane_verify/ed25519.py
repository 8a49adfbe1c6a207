"""Ed25519 signatures (RFC 8032, section 5.1.7): verification, by the arithmetic of the RFC and nothing else."""
import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def _x_of(y, sign):
    """The x of a point with this y; None where there is none."""
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT % P
    if (x * x - square) % P != 0 or (x == 0 and sign):
        return None
    return P - x if x % 2 != sign else x


def _point(data):
    """The point that 32 bytes encode, in extended coordinates; None where they encode none."""
    number = int.from_bytes(data, "little")
    y, sign = number % 2**255, number >> 255
    x = _x_of(y, sign) if y < P else None
    return None if x is None else (x, y, 1, x * y % P)


def _add(one, other):
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def _times(number, point):
    sum_ = (0, 1, 1, 0)
    while number > 0:
        if number % 2 == 1:
            sum_ = _add(sum_, point)
        point = _add(point, point)
        number //= 2
    return sum_


def _are_same(one, other):
    return (one[0] * other[2] - other[0] * one[2]) % P == 0 and (one[1] * other[2] - other[1] * one[2]) % P == 0


_BASE_Y = 4 * pow(5, P - 2, P) % P
_BASE_X = _x_of(_BASE_Y, 0)
BASE = (_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % P)


def is_weak(public):
    """Whether it is of an order that divides eight, so that one signature holds for many messages, or is spelt otherwise."""
    y = int.from_bytes(public, "little") % 2**255
    if y >= P:
        return True
    x = _x_of(y, 0)
    return x is not None and _are_same(_times(8, (x, y, 1, x * y % P)), (0, 1, 1, 0))


def verify(public, message, signature):
    """Whether 64 bytes are the signature of this key (32 bytes) over the message."""
    if len(public) != 32 or len(signature) != 64:
        return False
    key, nonce = _point(public), _point(signature[:32])
    size = int.from_bytes(signature[32:], "little")
    if key is None or nonce is None or size >= ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public + message).digest()
    challenge = int.from_bytes(digest, "little") % ORDER
    return _are_same(_times(size, BASE), _add(nonce, _times(challenge, key)))
