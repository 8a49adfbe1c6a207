"""docs/spec/invariants.md, steps 5 and 6: the stories, entry by entry.

Each check returns the first invariant that is broken, or None.
"""
from answer import is_in_schema
from display import flaw_of_display, flaw_of_erasure
from entry import is_later
from jcs import hash_of, is_same
from people import People, check_escalation, check_hand, check_reminder, flaw_of_hold
from shapes import CHECKS_OF
from passkey import flaw_of_confirmation, is_evidence_of
from log import Log
from tally import is_given, tally

OUTCOMES = {
    "HUMAN_REPLY_EVENT": ("answered",),
    "TIMEOUT_RECEIPT": ("defaulted", "undelivered"),
    "REQUEST_WITHDRAWN": ("withdrawn",),
}


class Attempt:
    def __init__(self, token_hash):
        self.token_hash = token_hash
        self.concluded = False
        self.void = False


class Delivery:
    def __init__(self, recipient, channel):
        self.recipient = recipient
        self.channel = channel
        self.attempts = []
        self.stands = False
        self.bounced = False
        self.reminders = []

    def has_token(self, token_hash):
        return any(attempt.token_hash == token_hash for attempt in self.attempts) or any(
            token == token_hash for _, token in self.reminders if token is not None
        )


class Story:
    def __init__(self, entry):
        body = entry["body"]
        self.opening = body
        self.request = body["request"]
        self.terms = body.get("terms", {})
        self.run_id = entry["run_id"]
        self.open = True
        self.opened_at = entry["at"]
        self.people = People(body["recipients"])
        self.steps = set()
        self.deliveries = {}
        self.replies = []
        self.announced = None
        self.subject = entry["seq"]
        self.resolution = None
        self.decision = None
        self.token = None
        self.gone = False
        self.called = None

    def is_yes(self):
        resolved = self.resolution
        if resolved is None or resolved["body"]["outcome"] != "answered" or "answer" not in resolved["body"]:
            return False
        return is_given(resolved["body"]["answer"])

    def tally(self):
        """(causes, answer), or None while it is open."""
        return tally(self.request, self.terms, self.replies)


class Stories:
    """What the reading keeps of all requests."""

    def __init__(self):
        self.stories = {}
        self.tokens = set()
        self.messages = set()
        self.jtis = set()
        self.directed = set()
        self.sealed = False
        self.log = Log()
        self.passkeys = set()
        self.credentials = set()
        self.confirmed = False

    def flaw_of_neighbour(self, neighbour, rules, entry):
        if neighbour is None:
            return None
        kind = neighbour["type"]
        same = entry.get("request_id") == neighbour.get("request_id")
        if kind == "INBOUND_REPLY_RECEIVED":
            handed = entry["type"] == "REQUEST_DELEGATED" and entry["body"]["by"] == "person"
            return None if entry["type"] == "HUMAN_REPLY_EVENT" or handed else "I24"
        if kind == "REPLY_EVIDENCE":
            return None if is_evidence_of(neighbour, entry) else "I35"
        if kind == "REQUEST_RESOLVED":
            if rules in (None, "1") or neighbour.get("run_id") in self.directed:
                return None
            return None if entry["type"] == "DIRECTOR_DECIDED" and same else "I29"
        if kind not in OUTCOMES:
            return None
        if kind == "HUMAN_REPLY_EVENT":
            story = self.stories.get(neighbour["request_id"])
            if story is not None and story.open and story.tally() is None:
                return None
        return None if entry["type"] == "REQUEST_RESOLVED" and same else "I8"

    def check(self, entry, neighbour, rules):
        kind, request_id = entry["type"], entry.get("request_id")
        if kind == "LEDGER_SEALED":
            return self.check_sealing(entry, neighbour)
        if kind == "CHECKPOINT_SIGNED":
            return self.log.check(entry)
        if kind == "KEY_ROTATED":
            self.log.learn(entry["body"])
        if kind == "PASSKEY_REGISTERED":
            return self.learn_passkey(entry["body"])
        if kind == "PASSKEY_REVOKED":
            return self.forget_passkey(entry["body"])
        if request_id is None:
            return None
        story = self.stories.get(request_id)
        if kind == "REQUEST_OPENED":
            return self.open(entry, story)
        if story is None:
            return "I7"
        check = CHECKED.get(kind)
        broken = None if check is None else check(self, story, entry, neighbour, rules)
        return broken or (None if entry.get("run_id") == story.run_id else "I4")

    def check_sealing(self, entry, neighbour):
        again, self.sealed = self.sealed, True
        if again or neighbour is None or neighbour["type"] != "LANE_STARTED":
            return "I30"
        body = entry["body"]
        fits = body["size"] == entry["seq"] - 1 and body["hash"] == neighbour["prev"]
        return None if fits else "I30"

    def learn_passkey(self, body):
        again = body["credential_hash"] in self.credentials
        self.credentials.add(body["credential_hash"])
        self.passkeys.add((body["user_id"], body["by"], body["credential_hash"]))
        return "I35" if again else None

    def forget_passkey(self, body):
        named = {(body["user_id"], by, body["credential_hash"]) for by in ("person", "operator")}
        gone = self.passkeys & named
        self.passkeys -= gone
        return None if gone else "I35"

    def open(self, entry, story):
        if story is not None:
            return "I9"
        story = self.stories[entry["request_id"]] = Story(entry)
        body = entry["body"]
        if body["request_hash"] != hash_of("lane/request/v1\n", story.request):
            return "I17"
        if not is_later(entry["at"], story.request["deadline_seconds"], body["deadline_at"]):
            return "I10"
        return flaw_of_quorum(story)


