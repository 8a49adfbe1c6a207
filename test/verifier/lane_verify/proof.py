"""docs/spec/proof.md: what a decision proof proves, checked in the order of the page.

`check` returns the code of the first check that fails, `untrusted` where only the key is wanting, else None.
"""
import hashlib
import re

from answer import written
from entry import is_hash
from entry import is_later as is_later_moment
from jcs import NoText, hash_of, is_same, parse, text_of
from kinds import are_kinds
from note import Checkpoint, Refused, decoded, read_note
from passkey import BY, challenge_of, credential_hash, evidence_hash, flaw_of, is_evidence
from request import ID_MEMBER, is_integer
from shapes import count, list_of, time
from story import OUTCOMES
from tally import is_given, tally
from tree import leaf_of, root_above

MAX_BYTES = 16 * 1024 * 1024
MEMBERS = {"format", "request_id", "checkpoint", "story", "entries", "displays"}
ENTRY = {"v", "seq", "at", "type", "request_id", "run_id", "body", "prev", "hash"}
ALWAYS = frozenset(
    "REQUEST_OPENED REQUEST_RESOLVED INBOUND_REPLY_RECEIVED HUMAN_REPLY_EVENT REPLY_EVIDENCE REQUEST_DELEGATED"
    " REQUEST_ESCALATED TIMEOUT_RECEIPT REQUEST_WITHDRAWN DIRECTOR_DECIDED AHDB_DELTA POLICY_TOKEN_ISSUED"
    " POLICY_TOKEN_SPENT POLICY_TOKEN_REVOKED".split()
)
ISSUING = ("DELIVERY_STARTED", "REQUEST_REMINDED")
DELEGATE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
LISTED = re.compile(r"(0|[1-9][0-9]{0,15}) ([A-Z_]+)")


class Fails(Exception):
    """A check fails; its code is the reason."""


def need(holds, code):
    if not holds:
        raise Fails(code)


def check(data, keys):
    """The code of the first check that fails; None where all hold."""
    try:
        proof = read(data)
        checkpoint = signed_checkpoint(proof, keys)
        listed = signed_list(proof, checkpoint, keys)
        check_included(proof, checkpoint)
        check_parts(proof, listed)
        decision = Decision(proof)
        decision.check()
        check_confirmations(proof, decision)
        check_words(proof)
    except Fails as failed:
        return str(failed)
    return None if checkpoint.trusted else "untrusted"


def read(data):
    need(len(data) <= MAX_BYTES, "malformed")
    try:
        text = data.decode("utf-8")
        proof = parse(text)
        need(isinstance(proof, dict) and text_of(proof) + "\n" == text, "malformed")
    except (UnicodeDecodeError, ValueError, NoText, RecursionError) as wrong:
        raise Fails("malformed") from wrong
    names = set(proof)
    need(names - {"contents", "evidence"} == MEMBERS, "malformed")
    need(proof["format"] == "lane/proof/v1", "malformed")
    need(all(isinstance(proof[name], str) for name in ("request_id", "checkpoint", "story")), "malformed")
    need(isinstance(proof["entries"], list) and proof["entries"] != [], "malformed")
    need(isinstance(proof["displays"], list), "malformed")
    for item in proof["entries"]:
        need(isinstance(item, dict) and set(item) == {"entry", "path"}, "malformed")
        need(is_entry(item["entry"], proof["request_id"]) and is_path(item["path"]), "malformed")
    seqs = [item["entry"]["seq"] for item in proof["entries"]]
    need(all(one < other for one, other in zip(seqs, seqs[1:])), "malformed")
    need("contents" not in proof or is_contents(proof["contents"]), "malformed")
    carried = proof.get("evidence", [{}])
    need(isinstance(carried, list) and carried != [], "malformed")
    need("evidence" not in proof or all(map(is_carried_evidence, carried)), "malformed")
    return proof


