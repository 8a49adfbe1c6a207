"""The lane as a program sees it: three ways to ask, one way to come back, and the right that an approval gives.

    lane = connect()
    outcome = lane.ask(question="Ship it?", …, reply={"kind": "yes_no"}).wait()
"""
from __future__ import annotations

import os
import re
import urllib.parse
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from .call import Endpoint, HttpAnswer, HttpProblem, Trouble, json_of
from .draft import YES_NO, Common, Drafted, Recipient, approval_of, question_of, review_of
from .handle import FirstWord, Handle, opened_as, path_of, started
from .outcome import not_opened, read_case, told, unknown
from .pace import GRACE, MACHINE, Pace, What, persist
from .policy import Keys, assert_approved

_DEFAULT_URL = "http://127.0.0.1:8787"
# Some seconds: enough for a restart, not for an outage; and a right is never used on a guess.
_ATTEMPTS = 6


@dataclass(frozen=True)
class Spent:
    jti: str
    spent_at: str
    kind: str = "spent"


@dataclass(frozen=True)
class NotSpent:
    """already_spent, policy_mismatch, policy_token_invalid, policy_token_expired, policy_token_revoked, unreachable …"""

    code: str
    detail: str
    kind: str = "not_spent"


class Lane:
    def __init__(self, endpoint: Endpoint, run_id: Optional[str], pace: Pace = MACHINE) -> None:
        self._endpoint = endpoint
        self._run_id = run_id
        self._pace = pace
        self._keys = Keys(endpoint.url + "/.well-known/jwks.json")

    def ask(
        self,
        question: str,
        impact: str,
        reply: Mapping[str, Any],
        *,
        deadline_seconds: int,
        default: str,
        context: Sequence[str] = (),
        values: Sequence[str] = (),
        **common: Any,
    ) -> Handle:
        """One question whose answer changes what is done next. `values` are texts to look at: they go with the request.
        The further words are those of every way to ask: id, to, run_id, work_item_id, urgency, ladder, origin,
        callback_url."""
        draft = Common(deadline_seconds, default, **common)
        return self._submit(question_of(draft, question, impact, reply, context, values, self._run_id), reply)

    def review(
        self,
        lens: str,
        reply: Mapping[str, Any],
        *,
        deadline_seconds: int,
        default: str,
        targets: Sequence[str] = (),
        values: Sequence[str] = (),
        why: Optional[str] = None,
        **common: Any,
    ) -> Handle:
        """Something that exists, through one lens: its handles in `targets`, or its texts in `values`."""
        draft = Common(deadline_seconds, default, **common)
        return self._submit(review_of(draft, lens, reply, targets, values, why, self._run_id), reply)

    def approve(
        self,
        action: str,
        *,
        deadline_seconds: int,
        default: str,
        parameters: Optional[Mapping[str, str]] = None,
        values: Optional[Mapping[str, str]] = None,
        why: Optional[str] = None,
        reply: Mapping[str, Any] = YES_NO,
        **common: Any,
    ) -> Handle:
        """The right to perform an action on exactly these things: `values` are texts by their names, which are shown;
        `parameters` are named `sha256:` handles. `quorum` says how many must say YES."""
        draft = Common(deadline_seconds, default, **common)
        return self._submit(approval_of(draft, action, parameters, values, why, reply, self._run_id), reply)

    def resume(self, id: str, reply: Mapping[str, Any] = YES_NO) -> Handle:
        """A request that was asked before, perhaps by a process that is gone."""
        until = self._pace.monotonic() + GRACE

        def find() -> FirstWord:
            answer = persist(self._pace, self._endpoint, What(path_of(id)), until)
            if isinstance(answer, HttpAnswer):
                return opened_as(id, reply, read_case(json_of(answer.body)))
            return unknown(id, answer)

        return Handle(id, self._endpoint, self._pace, reply, until, started(find))

    def put_content(self, content: Union[str, bytes]) -> str:
        """Content a person can open before answering; the handle to name it by. Raises when it cannot be kept."""
        data = content.encode("utf-8") if isinstance(content, str) else content
        what = What("/v1/blobs", "PUT", content=data)
        answer = persist(self._pace, self._endpoint, what, is_final=_is_enough)
        if not isinstance(answer, HttpAnswer):
            code, detail, _ = told(answer)
            raise ValueError("the lane does not keep this content (%s): %s" % (code, detail))
        body = json_of(answer.body)
        if not isinstance(body, dict) or not isinstance(body.get("handle"), str):
            raise ValueError("the lane does not keep this content (not_a_lane): the answer names no handle")
        return body["handle"]

    def assert_approved(self, token: str, action: str, parameters: Mapping[str, str]) -> Dict[str, Any]:
        """Checks a policy token against this lane's keys, which are fetched every five minutes. Raises `NotApproved`."""
        return assert_approved(token, action, parameters, self._keys)

    def spend(self, token: str, action: str, parameters: Mapping[str, str], spend_id: str) -> Union[Spent, NotSpent]:
        """Spends a policy token, once: the same `spend_id` again is the same spending."""
        body = {"token": token, "action": action, "parameters": dict(parameters), "spend_id": spend_id}
        what = What("/v1/policy-tokens/spend", "POST", body)
        answer = persist(self._pace, self._endpoint, what, is_final=_is_enough)
        if not isinstance(answer, HttpAnswer):
            code, detail, _ = told(answer)
            return NotSpent(code, detail)
        spent = json_of(answer.body)
        if isinstance(spent, dict) and isinstance(spent.get("jti"), str) and isinstance(spent.get("spent_at"), str):
            return Spent(spent["jti"], spent["spent_at"])
        return NotSpent("not_a_lane", "the answer names no token")

    def _submit(self, drafted: Drafted, reply: Mapping[str, Any]) -> Handle:
        """Sent at once, and tried again until its own deadline has passed: later nobody would be asked in time."""
        until = self._pace.monotonic() + drafted.submission["request"]["deadline_seconds"]

        def put() -> FirstWord:
            what = What("/v1/requests", "POST", drafted.submission)
            answer = persist(self._pace, self._endpoint, what, until, is_final=_is_limit)
            if isinstance(answer, HttpAnswer):
                return opened_as(drafted.id, reply, read_case(json_of(answer.body)))
            return not_opened(drafted.id, answer)

        return Handle(drafted.id, self._endpoint, self._pace, reply, until + GRACE, started(put))


