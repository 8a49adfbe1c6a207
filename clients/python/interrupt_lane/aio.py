"""The same for asyncio: `lane = aio.connect()`, `outcome = await lane.ask(…).wait()`. Each wait has a thread of its own;
cancelling it ends the waiting, not the request."""
from __future__ import annotations

import asyncio
import threading
from typing import Any, Callable, Dict, Mapping, Optional, TypeVar, Union

from . import lane as blocking
from .handle import FirstWord, Handle
from .outcome import Outcome, Pending
from .pace import MACHINE, Pace

_T = TypeVar("_T")


class AsyncHandle:
    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self.id = handle.id

    async def opened(self) -> FirstWord:
        """The case as the lane has opened it, or the reason why it has not."""
        return await asyncio.shield(asyncio.wrap_future(self._handle.opening))

    async def wait(self, seconds: Optional[float] = None) -> Union[Outcome, Pending]:
        """The outcome, however long it takes; with `seconds` the outcome, or `pending`."""
        left = threading.Event()
        try:
            return await _in_thread(lambda: self._handle.wait(seconds, left))
        finally:
            left.set()

    async def withdraw(self, reason: str) -> Outcome:
        """Takes it back. Gives the outcome that stands: `withdrawn`, or the one that was there before."""
        return await _in_thread(lambda: self._handle.withdraw(reason))


class AsyncLane:
    """The words of `Lane`; what takes time is awaited."""

    def __init__(self, lane: blocking.Lane) -> None:
        self._lane = lane

    def ask(self, *args: Any, **named: Any) -> AsyncHandle:
        return AsyncHandle(self._lane.ask(*args, **named))

    def review(self, *args: Any, **named: Any) -> AsyncHandle:
        return AsyncHandle(self._lane.review(*args, **named))

    def approve(self, *args: Any, **named: Any) -> AsyncHandle:
        return AsyncHandle(self._lane.approve(*args, **named))

    def resume(self, *args: Any, **named: Any) -> AsyncHandle:
        return AsyncHandle(self._lane.resume(*args, **named))

    async def put_content(self, content: Union[str, bytes]) -> str:
        return await _in_thread(lambda: self._lane.put_content(content))

    async def assert_approved(self, token: str, action: str, parameters: Mapping[str, str]) -> Dict[str, Any]:
        return await _in_thread(lambda: self._lane.assert_approved(token, action, parameters))

    async def spend(
        self, token: str, action: str, parameters: Mapping[str, str], spend_id: str
    ) -> Union[blocking.Spent, blocking.NotSpent]:
        return await _in_thread(lambda: self._lane.spend(token, action, parameters, spend_id))


def connect(
    url: Optional[str] = None, key: Optional[str] = None, run_id: Optional[str] = None, pace: Pace = MACHINE
) -> AsyncLane:
    """LANE_URL, LANE_API_KEY and LANE_RUN_ID where absent."""
    return AsyncLane(blocking.connect(url, key, run_id, pace))


async def _in_thread(deed: Callable[[], _T]) -> _T:
    """Not the loop's own pool: that has few threads, and people take their time. A thread that nobody waits for any more
    must not keep the program from ending."""
    loop = asyncio.get_running_loop()
    future: "asyncio.Future[_T]" = loop.create_future()

    def settle(value: Any, error: Optional[BaseException]) -> None:
        if future.cancelled():
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    def run() -> None:
        value, error = None, None
        try:
            value = deed()
        except BaseException as raised:
            error = raised
        try:
            loop.call_soon_threadsafe(settle, value, error)
        except RuntimeError:
            # The loop has ended, and nobody is left to be told.
            pass

    threading.Thread(target=run, name="interrupt-lane-wait", daemon=True).start()
    return await future