def flaw_of_quorum(story):
    terms = story.terms
    if ("quorum" in terms) != ("electorate" in terms):
        return "I31"
    if "quorum" not in terms:
        return None
    asked = [one["user_id"] for one in story.opening["recipients"]]
    electorate = terms["electorate"]
    fits = (
        story.request["type"] == "REQUEST_APPROVAL"
        and story.request["reply_schema"]["kind"] == "yes_no"
        and all(one in electorate for one in asked)
        and len(set(electorate)) == len(electorate)
        and terms["quorum"]["need"] <= len(asked)
    )
    return None if fits else "I31"


def check_claim(_, story, entry, __, rules):
    if not story.open:
        return "I25"
    body = entry["body"]
    delivery = story.deliveries.get(body["delivery_id"]) or Delivery(body["recipient"], body["channel"])
    broken = flaw_of_claim(story, delivery, body, rules)
    delivery.attempts.append(Attempt(body["token_hash"]))
    delivery.stands = False
    story.deliveries[body["delivery_id"]] = delivery
    return broken


def flaw_of_claim(story, delivery, body, rules):
    asked = story.people.find(body["recipient"])
    openable = body["channel"] == "web" and rules != "1"
    if asked is None or not (asked.takes(body["channel"]) or openable):
        return "I16"
    if not is_for(delivery, body) or body["attempt"] != len(delivery.attempts) + 1:
        return "I25"
    issued = any(one.has_token(body["token_hash"]) for one in story.deliveries.values())
    return "I14" if issued else flaw_of_display(story, body)


def check_hold(_, story, entry, *__):
    if not story.open:
        return "I32"
    body = entry["body"]
    delivery = story.deliveries.setdefault(
        body["delivery_id"], Delivery(body["recipient"], body["channel"])
    )
    return flaw_of_hold(story, body) if is_for(delivery, body) else "I25"


def is_for(delivery, body):
    return (delivery.recipient, delivery.channel) == (body["recipient"], body["channel"])


def check_conclusion(_, story, entry, *__):
    body = entry["body"]
    delivery = story.deliveries.get(body["delivery_id"])
    if delivery is None or not is_for(delivery, body) or body["attempt"] > len(delivery.attempts):
        return "I25"
    attempt = delivery.attempts[body["attempt"] - 1]
    if attempt.concluded:
        return "I25"
    attempt.concluded = True
    if entry["type"] == "DELIVERY_FAILED":
        return None
    if not attempt.void:
        delivery.stands = not delivery.bounced
    if body["token_hash"] != attempt.token_hash or body["request_hash"] != story.opening["request_hash"]:
        return "I17"
    return None


def check_told(_, story, entry, *__):
    body = entry["body"]
    delivery = story.deliveries.get(body["delivery_id"])
    if delivery is None:
        return "I25"
    if entry["type"] == "DELIVERY_CLOSED":
        delivery.stands = True
    if entry["type"] == "DELIVERY_STATUS" and not body["stands"]:
        delivery.stands = False
        if body["status"] == "key_revoked":
            for attempt in delivery.attempts:
                attempt.void = True
        else:
            delivery.bounced = True
    return None


def are_checks(told, reason, rules):
    checks = CHECKS_OF[rules]
    upto = checks if reason is None else checks[: checks.index(reason) + 1]
    return told == [{"check": check, "ok": check != reason} for check in upto]


def check_rejection(_, story, entry, __, rules):
    body = entry["body"]
    if not are_checks(body["token_validation"], body["reason"], rules):
        return "I24"
    return None if body["delivery_id"] in story.deliveries else "I14"


def check_received(stories, story, entry, neighbour, rules):
    story.announced = entry["body"]["event_hash"]
    stories.confirmed = is_evidence_of(neighbour, entry)
    if not story.open:
        return "I7"
    return None if are_checks(entry["body"]["token_validation"], None, rules) else "I24"


