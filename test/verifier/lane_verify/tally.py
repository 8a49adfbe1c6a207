"""docs/spec/invariants.md: the tally. What the accepted replies of a request come to."""


def tally(request, terms, replies):
    """(causes, answer), or None while it is open. `replies` are HUMAN_REPLY_EVENT entries, in order."""
    if not replies:
        return None
    if request["reply_schema"]["kind"] == "form":
        takes_defaults = "take_defaults" in terms.get("policy", {})
        return tally_form(request["reply_schema"], takes_defaults, replies)
    if "quorum" in terms:
        return count(terms["quorum"], terms.get("electorate", []), replies)
    return ([replies[0]["seq"]], answer_of(replies[0]))


def is_given(answer):
    """Whether an answer gives an approval: YES, or every approval of a form, each by a person."""
    payload = answer["parsed_payload"]
    if payload is None or "decisions" not in payload:
        return answer["parsed_choice"] == "YES"
    approvals = [one for one in payload["decisions"] if "approved" in one]
    return bool(approvals) and all(one["approved"] and one["answered_by"] is not None for one in approvals)


def by(entry):
    body = entry["body"]
    sender = body["sender_identity"]
    return {
        "answered_by": sender["user_id"],
        "channel": body["channel"],
        "proof": sender["proof"],
        "at": entry["at"],
    }


def answer_of(entry):
    body = entry["body"]
    return {"parsed_choice": body["parsed_choice"], "parsed_payload": body["parsed_payload"], **by(entry)}


def count(quorum, electorate, replies):
    yes = sum(entry["body"]["parsed_choice"] == "YES" for entry in replies)
    no = len(replies) - yes
    left = len(electorate) - len(replies)
    if yes >= quorum["need"]:
        decided = "YES"
    elif no > 0 if quorum["veto"] else yes + left < quorum["need"]:
        decided = "NO"
    else:
        return None
    answer = {**answer_of(replies[-1]), "parsed_choice": decided, "votes": [vote_of(entry) for entry in replies]}
    return ([entry["seq"] for entry in replies], answer)


def vote_of(entry):
    payload = entry["body"]["parsed_payload"] or {}
    why = {"reason_hash": payload["reason_hash"]} if "reason_hash" in payload else {}
    return {**by(entry), **why, "choice": "YES" if entry["body"]["parsed_choice"] == "YES" else "NO"}


def tally_form(form, takes_defaults, replies):
    answers, causes = {}, []
    for entry in replies:
        payload = entry["body"]["parsed_payload"] or {}
        fresh = [one for one in payload.get("decisions", []) if one["decision_id"] not in answers]
        if fresh:
            causes.append(entry["seq"])
        for one in fresh:
            answers[one["decision_id"]] = {**one, **by(entry)}
    missing = [one["id"] for one in form["decisions"] if one["required"] and one["id"] not in answers]
    if missing or not answers:
        return None
    if takes_defaults:
        answers = {**defaults_of(form), **answers}
    decisions = [answers[one["id"]] for one in form["decisions"] if one["id"] in answers]
    return (causes, {**answer_of(replies[-1]), "parsed_payload": {"decisions": decisions}})


def defaults_of(form):
    """What the optional decisions take where nobody has answered them; an approval never."""
    return {
        one["id"]: {
            "decision_id": one["id"],
            "selected" if "options" in one else "value": one["default"],
            "by": "default",
            "answered_by": None,
            "proof": None,
        }
        for one in form["decisions"]
        if not one["required"] and one["type"] != "approval" and "default" in one
    }
