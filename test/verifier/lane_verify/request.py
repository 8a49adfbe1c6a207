"""docs/spec/request.md: whether the door lets a request and its run in."""
import re

import form
import pattern
from grammar import decimal_of, fold, is_before, read_moment
from jcs import NoText, text_of, units
from shown import holds_secret, is_shown, questions_in, strings_in

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
FIXED_HANDLE = re.compile(r"sha256:[0-9a-f]{64}")
HANDLE = re.compile(r"sha256:[0-9a-f]{64}|(?:doc|receipt|diff|run|artifact):[A-Za-z0-9._-]{1,128}")
OPTION_VALUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
DECISION_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")
PARAMETER = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
WORDS = re.compile(r"[A-Za-z][A-Za-z0-9-]*(?: [A-Za-z][A-Za-z0-9-]*)*")

DEFAULT_ACTIONS = (
    "HALT",
    "SPLIT",
    "DOWNGRADE_TO_HYPOTHESIS",
    "QUARANTINE_OUTPUTS",
    "DENY",
    "DO_NOT_PUBLISH",
    "DO_NOT_EXPORT",
)
MOODS = ("CALM", "CURIOUS", "SKEPTICAL", "PARANOID", "BOLD", "CONTRITE", "PETTY", "DEFERENTIAL")
LENSES = ("security", "product", "correctness", "clarity")
ID_MEMBER = {
    "REQUEST_QUESTION": "question_id",
    "REQUEST_REVIEW": "review_id",
    "REQUEST_APPROVAL": "approval_id",
}
MAX_DEADLINE_SECONDS = 2_592_000


def matches(expression, value):
    return isinstance(value, str) and expression.fullmatch(value) is not None


def is_id(value):
    return matches(ID, value)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_integer(value, least, most):
    return is_number(value) and isinstance(value, int) and least <= value <= most


def is_list(value, least, most, each):
    return isinstance(value, list) and least <= len(value) <= most and all(map(each, value))


def has_members(value, needed, optional=()):
    """An object with these members and no other."""
    return (
        isinstance(value, dict)
        and all(name in value for name in needed)
        and all(name in needed or name in optional for name in value)
    )


def is_one_of(value, words):
    return isinstance(value, str) and value in words


def is_run(run):
    return (
        has_members(run, ("run_id", "mood"), ("sub_mode", "work_item_id"))
        and is_id(run["run_id"])
        and is_one_of(run["mood"], MOODS)
        and run.get("sub_mode", "approval") == "approval"
        and is_id(run.get("work_item_id", run["run_id"]))
    )


def is_free(value, expression, rules):
    """What may be typed as an answer, and does not begin with the word that hands a request on."""
    return matches(expression, value) and (rules == "1" or not fold(value).startswith("delegate"))


def are_options(options, rules, described=False):
    def is_option(option):
        return (
            has_members(option, ("value", "label"), ("description",) if described else ())
            and is_free(option["value"], OPTION_VALUE, rules)
            and is_shown(option["label"], 75, rules)
            and ("description" not in option or is_shown(option["description"], 200, rules))
        )

    if not is_list(options, 2, 26, is_option):
        return False
    values = [fold(option["value"]) for option in options]
    letters = [chr(ord("a") + index) for index in range(len(options))]
    return len(set(values)) == len(values) and all(
        value not in letters or letters.index(value) == index for index, value in enumerate(values)
    )


def is_decimal(value):
    return is_number(value) and decimal_of(value) is not None


def is_spoken(value, rules):
    return is_free(value, WORDS, rules) and len(value) <= 32


def is_number_schema(schema, rules):
    return (
        has_members(schema, ("kind", "min", "max"), ("step", "unit", "lead"))
        and is_decimal(schema["min"])
        and is_decimal(schema["max"])
        and schema["min"] <= schema["max"]
        and ("step" not in schema or (is_decimal(schema["step"]) and schema["step"] > 0))
        and all(is_spoken(schema[name], rules) for name in ("unit", "lead") if name in schema)
    )


def is_date_schema(schema):
    if not has_members(schema, ("kind",), ("min", "max")):
        return False
    bounds = [schema[name] for name in ("min", "max") if name in schema]
    if not all(isinstance(bound, str) and read_moment(bound) is not None for bound in bounds):
        return False
    return len(bounds) < 2 or not is_before(read_moment(schema["max"]), read_moment(schema["min"]))


