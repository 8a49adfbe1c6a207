"""The outcomes of a request, as values. Four are the lane's own; `refused` means that nobody was asked, and `unknown`
that the outcome could not be learned: neither is ever a yes."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from .call import HttpProblem, Trouble, Unreachable, json_of

Case = Mapping[str, Any]


@dataclass(frozen=True)
class Answered:
    id: str
    # By the reply schema: "YES" or "NO", an option's value, a list of them, a text, a number, a date, decisions.
    answer: Any
    by: str
    channel: str
    # The channel's proof of who answered.
    proof: str
    at: str
    case: Case = field(repr=False)
    # The words that explain the answer, if there are any and they are not erased: they order nothing.
    reason: Optional[str] = None
    # The one-time right to perform an approved action: for the key that asked, after YES, while it is valid.
    policy_token: Optional[str] = field(default=None, repr=False)
    kind: str = "answered"


@dataclass(frozen=True)
class Defaulted:
    """Nobody answered in time (`defaulted`), or nobody could be reached (`undelivered`): the declared default holds."""

    id: str
    default_action: str
    at: str
    case: Case = field(repr=False)
    kind: str = "defaulted"


@dataclass(frozen=True)
class Withdrawn:
    id: str
    at: str
    case: Case = field(repr=False)
    kind: str = "withdrawn"


@dataclass(frozen=True)
class FieldError:
    field: str
    read: str
    accepted: str


@dataclass(frozen=True)
class Refused:
    """The lane did not open it: nobody was asked."""

    id: str
    code: str
    detail: str
    errors: Tuple[FieldError, ...] = ()
    kind: str = "refused"


@dataclass(frozen=True)
class Unknown:
    """The request may have been asked, and may have been answered: `resume` by the id."""

    id: str
    code: str
    detail: str
    kind: str = "unknown"


@dataclass(frozen=True)
class Pending:
    """Open when the caller's own patience ended; the case is None while the lane has not been reached."""

    id: str
    case: Optional[Case] = field(repr=False)
    kind: str = "pending"


@dataclass(frozen=True)
class Opened:
    id: str
    case: Case = field(repr=False)
    kind: str = "opened"


Outcome = Union[Answered, Defaulted, Withdrawn, Refused, Unknown]


def read_case(value: Any) -> Optional[Case]:
    """None if the body is not a case: a proxy's greeting with status 200 must not pass for an answer."""
    if not isinstance(value, dict) or not isinstance(value.get("request"), dict):
        return None
    whole = (
        isinstance(value["request"].get("reply_schema"), dict)
        and all(isinstance(value.get(name), str) for name in ("request_id", "state", "deadline_at"))
        and all(isinstance(value.get(name), dict) for name in ("run", "receipt"))
        and isinstance(value.get("deliveries"), list)
    )
    return value if whole else None


def is_open(case: Case) -> bool:
    return case["state"] in ("pending", "partial")


def outcome_of(schema: Mapping[str, Any], case: Case) -> Outcome:
    request_id, state = case["request_id"], case["state"]
    at = case.get("resolved_at") or ""
    if state == "answered":
        said = case.get("answer")
        answer = _meant_by(schema, said) if isinstance(said, dict) else None
        if not isinstance(said, dict) or answer is None:
            return strange(request_id, "the answer does not fit the reply schema")
        decision = case.get("decision") or {}
        return Answered(
            request_id,
            answer,
            said["answered_by"],
            said["channel"],
            said["proof"],
            said["at"],
            case,
            said.get("reason"),
            decision.get("policy_token"),
        )
    if state in ("defaulted", "undelivered"):
        return Defaulted(request_id, case["default_action"], at, case, state)
    if state == "withdrawn":
        return Withdrawn(request_id, at, case)
    return strange(request_id, 'the state "%s" is no outcome' % state)


def _meant_by(schema: Mapping[str, Any], said: Mapping[str, Any]) -> Any:
    """None if the answer is none of the schema's: then something other than a lane has spoken."""
    kind, choice = schema.get("kind"), said.get("parsed_choice")
    payload: Dict[str, Any] = said.get("parsed_payload") or {}
    if kind == "yes_no":
        return choice if choice in ("YES", "NO") else None
    if kind == "choice":
        return choice if choice in values_of(schema) else None
    if kind == "multi_choice":
        return _all_of(values_of(schema), payload.get("selected"))
    if kind in ("text", "date"):
        return payload[kind] if isinstance(payload.get(kind), str) else None
    if kind == "number":
        number = payload.get("number")
        return number if isinstance(number, (int, float)) and not isinstance(number, bool) else None
    if kind == "form":
        ids = [decision["id"] for decision in schema["decisions"]]
        decisions = payload.get("decisions")
        if not isinstance(decisions, list) or not all(isinstance(one, dict) for one in decisions):
            return None
        known = _all_of(ids, [one.get("decision_id") for one in decisions])
        return None if known is None else decisions
    return None


def _all_of(known: List[str], given: Any) -> Optional[List[str]]:
    if not isinstance(given, list) or len(given) == 0:
        return None
    return given if all(one in known for one in given) else None


def values_of(schema: Mapping[str, Any]) -> List[str]:
    return [option["value"] for option in schema.get("options", [])]


def strange(request_id: str, detail: str) -> Unknown:
    return Unknown(request_id, "not_a_lane", detail)


def told(trouble: Trouble) -> Tuple[str, str, Tuple[FieldError, ...]]:
    """Code, detail and errors."""
    if isinstance(trouble, Unreachable):
        return "unreachable", "%s: %s" % (trouble.why, trouble.detail), ()
    body = json_of(trouble.body)
    answered = "answered %d" % trouble.status
    if not isinstance(body, dict) or not isinstance(body.get("code"), str):
        return "not_a_lane", answered + ", and not as a lane does", ()
    listed = body.get("errors")
    errors = tuple(
        FieldError(str(one.get("field")), str(one.get("read")), str(one.get("accepted")))
        for one in (listed if isinstance(listed, list) else [])
        if isinstance(one, dict)
    )
    detail = next((body[name] for name in ("detail", "title") if body.get(name) is not None), answered)
    return body["code"], str(detail), errors


def unknown(request_id: str, trouble: Trouble) -> Unknown:
    code, detail, _ = told(trouble)
    return Unknown(request_id, code, detail)


def not_opened(request_id: str, trouble: Trouble) -> Union[Refused, Unknown]:
    """Only a problem in the lane's own words means that nobody was asked."""
    code, detail, errors = told(trouble)
    final = isinstance(trouble, HttpProblem) and trouble.status < 500 and code != "not_a_lane"
    return Refused(request_id, code, detail, errors) if final else Unknown(request_id, code, detail)
