"""One request in the caller's hand. It was sent when it was made; a dropped one can be taken up again by its id.

Nothing here raises because of a lane, a person or a network. An outcome, once there, is the lane's: waiting again, or
after a restart, gives the same one.
"""
from __future__ import annotations

import concurrent.futures
import datetime
import json
import threading
import urllib.parse
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Union

from .call import Endpoint, HttpAnswer, HttpProblem, Trouble, Unreachable, json_of
from .outcome import (
    Case,
    Opened,
    Outcome,
    Pending,
    Refused,
    Unknown,
    is_open,
    outcome_of,
    read_case,
    strange,
    unknown,
    values_of,
)
from .pace import FIRST_PAUSE, FOREVER, GRACE, Pace, What, is_passing, longer, pause_after, persist

# Below the minute at which proxies commonly cut an idle request.
_POLL_SECONDS = 50
# A lane that is silent for so long after the poll's end is not going to answer; and the same for a caller in a hurry.
_POLL_GRACE = 15.0
_LAST_POLL_GRACE = 2.0
# A poll that comes back open at once must not become a busy loop.
_SHORTEST_ROUND = 1.0

FirstWord = Union[Opened, Refused, Unknown]


def started(deed: Callable[[], FirstWord]) -> "concurrent.futures.Future[FirstWord]":
    """Begun at once in a thread of its own, which a program that ends waits for: what was asked is not lost."""
    future: "concurrent.futures.Future[FirstWord]" = concurrent.futures.Future()

    def run() -> None:
        try:
            future.set_result(deed())
        except BaseException as error:  # A bug in here reaches the code that waits.
            future.set_exception(error)

    threading.Thread(target=run, name="interrupt-lane").start()
    return future


@dataclass(frozen=True)
class Handle:
    id: str
    endpoint: Endpoint
    pace: Pace
    schema: Mapping[str, Any]
    # The instant, by the monotonic clock, from which trouble is final.
    give_up_at: float
    opening: "concurrent.futures.Future[FirstWord]"

    def opened(self) -> FirstWord:
        """The case as the lane has opened it, or the reason why it has not."""
        return self.opening.result()

    def wait(
        self, seconds: Optional[float] = None, left: Optional[threading.Event] = None
    ) -> Union[Outcome, Pending]:
        """The outcome, however long it takes; with `seconds` the outcome, or `pending`. Setting `left` ends the waiting,
        not the request, and raises `Left`."""
        until = FOREVER if seconds is None else self.pace.monotonic() + seconds
        try:
            opened = self.opening.result(None if seconds is None else seconds)
        except concurrent.futures.TimeoutError:
            return Pending(self.id, None)
        if not isinstance(opened, Opened):
            return opened
        ended = wait_for_outcome(self.pace, self.endpoint, self.id, self.give_up_at, until, left)
        if isinstance(ended, Resolved):
            return outcome_of(self.schema, ended.case)
        if isinstance(ended, Open):
            return Pending(self.id, ended.case)
        if self.pace.monotonic() >= until and isinstance(ended, Unreachable):
            return Pending(self.id, opened.case)
        return unknown(self.id, ended)

    def withdraw(self, reason: str) -> Outcome:
        """Takes it back. Gives the outcome that stands: `withdrawn`, or the one that was there before."""
        opened = self.opening.result()
        if not isinstance(opened, Opened):
            return opened
        what = What(path_of(self.id) + "/withdraw", "POST", {"reason": reason})
        until = self.pace.monotonic() + GRACE
        answer = persist(self.pace, self.endpoint, what, until)
        if isinstance(answer, HttpAnswer):
            case = read_case(json_of(answer.body))
            return strange(self.id, "the answer is no case") if case is None else outcome_of(self.schema, case)
        if not isinstance(answer, HttpProblem) or answer.status != 409:
            return unknown(self.id, answer)
        ended = wait_for_outcome(self.pace, self.endpoint, self.id, self.pace.monotonic() + GRACE)
        if isinstance(ended, Resolved):
            return outcome_of(self.schema, ended.case)
        return strange(self.id, "resolved, and open") if isinstance(ended, Open) else unknown(self.id, ended)


@dataclass(frozen=True)
class Resolved:
    case: Case


@dataclass(frozen=True)
class Open:
    """Still open when the caller's own patience ended."""

    case: Case


def wait_for_outcome(
    pace: Pace,
    endpoint: Endpoint,
    request_id: str,
    give_up_at: float,
    until: float = FOREVER,
    left: Optional[threading.Event] = None,
) -> Union[Resolved, Open, Trouble]:
    """Long polls, one after another. A lane that is being restarted is not an outcome, so a broken connection is tried
    again until the deadline is long past; then somebody should be told."""
    pause = FIRST_PAUSE
    while True:
        begun = pace.monotonic()
        answer = persist(pace, endpoint, _poll(request_id, max(until - begun, 0.0)), is_final=lambda *_: True)
        now = pace.monotonic()
        remaining = max(until - now, 0.0)
        if isinstance(answer, HttpAnswer):
            case = read_case(json_of(answer.body))
            if case is None:
                return HttpProblem(answer.status, answer.body)
            if not is_open(case):
                return Resolved(case)
            if remaining == 0.0:
                return Open(case)
            pause = FIRST_PAUSE
            give_up_at = max(give_up_at, now + _deadline_in(case, pace.wall()) + GRACE)
            pace.rest(min(max(_SHORTEST_ROUND - (now - begun), 0.0), remaining), left)
            continue
        if not is_passing(answer) or now >= give_up_at or remaining == 0.0:
            return answer
        pace.rest(min(pause_after(answer, pause), remaining), left)
        pause = longer(pause)


def path_of(request_id: str) -> str:
    return "/v1/requests/" + urllib.parse.quote(request_id, safe="")


def _poll(request_id: str, remaining: float) -> What:
    seconds = min(max(-int(-remaining // 1), 1), _POLL_SECONDS) if remaining < _POLL_SECONDS else _POLL_SECONDS
    path = "%s/wait?timeout_seconds=%d" % (path_of(request_id), seconds)
    return What(path, patience=min(seconds + _POLL_GRACE, remaining + _LAST_POLL_GRACE))


def _deadline_in(case: Case, now: float) -> float:
    try:
        at = datetime.datetime.fromisoformat(case["deadline_at"].replace("Z", "+00:00"))
    except ValueError:
        return 0.0
    return max(at.timestamp() - now, 0.0)


def opened_as(request_id: str, schema: Mapping[str, Any], case: Optional[Case]) -> Union[Opened, Unknown]:
    """A case that is open or resolved under this id, with the schema the caller expects."""
    if case is None or case["request_id"] != request_id:
        return strange(request_id, "the answer is no case of this id")
    asked = case["request"]["reply_schema"]
    if asked.get("kind") != schema.get("kind") or values_of(asked) != values_of(schema):
        spelt = json.dumps(asked, ensure_ascii=False, separators=(",", ":"))
        return Unknown(request_id, "schema_mismatch", "it was asked with " + spelt)
    return Opened(request_id, case)
