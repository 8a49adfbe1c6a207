"""docs/spec/invariants.md: answers. Whether a recorded answer is one of its schema's."""
import form
import grammar
from jcs import NoText, is_same, number_text

GRAMMARS = ("1", "2")


def is_in_schema(schema, body):
    if body["grammar"] not in GRAMMARS:
        return False
    choice, payload = body["parsed_choice"], body["parsed_payload"]
    try:
        answer = read_back(body["grammar"], schema, choice, payload)
    except NoText:
        return False
    return answer is not None and is_same(list(answer), [choice, without_hashes(payload)])


def read_back(version, schema, choice, payload):
    """What the answer is read as, once it is written out as a reply."""
    if schema["kind"] == "form":
        decisions = payload["decisions"] if payload is not None and "decisions" in payload else []
        remarked = {one["decision_id"] for one in decisions if "comment_hash" in one}
        if version == "1" and remarked:
            return None
        return form.read(schema, written(choice, payload), remarked)
    answer = grammar.read_plain(schema, written(choice, payload))
    if answer is None:
        return None
    is_given = payload is not None and "reason_hash" in payload
    remarks = payload is not None and any("comment_hash" in one for one in payload.get("decisions", []))
    is_no = schema["kind"] == "yes_no" and answer[0] == "NO"
    if remarks or not grammar.takes_reason(schema.get("reason"), is_given and version != "1", is_no):
        return None
    return answer


def written(choice, payload):
    if payload is None or "reason_hash" in payload:
        return choice or ""
    if "decisions" in payload:
        return "\n".join(map(form.written, payload["decisions"]))
    if "selected" in payload:
        return ",".join(payload["selected"])
    if "text" in payload:
        return payload["text"]
    return number_text(payload["number"]) if "number" in payload else payload["date"]


def without_hashes(payload):
    """The words of a reason are beside the ledger, and no part of the answer."""
    if payload is None or "reason_hash" in payload:
        return None
    if "decisions" not in payload:
        return payload
    return {
        "decisions": [
            {name: value for name, value in one.items() if name != "comment_hash"} for one in payload["decisions"]
        ]
    }
