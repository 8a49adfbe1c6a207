"""The right to act, checked offline: a policy token is the lane's signed statement that this action on exactly these
parameters was approved. Algorithm, type, issuer, audience and claims are fixed here (RFC 8725), never taken from the
token. A token that holds here may still have been spent: the lane alone knows whether it was used before."""
from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import threading
import time
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, Union

from .call import Endpoint, HttpAnswer, call, json_of
from .ed25519 import verify


class NotApproved(Exception):
    """A failed assertion: a program that catches this must not act."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


_AGAIN_AFTER = 30.0
# A revoked key may still be taken here for so long. If the lane cannot be asked, the keys fetched last hold.
_GOOD_FOR = 300.0


class Keys:
    """The lane's public keys at an address, or as they were given."""

    def __init__(self, source: Union[str, Mapping[str, Any]], clock: Callable[[], float] = time.monotonic) -> None:
        self._url = source if isinstance(source, str) else None
        self._held: Optional[Mapping[str, Any]] = None if isinstance(source, str) else source
        self._clock = clock
        self._fetched_at = float("-inf")
        # Guards the two above: several threads may check tokens at once.
        self._lock = threading.Lock()

    def find(self, kid: str) -> Optional[bytes]:
        """The key of that name; None if there is none. Raises NotApproved when the keys cannot be fetched."""
        with self._lock:
            if self._url is not None and (self._held is None or self._age() >= _GOOD_FOR):
                self._fetch()
            key = None if self._held is None else _key_in(self._held, kid)
            if key is not None or self._url is None:
                return key
            if self._held is not None and self._age() < _AGAIN_AFTER:
                return None
            self._fetch()
            if self._held is None:
                raise NotApproved("keys_unavailable", "the lane's keys cannot be fetched")
            return _key_in(self._held, kid)

    def _age(self) -> float:
        return self._clock() - self._fetched_at

    def _fetch(self) -> None:
        self._fetched_at = self._clock()
        answer = call(Endpoint(self._url or "", None), "")
        body = json_of(answer.body) if isinstance(answer, HttpAnswer) else None
        if isinstance(body, dict) and isinstance(body.get("keys"), list):
            self._held = body


def _key_in(jwks: Mapping[str, Any], kid: str) -> Optional[bytes]:
    found = (key for key in jwks["keys"] if isinstance(key, dict) and key.get("kid") == kid)
    jwk: Mapping[str, Any] = next(found, {})
    x = jwk.get("x")
    if jwk.get("kty") != "OKP" or jwk.get("crv") != "Ed25519" or not isinstance(x, str):
        return None
    return _decoded(x) if re.fullmatch(r"[A-Za-z0-9_-]{43}", x) else None


def assert_approved(
    token: str,
    action: str,
    parameters: Mapping[str, str],
    jwks: Union[str, Mapping[str, Any], Keys],
    now: Optional[float] = None,
) -> Dict[str, Any]:
    """The token's claims, or NotApproved. `jwks` is the key set, or its address: <lane>/.well-known/jwks.json. `now` is
    in seconds since 1970."""
    parts = _read_parts(token)
    if parts is None:
        raise NotApproved("token_malformed", "this is no policy token")
    kid, claims, signed, signature = parts
    keys = jwks if isinstance(jwks, Keys) else Keys(jwks)
    key = keys.find(kid)
    if key is None:
        raise NotApproved("token_unknown_key", "the lane has no key %s" % json.dumps(kid))
    if not verify(key, signed, signature):
        raise NotApproved("token_bad_signature", "the signature is not the lane's")
    if (time.time() if now is None else now) >= claims["exp"]:
        raise NotApproved("token_expired", "the approval is no longer valid")
    if claims["act"] != action:
        raise NotApproved("action_mismatch", "approved was %s, not %s" % (claims["act"], action))
    if claims["prh"] != hash_parameters(parameters):
        raise NotApproved("parameters_mismatch", "%s was approved on other parameters" % action)
    return claims


def hash_parameters(parameters: Mapping[str, str]) -> str:
    """`sha256:` + hex SHA-256( "lane/parameters/v1\\n" + JCS ): of a flat record of strings, RFC 8785 is this."""
    names = sorted(parameters, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    pairs = ["%s:%s" % (_spelt(name), _spelt(parameters[name])) for name in names]
    text = "lane/parameters/v1\n{%s}" % ",".join(pairs)
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def _spelt(text: str) -> str:
    spelt = json.dumps(text, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda half: "\\u%04x" % ord(half.group()), spelt)


# Far above any token of the lane's; checked before a byte is decoded.
_LONGEST_TOKEN = 2048
_SHAPE = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{86}")


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"sha256:[0-9a-f]{64}", value) is not None


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_seconds(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return value == int(value) and abs(value) < 2**53 if abs(value) < 2**60 else False


def _is(wanted: str) -> Callable[[Any], bool]:
    return lambda value: value == wanted


_HEADER: Mapping[str, Callable[[Any], bool]] = {"alg": _is("EdDSA"), "typ": _is("lane-policy+jwt"), "kid": _is_text}
_CLAIMS: Mapping[str, Callable[[Any], bool]] = {
    "iss": _is("interrupt-lane"),
    "aud": _is("lane.policy"),
    "sub": _is_text,
    "jti": lambda value: isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_-]{22}", value) is not None,
    "iat": _is_seconds,
    "exp": _is_seconds,
    "run": _is_text,
    "req": _is_text,
    "act": _is_text,
    "prh": _is_hash,
    "rqh": _is_hash,
    "rev": _is_hash,
}


def _read_parts(token: str) -> Optional[Tuple[str, Dict[str, Any], bytes, bytes]]:
    if not isinstance(token, str) or len(token) > _LONGEST_TOKEN or _SHAPE.fullmatch(token) is None:
        return None
    head, body, signature = token.split(".")
    if not all(_is_canonical(part) for part in (head, body, signature)):
        return None
    header, claims = _read_exactly(head, _HEADER), _read_exactly(body, _CLAIMS)
    if header is None or claims is None:
        return None
    return header["kid"], claims, ("%s.%s" % (head, body)).encode("ascii"), _decoded(signature)


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _is_canonical(part: str) -> bool:
    """The decoder takes several spellings; the one spelling is the part that encodes to itself again."""
    try:
        return base64.urlsafe_b64encode(_decoded(part)).rstrip(b"=").decode("ascii") == part
    except (ValueError, binascii.Error):
        return False


def _read_exactly(part: str, fields: Mapping[str, Callable[[Any], bool]]) -> Optional[Dict[str, Any]]:
    value = json_of(_decoded(part))
    if not isinstance(value, dict) or len(value) != len(fields):
        return None
    return value if all(name in value and holds(value[name]) for name, holds in fields.items()) else None