def check_reply(stories, story, entry, neighbour, _):
    if not story.open:
        return "I7"
    story.replies.append(entry)
    return (
        flaw_of_receipt(entry, neighbour)
        or flaw_of_answer(story, entry)
        or flaw_of_sender(story, entry["body"])
        or flaw_of_vote(story, entry["body"])
        or flaw_of_use(stories, entry["body"])
        or flaw_of_confirmation(stories, **entry["body"]["sender_identity"])
    )


def flaw_of_receipt(entry, neighbour):
    body = entry["body"]
    if body["request_id"] != entry["request_id"]:
        return "I4"
    if neighbour is None or neighbour["type"] != "INBOUND_REPLY_RECEIVED":
        return "I24"
    if neighbour["request_id"] != entry["request_id"]:
        return "I24"
    if any(neighbour["body"][name] != body[name] for name in ("reply_id", "delivery_id", "channel")):
        return "I24"
    return None if neighbour["body"]["event_hash"] == hash_of("", body) else "I24"


def flaw_of_answer(story, entry):
    if entry["at"] >= story.opening["deadline_at"]:
        return "I10"
    before = {id for one in story.replies[:-1] for id in decided_by(one["body"])}
    if any(id in before for id in decided_by(entry["body"])):
        return "I13"
    return None if is_in_schema(story.request["reply_schema"], entry["body"]) else "I13"


def decided_by(body):
    """The ids of the decisions that a reply answers."""
    return [one["decision_id"] for one in (body["parsed_payload"] or {}).get("decisions", [])]


def flaw_of_sender(story, body):
    user_id = body["sender_identity"]["user_id"]
    if story.people.find(user_id) is None:
        return "I16"
    if not story.people.holds(user_id):
        return "I33"
    delivery = story.deliveries.get(body["delivery_id"])
    token = body["receipts"]["token_hash"]
    if delivery is None or not delivery.has_token(token):
        return "I14"
    return None if delivery.recipient == user_id else "I14"


def flaw_of_vote(story, body):
    if "quorum" not in story.terms:
        return None
    user_id = body["sender_identity"]["user_id"]
    votes = [one for one in story.replies if one["body"]["sender_identity"]["user_id"] == user_id]
    has_place = any(one in story.terms["electorate"] for one in story.people.places(user_id))
    return None if has_place and len(votes) == 1 else "I31"


def flaw_of_use(stories, body):
    token = body["receipts"]["token_hash"]
    is_form = "decisions" in (body["parsed_payload"] or {})
    for use in [(token, id) for id in decided_by(body)] if is_form else [(token, None)]:
        if use in stories.tokens:
            return "I15"
        stories.tokens.add(use)
    if "provider_message_id" in body:
        message = (body["channel"], body["provider_message_id"])
        if message in stories.messages:
            return "I15"
        stories.messages.add(message)
    return None


def check_timeout(_, story, entry, *__):
    body, opening = entry["body"], story.opening
    if not story.open:
        return "I7"
    if body["deadline_at"] != opening["deadline_at"] or entry["at"] < opening["deadline_at"]:
        return "I10"
    if body["fired_at"] != entry["at"]:
        return "I10"
    if body["request_hash"] != opening["request_hash"]:
        return "I17"
    return None if body["default_action"] == story.request["default_action"] else "I12"


def check_withdrawal(_, story, entry, *__):
    if not story.open:
        return "I7"
    return None if entry["at"] < story.opening["deadline_at"] else "I10"


def check_resolution(_, story, entry, neighbour, __):
    was_open = story.open
    story.open = False
    story.subject, story.resolution = entry["seq"], entry
    if not was_open:
        return "I7"
    stood = any(delivery.stands for delivery in story.deliveries.values())
    for delivery in story.deliveries.values():
        if all(attempt.concluded for attempt in delivery.attempts):
            delivery.attempts = []
    return flaw_of_cause(story, entry, neighbour) or flaw_of_default(story, entry["body"], stood)


def flaw_of_cause(story, entry, cause):
    body = entry["body"]
    if cause is None or cause["type"] not in OUTCOMES or cause["request_id"] != entry["request_id"]:
        return "I8"
    if body["causes"][-1] != entry["seq"] - 1 or body["outcome"] not in OUTCOMES[cause["type"]]:
        return "I8"
    if entry["at"] != cause["at"] or ("default_action" in body) != (cause["type"] == "TIMEOUT_RECEIPT"):
        return "I8"
    if cause["type"] != "HUMAN_REPLY_EVENT":
        return None if "answer" not in body and len(body["causes"]) == 1 else "I8"
    tally = story.tally()
    if tally is None or "answer" not in body:
        return "I8"
    return None if is_same(list(tally), [body["causes"], body["answer"]]) else "I8"