def is_path(path):
    return isinstance(path, list) and all(isinstance(one, str) for one in path)


def is_carried_evidence(item):
    if not isinstance(item, dict) or set(item) != {"reply_id", "evidence", "registered"}:
        return False
    registered = item["registered"]
    if not isinstance(registered, dict) or set(registered) != {"entry", "path"}:
        return False
    entry = registered["entry"]
    of_nobody = isinstance(entry, dict) and "request_id" not in entry and "run_id" not in entry
    return (
        isinstance(item["reply_id"], str)
        and is_evidence(item["evidence"])
        and of_nobody
        and is_entry(entry, None)
        and is_path(registered["path"])
    )


def is_contents(contents):
    if not isinstance(contents, dict) or set(contents) != {"words", "handles"}:
        return False
    words, handles = contents["words"], contents["handles"]
    if not isinstance(words, list) or not isinstance(handles, dict):
        return False
    of_words = [word.values() if isinstance(word, dict) else [None] for word in words]
    if not all(isinstance(one, str) for values in (*of_words, handles.values()) for one in values):
        return False
    return all(set(word) == {"hash", "salt", "text"} for word in words)


def is_entry(entry, request_id):
    return (
        isinstance(entry, dict)
        and set(entry) <= ENTRY
        and is_integer(entry.get("v"), 1, 1)
        and is_integer(entry.get("seq"), 0, 2**53 - 1)
        and all(isinstance(entry.get(name), str) for name in ("type", "at", "prev", "hash"))
        and isinstance(entry.get("body"), dict)
        and entry.get("request_id") == request_id
        and ("run_id" not in entry or isinstance(entry["run_id"], str))
    )


def signed_checkpoint(proof, keys):
    try:
        checkpoint = Checkpoint(proof["checkpoint"], keys)
    except Refused as refused:
        raise Fails("checkpoint_unsigned") from refused
    need(checkpoint.trusted or not keys, "checkpoint_unsigned")
    return checkpoint


def signed_list(proof, checkpoint, keys):
    """{seq: type} of every entry that the list names."""
    own = [key for key in keys if key.name == checkpoint.origin]
    try:
        body, signed = read_note(proof["story"], own)
    except Refused as refused:
        raise Fails("story_unsigned") from refused
    need(signed or not keys, "story_unsigned")
    head, lines = body.split("\n")[:4], body.split("\n")[4:-1]
    expected = ["lane/story/v1", checkpoint.origin, str(checkpoint.size), proof["request_id"]]
    found = [LISTED.fullmatch(line) for line in lines]
    need(head == expected and all(found), "story_unsigned")
    seqs = [int(one[1]) for one in found]
    need(all(one < other for one, other in zip(seqs, [*seqs[1:], checkpoint.size])), "story_unsigned")
    return {int(one[1]): one[2] for one in found}


def check_included(proof, checkpoint):
    registered = [item["registered"] for item in proof.get("evidence", [])]
    for item in [*proof["entries"], *registered]:
        entry, path = item["entry"], [decoded(one) for one in item["path"]]
        rest = {name: member for name, member in entry.items() if name != "hash"}
        need(entry["hash"] == hash_of("lane/entry/v1\n", rest), "not_included")
        need(all(one is not None and len(one) == 32 for one in path), "not_included")
        root = root_above(leaf_of(entry), entry["seq"], checkpoint.size, path)
        need(root == checkpoint.root, "not_included")


def token_of(entry):
    """The token that an answer or a delegation used; None for any other entry."""
    if entry["type"] == "HUMAN_REPLY_EVENT":
        return at(entry["body"], "receipts", "token_hash")
    return entry["body"].get("token_hash") if entry["type"] == "REQUEST_DELEGATED" else None


