"""docs/spec/reply-grammar.md: forms. A reply has lines, each the answer to one decision."""
import grammar
import pattern
from jcs import number_text, units

LARGEST = 999_999_999_999_999


def schema_of(decision):
    """The schema by which a decision's line is read."""
    bounds = decision.get("constraints", {})
    kind = decision["type"]
    if kind == "approval":
        return {"kind": "yes_no"}
    if kind == "choice":
        return {"kind": "choice", "options": decision["options"]}
    if kind == "multi_choice":
        options = decision["options"]
        return {
            "kind": "multi_choice",
            "options": options,
            "min": bounds.get("min", 1),
            "max": bounds.get("max", len(options)),
        }
    if kind == "text":
        return {"kind": "text", "max_chars": bounds.get("max", 500)}
    if kind == "number":
        return {"kind": "number", "min": bounds.get("min", -LARGEST), "max": bounds.get("max", LARGEST)}
    return {"kind": "date"}


def read_decision(decision, said):
    """{approved}, {selected} or {value}; None where it is no answer."""
    answer = grammar.read_plain(schema_of(decision), said)
    if answer is None:
        return None
    choice, payload = answer
    if decision["type"] == "approval":
        return {"approved": choice == "YES"}
    if choice is not None:
        return {"selected": choice}
    if "selected" in payload:
        return payload
    if "text" in payload and not fits_text(decision.get("constraints", {}), payload["text"]):
        return None
    return {"value": next(iter(payload.values()))}


def fits_text(bounds, text):
    if len(text) < bounds.get("min", 1):
        return False
    if "pattern" not in bounds:
        return True
    try:
        expression = pattern.compiled(bounds["pattern"])
    except pattern.Unjudged:
        return True
    return expression is not None and expression.search(text) is not None


def read(schema, reply, remarked):
    """{decisions} of a reply; `remarked` are the ids of the decisions that a comment stands beside."""
    if units(reply) > 65_536 or any(map(grammar.is_surrogate, reply)):
        return None
    answers = {}
    for line in reply.strip(grammar.OUTER).replace("\r\n", "\n").split("\n"):
        line = line.strip(grammar.OUTER)
        if line == "":
            continue
        called, _, said = line.partition(" ")
        decision = next((one for one in schema["decisions"] if grammar.fold(one["id"]) == grammar.fold(called)), None)
        if decision is None or decision["id"] in answers:
            return None
        answer = read_decision(decision, said)
        if answer is None:
            return None
        is_no = answer.get("approved") is False
        if not grammar.takes_reason(decision.get("reason"), decision["id"] in remarked, is_no):
            return None
        answers[decision["id"]] = {"decision_id": decision["id"], **answer}
    if not answers or any(id not in answers for id in remarked):
        return None
    return (None, {"decisions": [answers[one["id"]] for one in schema["decisions"] if one["id"] in answers]})


def written(decision):
    """The line of a recorded answer."""
    if "approved" in decision:
        value = "YES" if decision["approved"] else "NO"
    elif "selected" in decision:
        value = decision["selected"]
        value = ",".join(value) if isinstance(value, list) else value
    else:
        value = decision["value"]
        value = value if isinstance(value, str) else number_text(value)
    return decision["decision_id"] + " " + value


def is_answer_to(decision, value):
    """Whether a default would itself be an answer, exactly as it is."""
    if isinstance(value, bool):
        said = "YES" if value else "NO"
    elif isinstance(value, list):
        said = ",".join(value)
    else:
        said = value if isinstance(value, str) else number_text(value)
    answer = read_decision(decision, said)
    if answer is None:
        return False
    worth = next(iter(answer.values()))
    if isinstance(value, list):
        return isinstance(worth, list) and sorted(worth) == sorted(value)
    return type(worth) is type(value) and worth == value