def is_reason(schema, whens):
    """`reason`, where it is there."""
    if "reason" not in schema:
        return True
    reason = schema["reason"]
    return (
        has_members(reason, ("when", "max_chars"))
        and is_one_of(reason["when"], whens)
        and is_integer(reason["max_chars"], 1, 500)
    )


ON_NO = ("on_no", "optional")
OPTIONAL = ("optional",)


def is_lines(text, at_most, rules):
    """Shown text of several lines, each ended by LF; some may be empty, none below another."""
    if not isinstance(text, str) or len(text) > at_most or text.startswith("\n\n") or "\n\n\n" in text:
        return False
    lines = [line for line in text.split("\n") if line]
    return bool(lines) and all(is_shown(line, at_most, rules) for line in lines)


def is_pattern(source, rules):
    if not is_shown(source, 200, rules) or units(source) > 200:
        return False
    try:
        return pattern.compiled(source) is not None
    except pattern.Unjudged:
        return True


def are_bounds(bounds, is_bound, most=None):
    if not all(is_bound(bounds[name]) for name in ("min", "max") if name in bounds):
        return False
    if "min" in bounds and "max" in bounds and bounds["min"] > bounds["max"]:
        return False
    return most is None or max(bounds.get("min", 1), bounds.get("max", 1)) <= most


def is_decision(decision, rules):
    if not isinstance(decision, dict) or not is_one_of(decision.get("type"), CONSTRAINTS):
        return False
    kind = decision["type"]
    has_options = kind in ("choice", "multi_choice")
    allowed = ("description", "default", "reason", *(("constraints",) if CONSTRAINTS[kind] else ()))
    needed = ("id", "type", "prompt", "required", *(("options",) if has_options else ()))
    if not (
        has_members(decision, needed, allowed)
        and is_free(decision["id"], DECISION_ID, rules)
        and is_shown(decision["prompt"], 500, rules)
        and ("description" not in decision or is_lines(decision["description"], 2000, rules))
        and isinstance(decision["required"], bool)
        and is_reason(decision, ON_NO if kind == "approval" else OPTIONAL)
        and (not has_options or are_options(decision["options"], rules, described=True))
        and ("constraints" not in decision or are_constraints(decision, rules))
    ):
        return False
    return "default" not in decision or (
        DEFAULTS[kind](decision["default"]) and form.is_answer_to(decision, decision["default"])
    )


def are_constraints(decision, rules):
    bounds, kind = decision["constraints"], decision["type"]
    if not has_members(bounds, (), CONSTRAINTS[kind]):
        return False
    if kind == "number":
        return are_bounds(bounds, is_decimal)
    if kind == "multi_choice":
        return are_bounds(bounds, lambda one: is_integer(one, 1, 2**53 - 1), len(decision["options"]))
    return are_bounds(bounds, lambda one: is_integer(one, 1, 500)) and (
        "pattern" not in bounds or is_pattern(bounds["pattern"], rules)
    )


CONSTRAINTS = {
    "approval": (),
    "choice": (),
    "multi_choice": ("min", "max"),
    "text": ("min", "max", "pattern"),
    "number": ("min", "max"),
    "date": (),
}


def is_text(value):
    return isinstance(value, str)


DEFAULTS = {
    "approval": lambda value: isinstance(value, bool),
    "choice": is_text,
    "multi_choice": lambda value: is_list(value, 0, 2**53, is_text),
    "text": is_text,
    "number": is_number,
    "date": is_text,
}


def is_blocked(item, rules):
    return (
        has_members(item, ("description",), ("task_id", "artifact_id"))
        and all(is_id(item[name]) for name in ("task_id", "artifact_id") if name in item)
        and is_shown(item["description"], 200, rules)
    )


def is_form(schema, rules):
    if not has_members(schema, ("kind", "decisions"), ("context", "blocking")):
        return False
    if not is_list(schema["decisions"], 1, 50, lambda one: is_decision(one, rules)):
        return False
    ids = [fold(one["id"]) for one in schema["decisions"]]
    return (
        len(set(ids)) == len(ids)
        and ("context" not in schema or is_lines(schema["context"], 2000, rules))
        and ("blocking" not in schema or is_list(schema["blocking"], 0, 50, lambda one: is_blocked(one, rules)))
    )


def is_approving(schema):
    """The form of an approval holds one at least, and all of them are required."""
    approvals = [one for one in schema["decisions"] if one["type"] == "approval"]
    return bool(approvals) and all(one["required"] for one in approvals)