def flaw_of_default(story, body, stood):
    if "default_action" not in body:
        return None
    if body["default_action"] != story.request["default_action"]:
        return "I12"
    return None if body["outcome"] == ("defaulted" if stood else "undelivered") else "I12"


def check_decision(stories, story, entry, *_):
    body = entry["body"]
    if body["by"] != "lane":
        stories.directed.add(story.run_id)
    if body["because"] != story.subject or (story.resolution is None and body["by"] == "lane"):
        return "I19"
    if story.decision is not None:
        return "I19"
    if story.resolution is not None:
        story.decision = body["decision"]
    stops = body["decision"] == "CONTINUE" and story.request["type"] == "REQUEST_APPROVAL"
    return "I19" if stops and not story.is_yes() else None


def check_delta(_, story, entry, *__):
    body = entry["body"]
    if body["because"] != story.subject:
        return "I19"
    if body["by"] != "lane":
        return None
    resolved = story.resolution
    answered = resolved is not None and resolved["body"]["outcome"] == "answered"
    return None if answered and story.request["type"] == "REQUEST_QUESTION" else "I19"


def check_issue(stories, story, entry, _, rules):
    body, request = entry["body"], story.request
    before = story.token
    story.token = before or body
    if request["type"] != "REQUEST_APPROVAL" or not story.is_yes():
        return "I19"
    if story.decision not in ("CONTINUE", "CHANGE_MOOD"):
        return "I19"
    if before is not None or body["jti"] in stories.jtis:
        return "I19"
    stories.jtis.add(body["jti"])
    if body["issued_at"] != entry["at"] or body["expires_at"] <= entry["at"]:
        return "I19"
    if rules != "1" and not is_later(story.resolution["at"], body["valid_seconds"], body["expires_at"]):
        return "I19"
    bound = {
        "action": request["action"],
        "parameters_hash": hash_of("lane/parameters/v1\n", request["parameters"]),
        "request_hash": story.opening["request_hash"],
        "reply_event_hash": story.announced,
    }
    return None if all(body[name] == value for name, value in bound.items()) else "I19"


def check_spend(_, story, entry, *__):
    body, token = entry["body"], story.token
    if token is None or token["jti"] != body["jti"] or story.gone:
        return "I19"
    story.gone = True
    if entry["at"] >= token["expires_at"] or body["by"] != story.opening["opened_by"]:
        return "I19"
    return None


def check_revocation(_, story, entry, *__):
    if story.token is None or story.token["jti"] != entry["body"]["jti"] or story.gone:
        return "I19"
    story.gone = True
    return None


def check_registration(_, story, entry, neighbour, __):
    story.called = (0, "")
    opened = neighbour is not None and neighbour["type"] == "REQUEST_OPENED"
    return None if opened and neighbour["request_id"] == entry["request_id"] else "I27"


def check_call(_, story, entry, *__):
    if story.called is None:
        return "I27"
    body = entry["body"]
    attempts, earliest = story.called
    story.called = (body["attempt"], body.get("next_at"))
    if story.open or earliest is None or body["attempt"] != attempts + 1 or entry["at"] < earliest:
        return "I27"
    ok, final = body["ok"], body["final"]
    fits = final != ("next_at" in body) and ok != ("code" in body) and (final or not ok)
    return None if fits else "I27"


def check_erasure(_, story, entry, *__):
    return flaw_of_erasure(story, entry["body"])


CHECKED = {
    "DELIVERY_STARTED": check_claim,
    "OUTBOUND_REQUEST_SENT": check_conclusion,
    "DELIVERY_FAILED": check_conclusion,
    "DELIVERY_HELD": check_hold,
    "REQUEST_REMINDED": check_reminder,
    "REQUEST_ESCALATED": check_escalation,
    "REQUEST_DELEGATED": check_hand,
    "DELIVERY_STATUS": check_told,
    "DELIVERY_CLOSED": check_told,
    "NOTICE_SENT": check_told,
    "INBOUND_REPLY_REJECTED": check_rejection,
    "INBOUND_REPLY_RECEIVED": check_received,
    "HUMAN_REPLY_EVENT": check_reply,
    "TIMEOUT_RECEIPT": check_timeout,
    "REQUEST_WITHDRAWN": check_withdrawal,
    "REQUEST_RESOLVED": check_resolution,
    "DIRECTOR_DECIDED": check_decision,
    "AHDB_DELTA": check_delta,
    "POLICY_TOKEN_ISSUED": check_issue,
    "POLICY_TOKEN_SPENT": check_spend,
    "POLICY_TOKEN_REVOKED": check_revocation,
    "CALLBACK_REGISTERED": check_registration,
    "CALLBACK_ATTEMPTED": check_call,
    "CONTENT_ERASED": check_erasure,
}
