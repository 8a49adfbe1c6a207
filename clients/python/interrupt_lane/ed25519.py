"""Whether a signature is an Ed25519 key's (RFC 8032, section 5.1.7). The standard library has no such verification; one
takes some milliseconds here, and only public values pass through it."""
from __future__ import annotations

import hashlib
from typing import Optional, Tuple

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)

# Extended homogeneous coordinates: X, Y, Z and T = XY/Z.
_Point = Tuple[int, int, int, int]


def _decode(data: bytes) -> Optional[_Point]:
    number = int.from_bytes(data, "little")
    y, odd = number & ((1 << 255) - 1), number >> 255
    if y >= _P:
        return None
    wanted = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(wanted, (_P + 3) // 8, _P)
    if (x * x - wanted) % _P:
        x = x * _ROOT % _P
    if (x * x - wanted) % _P or (x == 0 and odd):
        return None
    if x & 1 != odd:
        x = _P - x
    return x, y, 1, x * y % _P


def _sum(p: _Point, q: _Point) -> _Point:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % _P, (p[1] + p[0]) * (q[1] + q[0]) % _P
    c, d = 2 * p[3] * q[3] * _D % _P, 2 * p[2] * q[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _multiple(scalar: int, point: _Point) -> _Point:
    total: _Point = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            total = _sum(total, point)
        point, scalar = _sum(point, point), scalar >> 1
    return total


_BASE = _decode((4 * pow(5, _P - 2, _P) % _P).to_bytes(32, "little"))


def verify(public: bytes, message: bytes, signature: bytes) -> bool:
    if len(public) != 32 or len(signature) != 64 or _BASE is None:
        return False
    key, nonce = _decode(public), _decode(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or nonce is None or scalar >= _ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public + message).digest()
    left = _multiple(scalar, _BASE)
    right = _sum(nonce, _multiple(int.from_bytes(digest, "little") % _ORDER, key))
    return not ((left[0] * right[2] - right[0] * left[2]) % _P or (left[1] * right[2] - right[1] * left[2]) % _P)
