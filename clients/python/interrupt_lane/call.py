"""The lane over HTTP. An answer, a problem and silence are three values; nothing here raises for a network's fault.

The key goes to the address it was given for and nowhere else: no redirect is followed, and no proxy of the environment
is used.
"""
from __future__ import annotations

import email.utils
import errno
import http.client
import json
import socket
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Union

# Anything but a long poll answers at once; half a minute is a dead lane.
PATIENCE_SECONDS = 30.0


@dataclass(frozen=True)
class Endpoint:
    """One lane: its address without a final slash, and the API key; None if only open routes are called."""

    url: str
    key: Optional[str]


@dataclass(frozen=True)
class HttpAnswer:
    status: int
    body: bytes


@dataclass(frozen=True)
class HttpProblem:
    status: int
    body: bytes
    retry_after_seconds: Optional[float] = None


@dataclass(frozen=True)
class Unreachable:
    """`refused` never reached a lane; after `interrupted` it is unknown whether the lane has acted."""

    why: str
    detail: str


Trouble = Union[HttpProblem, Unreachable]
Called = Union[HttpAnswer, HttpProblem, Unreachable]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect)


def call(
    endpoint: Endpoint,
    path: str,
    method: str = "GET",
    body: Optional[Mapping[str, Any]] = None,
    content: Optional[bytes] = None,
    patience: float = PATIENCE_SECONDS,
) -> Called:
    """`content` is sent as it is, instead of `body`."""
    headers = {"accept": "application/json, application/problem+json;q=0.9, */*;q=0.1"}
    if endpoint.key is not None:
        headers["authorization"] = "Bearer " + endpoint.key
    data = content
    if content is not None:
        headers["content-type"] = "application/octet-stream"
    elif body is not None:
        headers["content-type"] = "application/json"
        data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    request = urllib.request.Request(endpoint.url + path, data=data, headers=headers, method=method)
    try:
        with _OPENER.open(request, timeout=max(patience, 0.001)) as response:
            return HttpAnswer(response.status, response.read())
    except urllib.error.HTTPError as error:
        return _problem(error)
    except (OSError, http.client.HTTPException) as error:
        return _unreachable(error)


def json_of(body: bytes) -> Any:
    """The value, or None if it is no JSON: NaN and its like are none."""
    try:
        return json.loads(body.decode("utf-8", "replace"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _problem(error: urllib.error.HTTPError) -> Called:
    try:
        body = error.read()
    except (OSError, http.client.HTTPException) as broken:
        return _unreachable(broken)
    finally:
        error.close()
    location = error.headers.get("location")
    if location is not None:
        body = json.dumps({"detail": "it points to " + location}).encode("utf-8")
    return HttpProblem(error.code, body, _retry_after(error.headers.get("retry-after")))


def _retry_after(header: Optional[str]) -> Optional[float]:
    """Seconds or a date (RFC 9110, section 10.2.3)."""
    if header is None:
        return None
    if header.isascii() and header.isdigit() and len(header) <= 6:
        return float(header)
    try:
        return max(email.utils.parsedate_to_datetime(header).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError):
        return None


_REFUSED = (errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ENETUNREACH)


def _unreachable(error: Exception) -> Unreachable:
    inner: Any = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(inner, (socket.timeout, TimeoutError)):
        return Unreachable("timeout", "no answer in time")
    if isinstance(inner, socket.gaierror):
        return Unreachable("unknown_host", "ENOTFOUND")
    code = getattr(inner, "errno", None)
    detail = errno.errorcode.get(code, "") if isinstance(code, int) else ""
    return Unreachable("refused" if code in _REFUSED else "interrupted", detail or type(inner).__name__)
