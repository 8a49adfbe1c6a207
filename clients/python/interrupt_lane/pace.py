"""The answer to trouble: passing trouble is tried again, with longer pauses; other trouble is told at once."""
from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

from .call import PATIENCE_SECONDS, Called, Endpoint, HttpAnswer, HttpProblem, Trouble, Unreachable, call

FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 10.0
# A lane restored from a backup may be away for some minutes after a deadline; longer is an outage to report.
GRACE = 300.0
# A call that is under way when the time is up may still arrive.
_LAST_WORD = 1.0
FOREVER = float("inf")


class Left(Exception):
    """The caller no longer waits."""


@dataclass(frozen=True)
class Pace:
    """Time comes in by parameter: a test moves it, everyone else lets it pass."""

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep

    def rest(self, seconds: float, left: Optional[threading.Event]) -> None:
        if left is None:
            self.sleep(max(seconds, 0.0))
        elif left.wait(max(seconds, 0.0)):
            raise Left()


MACHINE = Pace()


def is_passing(trouble: Trouble) -> bool:
    """The looks of a restart, of a proxy in front of one, or of a busy lane. Other trouble will not get better."""
    return isinstance(trouble, Unreachable) or trouble.status == 429 or trouble.status >= 500


def pause_after(trouble: Trouble, pause: float) -> float:
    if not isinstance(trouble, HttpProblem):
        return pause
    return max(pause, min(trouble.retry_after_seconds or 0.0, _LONGEST_PAUSE))


def longer(pause: float) -> float:
    return min(pause * 2, _LONGEST_PAUSE)


@dataclass(frozen=True)
class What:
    """One call that may be repeated: a read, or a write under an id."""

    path: str
    method: str = "GET"
    body: Any = None
    content: Optional[bytes] = None
    patience: float = field(default=PATIENCE_SECONDS)


def persist(
    pace: Pace,
    endpoint: Endpoint,
    what: What,
    until: float = FOREVER,
    is_final: Callable[[Trouble, int], bool] = lambda _trouble, _attempt: False,
    left: Optional[threading.Event] = None,
) -> Called:
    """One call, tried again while its trouble can pass, until an instant of the monotonic clock."""
    pause = FIRST_PAUSE
    attempt = 1
    while True:
        time_left = max(until - pace.monotonic(), 0.0)
        patience = min(what.patience, time_left + _LAST_WORD)
        answer = call(endpoint, what.path, what.method, what.body, what.content, patience)
        if isinstance(answer, HttpAnswer) or not is_passing(answer) or is_final(answer, attempt):
            return answer
        time_left = max(until - pace.monotonic(), 0.0)
        if time_left == 0.0:
            return answer
        pace.rest(min(pause_after(answer, pause), time_left), left)
        attempt, pause = attempt + 1, longer(pause)
