"""Asking a person from a program, over Interrupt Lane. No packages: the standard library alone, Python 3.9 or newer.

    from interrupt_lane import connect

    outcome = connect().ask(
        question="Ship the release today?", impact="Decides whether the pipeline goes on",
        reply={"kind": "yes_no"}, deadline_seconds=600, default="HALT",
    ).wait()

`interrupt_lane.aio` has the same words for asyncio.
"""
from .callback import Callback, CallbackRefused, verify_callback
from .handle import Handle
from .lane import Lane, NotSpent, Spent, connect
from .outcome import Answered, Defaulted, FieldError, Opened, Outcome, Pending, Refused, Unknown, Withdrawn
from .pace import Left, Pace
from .policy import Keys, NotApproved, assert_approved, hash_parameters

__all__ = [
    "Answered",
    "Callback",
    "CallbackRefused",
    "Defaulted",
    "FieldError",
    "Handle",
    "Keys",
    "Lane",
    "Left",
    "NotApproved",
    "NotSpent",
    "Opened",
    "Outcome",
    "Pace",
    "Pending",
    "Refused",
    "Spent",
    "Unknown",
    "Withdrawn",
    "assert_approved",
    "connect",
    "hash_parameters",
    "verify_callback",
]
