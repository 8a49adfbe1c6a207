"""A program's draft of a request, and the submission made of it."""
from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

Recipient = Union[str, Mapping[str, Any]]
YES_NO: Mapping[str, Any] = {"kind": "yes_no"}


@dataclass(frozen=True)
class Common:
    """What every draft may have; the words are those of the three ways to ask."""

    deadline_seconds: int
    default: str
    id: Optional[str] = None
    to: Optional[Sequence[Recipient]] = None
    run_id: Optional[str] = None
    work_item_id: Optional[str] = None
    quorum: Optional[Mapping[str, Any]] = None
    urgency: Optional[str] = None
    ladder: Optional[Sequence[Mapping[str, Any]]] = None
    origin: Optional[Mapping[str, Any]] = None
    callback_url: Optional[str] = None


@dataclass(frozen=True)
class Drafted:
    id: str
    submission: Dict[str, Any]


def handle_of(text: str) -> str:
    """A content's handle is its hash."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def question_of(
    common: Common,
    question: str,
    impact: str,
    reply: Mapping[str, Any],
    context: Sequence[str] = (),
    values: Sequence[str] = (),
    run_id: Optional[str] = None,
) -> Drafted:
    name = _id_for(common, "ask")
    request = {
        "type": "REQUEST_QUESTION",
        "question_id": name,
        "question_text": question,
        "impact": impact,
        "context_handles": [*context, *map(handle_of, values)],
    }
    return _addressed(name, request, common, reply, values, run_id)


def review_of(
    common: Common,
    lens: str,
    reply: Mapping[str, Any],
    targets: Sequence[str] = (),
    values: Sequence[str] = (),
    why: Optional[str] = None,
    run_id: Optional[str] = None,
) -> Drafted:
    name = _id_for(common, "review")
    request = {
        "type": "REQUEST_REVIEW",
        "review_id": name,
        "target_handles": [*targets, *map(handle_of, values)],
        "lens": lens,
        **_given(why=why),
    }
    return _addressed(name, request, common, reply, values, run_id)


def approval_of(
    common: Common,
    action: str,
    parameters: Optional[Mapping[str, str]] = None,
    values: Optional[Mapping[str, str]] = None,
    why: Optional[str] = None,
    reply: Mapping[str, Any] = YES_NO,
    run_id: Optional[str] = None,
) -> Drafted:
    name = _id_for(common, "approve")
    named = dict(values or {})
    request = {
        "type": "REQUEST_APPROVAL",
        "approval_id": name,
        "action": action,
        "parameters": {**(parameters or {}), **{key: handle_of(text) for key, text in named.items()}},
        **_given(why=why),
    }
    return _addressed(name, request, common, reply, list(named.values()), run_id)


def _given(**fields: Any) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _id_for(common: Common, noun: str) -> str:
    """The id is made here and not by the lane, so that sending again is the same request."""
    return common.id if common.id is not None else "%s-%s" % (noun, secrets.token_hex(12))


def _addressed(
    name: str,
    request: Mapping[str, Any],
    common: Common,
    reply: Mapping[str, Any],
    values: Sequence[str],
    run_id: Optional[str],
) -> Drafted:
    """The envelope belongs to the request's identity, so nothing in it is made anew: a restarted caller sends the same."""
    timing = {"deadline_seconds": common.deadline_seconds, "default_action": common.default}
    run = common.run_id if common.run_id is not None else run_id if run_id is not None else name
    to: Optional[List[Mapping[str, Any]]] = None
    if common.to is not None:
        to = [{"user_id": one} if isinstance(one, str) else one for one in common.to]
    submission = {
        "request": {**request, **timing, "reply_schema": reply},
        "run": {"run_id": run, "mood": "DEFERENTIAL", **_given(work_item_id=common.work_item_id)},
        **_given(
            recipients=to,
            callback_url=common.callback_url,
            quorum=common.quorum,
            urgency=common.urgency,
            ladder=common.ladder,
            origin=common.origin,
            contents={handle_of(text): text for text in values} if len(values) > 0 else None,
        ),
    }
    return Drafted(name, submission)