def connect(
    url: Optional[str] = None, key: Optional[str] = None, run_id: Optional[str] = None, pace: Pace = MACHINE
) -> Lane:
    """LANE_URL, LANE_API_KEY and LANE_RUN_ID where absent. Scope `request` is enough, and an agent should have no more."""
    return Lane(endpoint_of(url, key), run_id if run_id is not None else _variable("LANE_RUN_ID"), pace)


def endpoint_of(url: Optional[str], key: Optional[str]) -> Endpoint:
    given = key if key is not None else _variable("LANE_API_KEY")
    if not given:
        raise TypeError("no API key: give connect() a key, or set LANE_API_KEY")
    address = url if url is not None else _variable("LANE_URL") or _DEFAULT_URL
    parts = urllib.parse.urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise TypeError("a lane is at http or https, not at %s: give connect() its url, or set LANE_URL" % address)
    return Endpoint(re.sub("/+$", "", address), given)


def _variable(name: str) -> Optional[str]:
    return os.environ.get(name, "").strip() or None


def _is_limit(trouble: Trouble, _attempt: int) -> bool:
    """A limit does not pass by asking faster: a program that asks too much is told so."""
    return isinstance(trouble, HttpProblem) and trouble.status == 429


def _is_enough(_trouble: Trouble, attempt: int) -> bool:
    return attempt == _ATTEMPTS
