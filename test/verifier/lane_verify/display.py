"""docs/spec/display.md: what people were shown, from the opening and the rows of the delivery (I34)."""
from jcs import hash_of


def handles_of(request):
    """(name, handle), in the order in which they are shown."""
    if request["type"] == "REQUEST_APPROVAL":
        return sorted(request["parameters"].items())
    member = "context_handles" if request["type"] == "REQUEST_QUESTION" else "target_handles"
    return [(None, handle) for handle in request[member]]


def headline_of(request):
    if request["type"] == "REQUEST_QUESTION":
        return request["question_text"]
    if request["type"] == "REQUEST_REVIEW":
        return f"Review for {request['lens']}"
    return f"Approve {request['action']}"


def id_of(request):
    return next(request[name] for name in ("question_id", "review_id", "approval_id") if name in request)


def display_of(opening, rows):
    request, terms = opening["request"], opening["terms"]
    return {
        "v": 2,
        "type": request["type"],
        "request_id": id_of(request),
        "request_hash": opening["request_hash"],
        "asked_by": opening["asked_by"],
        "run_id": opening["run"]["run_id"],
        "work_item_id": opening["run"].get("work_item_id"),
        "headline": headline_of(request),
        "impact": request.get("impact"),
        "why": request.get("why"),
        "lens": request.get("lens"),
        "action": request.get("action"),
        "handles": [
            {"name": name, "handle": handle, "fixed": handle.startswith("sha256:")}
            for name, handle in handles_of(request)
        ],
        "contents": rows,
        "reply_schema": request["reply_schema"],
        "deadline_at": opening["deadline_at"],
        "default_action": request["default_action"],
        "urgency": terms["urgency"],
        "ladder": terms.get("ladder"),
        "origin": opening.get("origin"),
    }


def is_sound(row):
    end, chars = 0, row["chars"]
    for first, last in row["shown"]:
        if first < end or last < first or last > (chars or 0):
            return False
        end = last
    return row["whole"] == (chars is not None and row["shown"] == [[0, chars]])


def flaw_of_display(story, body):
    opening = story.opening
    if "terms" not in opening:
        return None
    rows = body.get("contents", [])
    held = {one["handle"]: one["chars"] for one in opening.get("contents", [])}
    expected = [(name, handle) for name, handle in handles_of(story.request) if handle in held]
    if [(row["name"], row["handle"]) for row in rows] != expected:
        return "I34"
    if any(row["chars"] != held[row["handle"]] or not is_sound(row) for row in rows):
        return "I34"
    return None if hash_of("lane/display/v2\n", display_of(opening, rows)) == body["display_hash"] else "I34"


def flaw_of_erasure(story, body):
    held = [one["handle"] for one in story.opening.get("contents", [])]
    return None if not story.open and body["handle"] in held else "I34"