def is_reply_schema(schema, rules):
    if not isinstance(schema, dict):
        return False
    kind = schema.get("kind")
    may = () if rules == "1" else ("reason",)
    if kind == "yes_no":
        return has_members(schema, ("kind",), may) and is_reason(schema, ON_NO)
    if kind == "choice":
        return (
            has_members(schema, ("kind", "options"), may)
            and are_options(schema["options"], rules)
            and is_reason(schema, OPTIONAL)
        )
    if kind == "form":
        return rules != "1" and is_form(schema, rules)
    if kind == "multi_choice":
        return (
            has_members(schema, ("kind", "options", "min", "max"))
            and are_options(schema["options"], rules)
            and is_integer(schema["max"], 1, len(schema["options"]))
            and is_integer(schema["min"], 1, schema["max"])
        )
    if kind == "text":
        return has_members(schema, ("kind", "max_chars")) and is_integer(schema["max_chars"], 1, 500)
    if kind == "number":
        return is_number_schema(schema, rules)
    return kind == "date" and is_date_schema(schema)


def is_common(request):
    return is_integer(request["deadline_seconds"], 1, MAX_DEADLINE_SECONDS) and is_one_of(
        request["default_action"], DEFAULT_ACTIONS
    )


COMMON = ("type", "deadline_seconds", "default_action", "reply_schema")


def is_question(request, rules):
    return (
        has_members(request, (*COMMON, "question_id", "question_text", "impact", "context_handles"))
        and is_id(request["question_id"])
        and is_shown(request["question_text"], 500, rules)
        and questions_in(request["question_text"]) <= 1
        and is_shown(request["impact"], 500, rules)
        and is_list(request["context_handles"], 0, 20, lambda one: matches(HANDLE, one))
        and is_common(request)
        and is_reply_schema(request["reply_schema"], rules)
    )


def may_say_why(rules):
    return () if rules == "1" else ("why",)


def is_why(request, rules):
    return "why" not in request or is_shown(request["why"], 500, rules)


def is_review(request, rules):
    return (
        has_members(request, (*COMMON, "review_id", "target_handles", "lens"), may_say_why(rules))
        and is_why(request, rules)
        and is_id(request["review_id"])
        and is_list(request["target_handles"], 1, 20, lambda one: matches(HANDLE, one))
        and is_one_of(request["lens"], LENSES)
        and is_common(request)
        and is_reply_schema(request["reply_schema"], rules)
    )


def is_parameters(parameters):
    return (
        isinstance(parameters, dict)
        and 1 <= len(parameters) <= 20
        and all(matches(PARAMETER, name) and name not in ("constructor", "prototype") for name in parameters)
        and all(matches(FIXED_HANDLE, handle) for handle in parameters.values())
    )


def is_approval(request, rules):
    needed = (*COMMON, "approval_id", "action", "parameters")
    if not has_members(request, needed, may_say_why(rules)) or not is_why(request, rules):
        return False
    action = request["action"]
    fitting = ["DENY", "HALT", "QUARANTINE_OUTPUTS"]
    fitting += {"PUBLISH": ["DO_NOT_PUBLISH"], "EXPORT": ["DO_NOT_EXPORT"]}.get(
        action if isinstance(action, str) else "", []
    )
    return (
        is_id(request["approval_id"])
        and isinstance(action, str)
        and is_parameters(request["parameters"])
        and is_common(request)
        and request["default_action"] in fitting
        and is_reply_schema(request["reply_schema"], rules)
        and (
            request["reply_schema"]["kind"] == "yes_no"
            or (request["reply_schema"]["kind"] == "form" and is_approving(request["reply_schema"]))
        )
    )


TYPES = {"REQUEST_QUESTION": is_question, "REQUEST_REVIEW": is_review, "REQUEST_APPROVAL": is_approval}


def is_let_in(request, run, rules):
    """Whether the door lets these two in. `type` is known to be one of the three."""
    if any(map(holds_secret, strings_in([request, run]))):
        return False
    return is_run(run) and TYPES[request["type"]](request, rules) and is_small(request)


def is_small(request):
    """Of every other kind the parts are bounds enough."""
    if request["reply_schema"]["kind"] != "form":
        return True
    try:
        return len(text_of(request).encode()) <= 65_536
    except NoText:
        return False