def check_parts(proof, listed):
    entries = [item["entry"] for item in proof["entries"]]
    used = {token for token in map(token_of, entries) if isinstance(token, str)}
    carried = {entry["seq"]: entry["type"] for entry in entries}
    need(all(listed.get(seq) == kind for seq, kind in carried.items()), "part_missing")
    reminder = max((seq for seq, kind in carried.items() if kind == "REQUEST_REMINDED"), default=-1)
    behind = {seq for seq, kind in listed.items() if kind == "DELIVERY_STARTED" and seq < reminder}
    need(all(seq in carried for seq, kind in listed.items() if kind in ALWAYS or seq in behind), "part_missing")
    issuing = [entry for entry in entries if entry["type"] in ISSUING]
    issued = [token for token in (entry["body"].get("token_hash") for entry in issuing) if isinstance(token, str)]
    need(all(entry["body"].get("token_hash") in issued for entry in issuing), "part_missing")
    for entry in issuing:
        need(entry["seq"] in behind or entry["body"]["token_hash"] in used, "part_missing")
    need(all(kind in ALWAYS or kind in ISSUING for kind in carried.values()), "part_missing")
    need(all(token in issued for token in used), "part_missing")
    told = [entry["body"].get("reply_id") for entry in entries if entry["type"] == "REPLY_EVIDENCE"]
    carried = proof.get("evidence", [])
    need(told == [item["reply_id"] for item in carried], "part_missing")
    need(all(item["registered"]["entry"]["type"] == "PASSKEY_REGISTERED" for item in carried), "part_missing")


def is_later(moment, seconds, other):
    """Whether `other` is so many seconds after it; both are times, or it is not."""
    return time(moment) and time(other) and is_later_moment(moment, seconds, other)


