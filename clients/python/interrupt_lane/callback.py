"""A callback of the lane's, believed only after its signature, on the bytes as they came. A message carries no right and
says nothing that the case does not; one that comes twice has the same id."""
from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import re
import time
from dataclasses import dataclass, field
from typing import Any, List, Mapping, Optional

from .call import json_of


class CallbackRefused(Exception):
    """The message is not the lane's, or not of now: a program that catches this must not act on it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Callback:
    # The same for every attempt of one request: take it once.
    id: str
    # When the request was resolved.
    at: str
    case: Mapping[str, Any] = field(repr=False)


_MOST_APART = 300
_PREFIX = "whsec_"
_MIN_SECRET_BYTES = 24
_NAMES = ("webhook-id", "webhook-timestamp", "webhook-signature")


def verify_callback(
    body: bytes, headers: Mapping[str, str], secret: Optional[str] = None, now: Optional[float] = None
) -> Callback:
    """`secret` is LANE_WEBHOOK_SECRET if absent; while it is changed there are two, with a blank between."""
    keys = _keys_in(os.environ.get("LANE_WEBHOOK_SECRET", "") if secret is None else secret)
    id_, timestamp, signatures = (_header_in(headers, name) for name in _NAMES)
    if not id_ or not timestamp or not signatures:
        raise CallbackRefused("header_missing", "a callback has the headers " + ", ".join(_NAMES))
    if re.fullmatch("[0-9]{1,12}", timestamp) is None:
        raise CallbackRefused("timestamp_malformed", "webhook-timestamp is no number of seconds")
    if abs((time.time() if now is None else now) - int(timestamp)) > _MOST_APART:
        raise CallbackRefused("timestamp_too_far", "it was signed more than five minutes from now")
    signed = ("%s.%s." % (id_, timestamp)).encode("utf-8") + body
    if not _is_signed(keys, signed, signatures):
        raise CallbackRefused("signature_mismatch", "no signature is by this secret")
    message = json_of(body)
    if not isinstance(message, dict) or message.get("type") != "request.resolved":
        raise CallbackRefused("body_malformed", "this is no message of a lane")
    at, case = message.get("timestamp"), message.get("data")
    if not isinstance(at, str) or not isinstance(case, dict):
        raise CallbackRefused("body_malformed", "this is no message of a lane")
    return Callback(id_, at, case)


def _header_in(headers: Mapping[str, str], name: str) -> Optional[str]:
    """Names of headers are the same in any case; a repeated one is none."""
    values = [value for key, value in headers.items() if key.lower() == name]
    return values[0] if len(values) == 1 else None


def _keys_in(secret: str) -> List[bytes]:
    return [_key_in(text) for text in re.split(r"\s+", secret)]


def _key_in(text: str) -> bytes:
    try:
        key = base64.b64decode(text[len(_PREFIX) :], validate=True)
    except (ValueError, binascii.Error):
        key = b""
    if text.startswith(_PREFIX) and len(key) >= _MIN_SECRET_BYTES:
        return key
    raise ValueError("a secret is %s and at least %d bytes in base64" % (_PREFIX, _MIN_SECRET_BYTES))


def _is_signed(keys: List[bytes], signed: bytes, signatures: str) -> bool:
    given = [one.encode("utf-8") for one in signatures.split(" ") if one.startswith("v1,")]
    wanted = [b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in keys]
    return any(hmac.compare_digest(right, one) for right in wanted for one in given)
