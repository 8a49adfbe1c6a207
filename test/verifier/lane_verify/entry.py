"""docs/spec/invariants.md, steps 1 to 4: an entry by itself."""

from grammar import days_before
from jcs import NoText, member_texts, sha256
from request import ID_MEMBER, is_id, is_integer, is_let_in
from shapes import BODIES, OF_EITHER, OF_THE_LANE, hashed, time
from shown import is_unshowable, strings_in

MEMBERS = frozenset("v seq at type request_id run_id body prev hash".split())
RULES = ("1", "2")


def is_sound(line, entry, seq, prev):
    """Whether the line is this entry's text, in this place of the chain, with its hash."""
    if not is_integer(entry.get("v"), 1, 1) or not is_integer(entry.get("seq"), seq, seq):
        return False
    try:
        texts = member_texts(entry)
    except (NoText, RecursionError):
        return False
    if entry.get("prev") != prev or "{" + ",".join(texts.values()) + "}" != line:
        return False
    texts.pop("hash", None)
    return entry.get("hash") == sha256("lane/entry/v1\n{" + ",".join(texts.values()) + "}")


def rules_named_by(entry):
    """The rules that a LANE_STARTED names; None where it is none, or names none."""
    body = entry.get("body")
    if entry.get("type") != "LANE_STARTED" or not isinstance(body, (dict, list)):
        return None
    named = body.get("rules", "1") if isinstance(body, dict) else "1"
    return named if isinstance(named, str) else None


def flaw_of_shape(entry, rules):
    """The invariant that the entry breaks by itself, or None."""
    kind = entry.get("type")
    if not isinstance(kind, str) or not has_its_members(entry, kind):
        return "I4"
    shape = BODIES[rules].get(kind)
    if shape is None or not shape(entry.get("body")):
        return "I4"
    return flaw_of_request(entry, rules) if kind == "REQUEST_OPENED" else None


def has_its_members(entry, kind):
    if any(name not in MEMBERS for name in entry) or not time(entry.get("at")):
        return False
    if any(name in entry and not is_id(entry[name]) for name in ("request_id", "run_id")):
        return False
    if "request_id" in entry:
        return kind not in OF_THE_LANE
    return (kind in OF_THE_LANE or kind in OF_EITHER) and "run_id" not in entry


def flaw_of_request(entry, rules):
    request, run = entry["body"]["request"], entry["body"]["run"]
    if not is_let_in(request, run, rules):
        return "I22" if any(is_unshowable(text, rules) for text in strings_in(request)) else "I4"
    ids = (request[ID_MEMBER[request["type"]]], run["run_id"])
    return None if ids == (entry["request_id"], entry.get("run_id")) else "I4"


def milliseconds(at):
    """Since 0000-01-01; None where the calendar has no such moment."""
    days = days_before(int(at[0:4]), int(at[5:7]), int(at[8:10]))
    hour, minute, second = int(at[11:13]), int(at[14:16]), int(at[17:19])
    if days is None or hour > 23 or minute > 59 or second > 59:
        return None
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + int(at[20:23])


def is_later(at, seconds, other):
    """Whether `other` is so many seconds after `at`."""
    one, two = milliseconds(at), milliseconds(other)
    return one is not None and two is not None and one + seconds * 1000 == two


is_hash = hashed