def at(value, *names):
    """The member at a path of names; None where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


class Decision:
    """The story that a proof tells, and the checks 6 to 11."""

    def __init__(self, proof):
        self.proof = proof
        self.entries = [item["entry"] for item in proof["entries"]]

    def of(self, *kinds):
        return [entry for entry in self.entries if entry["type"] in kinds]

    def check(self):
        stages = {
            "request_altered": self.check_request,
            "display_altered": self.check_displays,
            "reply_unfounded": self.check_replies,
            "right_missing": self.check_rights,
            "outcome_differs": self.check_outcome,
            "decision_differs": self.check_decision,
        }
        for code, stage in stages.items():
            need(are_kinds(code, self.entries), code)
            try:
                stage()
            except (AttributeError, IndexError, KeyError, TypeError, ValueError) as lacking:
                # A member that a check needs and that is not there, or not of its kind, fails the check.
                raise Fails(code) from lacking

    def check_request(self):
        opened = self.of("REQUEST_OPENED")
        need(len(opened) == 1 and self.entries[0] is opened[0], "request_altered")
        self.opening = opened[0]
        self.body = body = self.opening["body"]
        request = body.get("request")
        need(isinstance(request, dict) and request.get("type") in ID_MEMBER, "request_altered")
        self.request = request
        need(body.get("request_hash") == hash_of("lane/request/v1\n", request), "request_altered")
        need(request.get(ID_MEMBER[request["type"]]) == self.proof["request_id"], "request_altered")
        seconds = request.get("deadline_seconds")
        need(is_integer(seconds, 1, 2**53 - 1), "request_altered")
        need(is_later(self.opening["at"], seconds, body.get("deadline_at")), "request_altered")

    def check_displays(self):
        hashes = []
        for entry in self.of("DELIVERY_STARTED"):
            if entry["body"].get("display_hash") not in hashes:
                hashes.append(entry["body"].get("display_hash"))
        displays = self.proof["displays"]
        shown = [hash_of(f"lane/display/v{2 if at(one, 'v') == 2 else 1}\n", one) for one in displays]
        need(shown == hashes, "display_altered")
        told = {
            "request_id": self.proof["request_id"],
            "request_hash": self.body["request_hash"],
            "run_id": at(self.body, "run", "run_id"),
            "reply_schema": self.request.get("reply_schema"),
            "deadline_at": self.body["deadline_at"],
            "default_action": self.request.get("default_action"),
        }
        for display in displays:
            need(isinstance(display, dict), "display_altered")
            need(all(is_same(display.get(name), value) for name, value in told.items()), "display_altered")

    def is_said(self, entry):
        """Whether an entry is what a person said: an answer, or a delegation of theirs."""
        if entry["type"] == "HUMAN_REPLY_EVENT":
            return True
        return entry["type"] == "REQUEST_DELEGATED" and entry["body"].get("by") == "person"

    def sender_of(self, entry):
        if entry["type"] == "REQUEST_DELEGATED":
            return entry["body"].get("from")
        return at(entry["body"], "sender_identity", "user_id")

    def check_replies(self):
        by_seq = {entry["seq"]: entry for entry in self.entries}
        said = [entry for entry in self.entries if self.is_said(entry)]
        for entry in self.of("INBOUND_REPLY_RECEIVED"):
            after = by_seq.get(entry["seq"] + 1)
            need(after is not None and self.is_said(after), "reply_unfounded")
        resolved = [entry["seq"] for entry in self.of("REQUEST_RESOLVED")]
        for entry in said:
            self.check_reply(entry, by_seq.get(entry["seq"] - 1))
            need(entry["at"] < self.body["deadline_at"], "reply_unfounded")
            need(all(entry["seq"] < seq for seq in resolved), "reply_unfounded")
        if at(self.request, "reply_schema", "kind") != "form":
            replies = self.of("HUMAN_REPLY_EVENT")
            for values in ([token_of(one) for one in replies], [one["body"].get("reply_id") for one in replies]):
                need(len(values) == len({str(value) for value in values}), "reply_unfounded")

    def check_reply(self, entry, received):
        body = entry["body"]
        need(received is not None and received["type"] == "INBOUND_REPLY_RECEIVED", "reply_unfounded")
        told = received["body"]
        need(all(told.get(name) == body.get(name) for name in ("reply_id", "delivery_id")), "reply_unfounded")
        checks = told.get("token_validation")
        need(isinstance(checks, list) and all(at(one, "ok") is True for one in checks), "reply_unfounded")
        need(told.get("event_hash") == hash_of("", body), "reply_unfounded")
        token = token_of(entry)
        issued = [
            one
            for one in self.of(*ISSUING)
            if one["seq"] < entry["seq"]
            and one["body"].get("token_hash") == token
            and one["body"].get("delivery_id") == body.get("delivery_id")
        ]
        need(issued != [], "reply_unfounded")
        recipients = {
            one["body"].get("recipient")
            for one in self.of("DELIVERY_STARTED")
            if one["body"].get("delivery_id") == body.get("delivery_id")
        }
        need(recipients == {self.sender_of(entry)}, "reply_unfounded")

    def check_rights(self):
        terms = self.body.get("terms")
        asked = {at(one, "user_id") for one in self.body.get("recipients") or []}
        places = set(at(terms, "electorate") or [])
        for entry in self.entries:
            body = entry["body"]
            if entry["type"] == "REQUEST_ESCALATED":
                asked |= set(body.get("to") or [])
            if self.is_said(entry) or entry["type"] == "REQUEST_DELEGATED":
                need(self.sender_of(entry) in asked, "right_missing")
            if self.is_said(entry) and terms is not None:
                self.check_terms(entry, terms, places)
            if entry["type"] == "REQUEST_DELEGATED":
                asked = asked - {body.get("from")} | {body.get("to")}
                if body.get("from") in places:
                    places.add(body.get("to"))

    def check_terms(self, entry, terms, places):
        sender = self.sender_of(entry)
        is_answer = entry["type"] == "HUMAN_REPLY_EVENT"
        proof = at(entry["body"], "sender_identity", "proof") if is_answer else entry["body"].get("proof")
        need(proof in (at(terms, "policy", "proofs") or []), "right_missing")
        approvers = at(terms, "policy", "approvers")
        need(approvers is None or sender in approvers, "right_missing")
        need("quorum" not in terms or sender in places, "right_missing")
        if at(terms, "policy", "four_eyes") is True:
            owner = at(terms, "policy", "owner")
            need(owner is not None and owner != sender, "right_missing")

    def check_outcome(self):
        code = "outcome_differs"
        resolved = self.of("REQUEST_RESOLVED")
        need(len(resolved) == 1, code)
        self.resolved = resolved[0]
        body = self.resolved["body"]
        causes = body.get("causes")
        need(isinstance(causes, list) and causes != [], code)
        cause = next((one for one in self.entries if one["seq"] == self.resolved["seq"] - 1), None)
        need(cause is not None and cause["type"] in OUTCOMES and causes[-1] == cause["seq"], code)
        need(cause["at"] == self.resolved["at"] and body.get("outcome") in OUTCOMES[cause["type"]], code)
        if cause["type"] == "HUMAN_REPLY_EVENT":
            replies = self.of("HUMAN_REPLY_EVENT")
            is_form = self.request["reply_schema"]["kind"] == "form"
            need(is_form or not any("decisions" in (one["body"]["parsed_payload"] or {}) for one in replies), code)
            sum_ = tally(self.request, self.body.get("terms") or {}, replies)
            need(sum_ is not None and is_same(list(sum_), [causes, body.get("answer")]), code)
            return
        need(len(causes) == 1 and "answer" not in body, code)
        if cause["type"] == "REQUEST_WITHDRAWN":
            need(cause["at"] < self.body["deadline_at"], code)
        else:
            self.check_timeout(cause, body)

    def check_timeout(self, cause, resolved):
        code = "outcome_differs"
        body, default = cause["body"], self.request.get("default_action")
        need(body.get("request_hash") == self.body["request_hash"], code)
        need(body.get("default_action") == default and resolved.get("default_action") == default, code)
        need(body.get("deadline_at") == self.body["deadline_at"] <= cause["at"] == body.get("fired_at"), code)
        states = [at(one, "state") for one in body.get("deliveries") or []]
        stood = any(state in ("sent", "uncertain", "closed") for state in states)
        need(resolved["outcome"] == ("defaulted" if stood else "undelivered"), code)

    def is_given(self):
        """Whether an approval was given."""
        body = self.resolved["body"]
        if self.request["type"] != "REQUEST_APPROVAL" or body["outcome"] != "answered":
            return False
        return is_given(body["answer"])

    def check_decision(self):
        code = "decision_differs"
        for entry in self.of("DIRECTOR_DECIDED", "AHDB_DELTA"):
            subject = self.resolved if entry["seq"] > self.resolved["seq"] else self.opening
            need(entry["body"].get("because") == subject["seq"], code)
        is_approval = self.request["type"] == "REQUEST_APPROVAL"
        for entry in self.of("DIRECTOR_DECIDED"):
            goes_on = entry["body"].get("decision") == "CONTINUE"
            need(not (goes_on and is_approval) or self.is_given(), code)
        issued = self.of("POLICY_TOKEN_ISSUED")
        need(len(issued) <= 1, code)
        gone = self.of("POLICY_TOKEN_SPENT", "POLICY_TOKEN_REVOKED")
        need(len(gone) <= len(issued), code)
        for entry in issued:
            self.check_issued(entry, gone)

    def check_issued(self, entry, gone):
        code = "decision_differs"
        body = entry["body"]
        decided = [
            one["body"].get("decision")
            for one in self.of("DIRECTOR_DECIDED")
            if self.resolved["seq"] < one["seq"] < entry["seq"]
        ]
        need(self.is_given() and any(one in ("CONTINUE", "CHANGE_MOOD") for one in decided), code)
        last = self.resolved["body"]["causes"][-1]
        announced = next(one for one in self.entries if one["seq"] == last - 1)
        bound = {
            "action": self.request.get("action"),
            "parameters_hash": hash_of("lane/parameters/v1\n", self.request.get("parameters")),
            "request_hash": self.body["request_hash"],
            "reply_event_hash": announced["body"].get("event_hash"),
            "issued_at": entry["at"],
        }
        need(all(body.get(name) == value for name, value in bound.items()), code)
        if "valid_seconds" in body:
            valid = body["valid_seconds"]
            need(is_integer(valid, 1, 2**53 - 1), code)
            need(is_later(self.resolved["at"], valid, body.get("expires_at")), code)
        for one in gone:
            need(one["seq"] > entry["seq"] and one["body"].get("jti") == body.get("jti"), code)
            if one["type"] == "POLICY_TOKEN_SPENT":
                need(one["at"] < body["expires_at"] and one["body"].get("by") == self.body.get("opened_by"), code)


def is_text(value):
    return isinstance(value, str)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) != float("inf")


def is_line(value):
    """In a line of a form, where a line feed would begin another."""
    return is_text(value) and "\n" not in value


def is_chosen(value):
    return is_line(value) and "," not in value


def are_chosen(value):
    return isinstance(value, list) and all(map(is_chosen, value))


DECIDED = {
    "approval": ("approved", lambda value: isinstance(value, bool)),
    "choice": ("selected", is_chosen),
    "multi_choice": ("selected", are_chosen),
    "text": ("value", is_line),
    "number": ("value", is_number),
    "date": ("value", is_line),
}
CARRIED = {
    "multi_choice": ("selected", are_chosen),
    "text": ("text", is_text),
    "number": ("number", is_number),
    "date": ("date", is_text),
}


def is_decision(decision, asked):
    """Whether it answers that decision of the form, and says nothing else."""
    if not isinstance(decision, dict) or not is_chosen(decision.get("decision_id")):
        return False
    kind = next((one["type"] for one in asked if one["id"] == decision["decision_id"]), None)
    if kind not in DECIDED:
        return False
    name, is_value = DECIDED[kind]
    rest = set(decision) - {"comment_hash"}
    return (
        rest == {"decision_id", name}
        and is_value(decision[name])
        and is_text(decision.get("comment_hash", ""))
    )


def is_answer(schema, choice, payload):
    """Whether it is an answer as a schema of this kind has them, and says one thing alone."""
    kind = schema["kind"]
    if kind in ("yes_no", "choice"):
        explained = payload is not None and set(payload) == {"reason_hash"} and is_text(payload["reason_hash"])
        return is_text(choice) and (payload is None or explained)
    if choice is not None or payload is None:
        return False
    if kind == "form":
        decisions = payload.get("decisions")
        if set(payload) != {"decisions"} or not isinstance(decisions, list):
            return False
        are_decisions = all(is_decision(one, schema["decisions"]) for one in decisions)
        return are_decisions and len({one["decision_id"] for one in decisions}) == len(decisions)
    if kind not in CARRIED:
        return False
    name, is_value = CARRIED[kind]
    unit = {"unit": schema["unit"]} if kind == "number" and "unit" in schema else {}
    return (
        set(payload) == {name, *unit}
        and is_value(payload[name])
        and all(is_text(payload[one]) and payload[one] == unit[one] for one in unit)
    )


def spelt(entry, schema):
    """The reply in its one spelling; None where it has none."""
    body = entry["body"]
    if entry["type"] == "REQUEST_DELEGATED":
        return "DELEGATE " + body["to"] if DELEGATE.fullmatch(body["to"]) else None
    choice, payload = body["parsed_choice"], body["parsed_payload"]
    return written(choice, payload) if is_answer(schema, choice, payload) else None


def check_confirmations(proof, decision):
    code = "evidence_differs"
    unused = list(proof.get("evidence", []))
    registered = [item["registered"]["entry"] for item in unused]
    need(are_kinds(code, [*decision.entries, *registered]), code)
    by_seq = {entry["seq"]: entry for entry in decision.entries}
    nonces = {item["evidence"]["nonce"] for item in unused}
    need(len(nonces) == len(unused), code)
    for entry in filter(decision.is_said, decision.entries):
        told = by_seq.get(entry["seq"] - 2)
        if told is not None and (
            told["type"] != "REPLY_EVIDENCE" or told["body"]["reply_id"] != entry["body"].get("reply_id")
        ):
            told = None
        is_answer = entry["type"] == "HUMAN_REPLY_EVENT"
        way = at(entry["body"], "sender_identity", "proof") if is_answer else entry["body"].get("proof")
        by = BY.get(way) if is_text(way) else None
        need((by is None) == (told is None), code)
        if told is not None:
            check_confirmation(decision, entry, told, unused.pop(0), by)
    need(unused == [], code)


def check_confirmation(decision, entry, told, item, by):
    code = "evidence_differs"
    evidence, registered = item["evidence"], item["registered"]["entry"]
    need(told["body"]["evidence_hash"] == evidence_hash(evidence), code)
    owner = {"user_id": decision.sender_of(entry), "credential_hash": credential_hash(evidence), "by": by}
    need(all(registered["body"][name] == value for name, value in owner.items()), code)
    need(registered["seq"] < told["seq"], code)
    token = token_of(entry)
    copies = [one["body"] for one in decision.of("DELIVERY_STARTED") if one["body"].get("token_hash") == token]
    confirmed = {
        "nonce": evidence["nonce"],
        "request_id": decision.proof["request_id"],
        "request_hash": decision.body["request_hash"],
        "delivery_id": entry["body"].get("delivery_id"),
        "display_hash": copies[0].get("display_hash") if copies else None,
        "reply": spelt(entry, decision.body["request"]["reply_schema"]),
    }
    need(all(map(is_text, confirmed.values())), code)
    need(flaw_of(evidence, challenge_of(confirmed)) is None, code)


def members_named(value, names):
    """Every value under one of these names, however deep."""
    if isinstance(value, list):
        for item in value:
            yield from members_named(item, names)
    elif isinstance(value, dict):
        for name, member in value.items():
            if name in names:
                yield member
            yield from members_named(member, names)


def check_words(proof):
    contents = proof.get("contents")
    if contents is None:
        return
    code = "words_altered"
    bodies = [item["entry"]["body"] for item in proof["entries"]]
    hashes = set(filter(is_hash, members_named(bodies, ("raw_text_hash", "reason_hash", "comment_hash"))))
    for word in contents["words"]:
        salt = decoded(word["salt"])
        need(salt is not None and len(salt) == 32, code)
        digest = hashlib.sha256(salt + word["text"].encode()).hexdigest()
        need(word["hash"] == "sha256:" + digest and word["hash"] in hashes, code)
    named = set(handles_in(bodies[0].get("request")))
    for handle, text in contents["handles"].items():
        need(handle == "sha256:" + hashlib.sha256(text.encode()).hexdigest() and handle in named, code)
    for display in proof["displays"]:
        rows = display.get("contents")
        for row in rows if isinstance(rows, list) else []:
            text = contents["handles"].get(str(at(row, "handle")))
            need(text is None or is_true_of(row, text), code)


def is_true_of(row, text):
    """Whether a row of a document tells of this text what is true of it."""
    shown = row.get("shown")
    if not list_of(list_of(count(0, len(text)), 2, 2))(shown) or any(first > last for first, last in shown):
        return False
    passages = [text[first:last] for first, last in shown]
    return (
        is_integer(row.get("chars"), len(text), len(text))
        and row.get("whole") is (shown == [[0, len(text)]])
        and row.get("shown_hash") == hash_of("lane/shown/v1\n", passages)
    )


def handles_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value if isinstance(value, list) else value.values():
            yield from handles_in(item)
