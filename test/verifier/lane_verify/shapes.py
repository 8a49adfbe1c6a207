"""docs/spec/ledger.md: types and members, as data."""
import re

from jcs import NoText, text_of, units
from request import DEFAULT_ACTIONS, FIXED_HANDLE, ID_MEMBER, MOODS, is_integer, is_number, is_one_of

TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
ROOT = re.compile(r"[A-Za-z0-9+/]{43}=")
# White space as ECMAScript has it; the categories of Zs are listed, because Python's own list is another.
SPACES = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
VKEY = re.compile(rf"[^{SPACES}+]+\+[0-9a-f]{{8}}\+[A-Za-z0-9+/]{{44}}")
JTI = re.compile(r"[A-Za-z0-9_-]{22}")

CHANNELS = ("slack", "email", "telegram", "sms", "web")
PROOFS_1 = ("slack_signed", "telegram_id", "dmarc", "web_session", "console", "link_code", "sms_from")
PROOFS_2 = (*PROOFS_1, "passkey", "passkey_by_operator")
CHECKS = (
    "rate_limited token_malformed token_unknown_key token_bad_signature request_mismatch schema_mismatch"
    " automated_message unknown_sender sender_unauthenticated wrong_recipient proof_insufficient"
    " duplicate_message already_resolved deadline_passed token_expired token_replayed code_mismatch"
    " reply_too_long reply_bad_charset reply_not_in_schema"
).split()
CHECKS_OF = {
    "1": CHECKS,
    "2": (
        "rate_limited token_malformed token_unknown_key token_bad_signature request_mismatch schema_mismatch"
        " automated_message unknown_sender sender_unauthenticated wrong_recipient delegated_away"
        " no_longer_approver four_eyes proof_insufficient duplicate_message already_resolved deadline_passed"
        " token_expired token_replayed code_mismatch already_voted reply_too_long reply_bad_charset"
        " reply_not_in_schema decision_answered reason_missing"
    ).split(),
}
DEEDS = (
    "key_added key_revoked signing_key_revoked recipient_invited passkey_enrolled passkey_revoked sessions_ended away_set"
    " backup_taken raw_read content_erased secret_rewrapped rollback_accepted"
).split()

OF_THE_LANE = frozenset(
    "LANE_STARTED KEY_ROTATED KEY_REVOKED LEDGER_SEALED CHECKPOINT_SIGNED RECIPIENT_LINKED RECIPIENT_AWAY CODES_RESTED"
    " OPERATOR_ACTED PASSKEY_REGISTERED PASSKEY_REVOKED CLOCK_SUSPECT".split()
)
OF_EITHER = frozenset(["RAW_ERASED"])


def pattern(expression):
    return lambda value: isinstance(value, str) and expression.fullmatch(value) is not None


def text(most, least=0):
    return lambda value: isinstance(value, str) and least <= len(value) <= most


def count(least=0, most=2**53 - 1):
    return lambda value: is_integer(value, least, most)


def one_of(*words):
    return lambda value: isinstance(value, str) and value in words


def or_null(is_value):
    return lambda value: value is None or is_value(value)


def list_of(is_item, least=0, most=2**53):
    return lambda value: isinstance(value, list) and least <= len(value) <= most and all(map(is_item, value))


def record(members):
    """An object with exactly these members; a name that ends in `?` may be absent."""
    needed = {name for name in members if not name.endswith("?")}
    known = {name.rstrip("?"): is_value for name, is_value in members.items()}

    def fits(value):
        return (
            isinstance(value, dict)
            and all(name in value for name in needed)
            and all(name in known and known[name](member) for name, member in value.items())
        )

    return fits


def is_vkey(value):
    return isinstance(value, str) and len(value) <= 1024 and VKEY.fullmatch(value) is not None


def both(*checks):
    return lambda value: all(check(value) for check in checks)


def either(*checks):
    return lambda value: any(check(value) for check in checks)


def flag(value):
    return isinstance(value, bool)


def true(value):
    return value is True


def null(value):
    return value is None


hashed = pattern(FIXED_HANDLE)
time = pattern(TIME)
name = text(256, 1)
channel = one_of(*CHANNELS)


def is_finite(value):
    return is_number(value) and abs(value) != float("inf")


def delta(most):
    def fits(value):
        if not isinstance(value, list) or len(value) > 20:
            return False
        try:
            return units(text_of(value)) <= most
        except (NoText, RecursionError):
            return False

    return fits


PAYLOADS = (
    record({"selected": list_of(text(32), 0, 26)}),
    record({"text": text(1000)}),
    record({"number": is_finite, "unit?": text(64)}),
    record({"date": text(40)}),
)


EXPLAINED = record({"reason_hash": hashed})


def decisions_with(more):
    """A list of answers to decisions, each with `more` about it."""
    choice = text(32)
    values = (
        {"approved": flag},
        {"selected": either(choice, list_of(choice, 0, 26))},
        {"value": either(text(1000), is_finite)},
    )
    return either(*(record({"decision_id": text(32), **value, **more}) for value in values))


def form_of(decision):
    return record({"decisions": list_of(decision, 1, 50)})


def payload_of(*more):
    return or_null(either(*PAYLOADS, *more))


COMMENTED = {"comment_hash?": hashed}
PAYLOAD_1 = payload_of()
PAYLOAD_2 = payload_of(EXPLAINED, form_of(decisions_with(COMMENTED)))


def answered_payload(by):
    by_default = {"by": one_of("default"), "answered_by": null, "proof": null}
    decision = either(decisions_with({**COMMENTED, **by}), decisions_with(by_default))
    return payload_of(EXPLAINED, form_of(decision))


def typed_request(value):
    return isinstance(value, dict) and is_one_of(value.get("type"), ID_MEMBER)


origin = record({"system": one_of("ahil", "ail", "aahp", "aah"), "ref": name, "hash": hashed})


HELD = record({"handle": hashed, "size": count(), "chars": or_null(count())})
SHOWN = record(
    {
        "handle": hashed,
        "name": or_null(name),
        "chars": or_null(count()),
        "shown": list_of(list_of(count(), 2, 2), 0, 2),
        "shown_hash": hashed,
        "whole": flag,
    }
)


def terms(recipient, proof):
    urgency = one_of("low", "normal", "high")
    waited = {"after_seconds": count(1)}
    step = either(
        record({**waited, "do": one_of("remind", "next_channel")}),
        record({**waited, "do": one_of("add"), "recipients": list_of(recipient, 1)}),
    )
    policy = {
        "approvers?": list_of(name),
        "proofs": list_of(proof),
        "four_eyes?": true,
        "owner?": name,
        "content?": one_of("any", "required", "whole"),
        "take_defaults?": true,
    }
    return record(
        {
            "urgency": urgency,
            "urgency_asked?": urgency,
            "quorum?": record({"need": count(2, 10), "veto": flag}),
            "electorate?": list_of(name, 1),
            "ladder?": list_of(step, 1),
            "policy": record(policy),
        }
    )


def bodies(rules):
    proof = one_of(*(PROOFS_1 if rules == "1" else PROOFS_2))
    reason = one_of(*CHECKS_OF[rules])
    checks = list_of(record({"check": reason, "ok": flag}), 0, len(CHECKS_OF[rules]))
    default_action = one_of(*DEFAULT_ACTIONS)
    attempted = {"delivery_id": name, "attempt": count(1), "channel": channel, "recipient": name}
    inbound = {"reply_id": name, "delivery_id": name, "channel": channel}
    choice = {"parsed_choice": or_null(text(32))}
    parsed = {**choice, "parsed_payload": PAYLOAD_1 if rules == "1" else PAYLOAD_2}
    by = {"answered_by": name, "channel": channel, "proof": proof, "at": time}
    answer = {**parsed, **by}
    if rules != "1":
        answer["parsed_payload"] = answered_payload(by)
        answer["votes?"] = list_of(record({**by, "choice": one_of("YES", "NO"), "reason_hash?": hashed}), 1)
    run = record({"run_id": name, "mood": name, "sub_mode?": one_of("approval"), "work_item_id?": name})
    recipient = record({"user_id": name, "channels": list_of(channel, 1), "route": one_of("first", "all")})
    issued = {
        "jti": pattern(JTI),
        "action": name,
        "parameters_hash": hashed,
        "request_hash": hashed,
        "reply_event_hash": hashed,
        "issued_at": time,
        "expires_at": time,
    }
    rejected = {**inbound, "reason": reason, "token_validation": checks, "raw_text_hash": hashed}
    claimed = {**attempted, "token_hash": hashed, "display_hash": hashed, "lease_until": time}
    rotated = record({"kid": name, "purpose": name, "not_before": time})
    if rules != "1":
        rotated = both(
            record({"kid": name, "purpose": name, "not_before": time, "vkey?": is_vkey}),
            lambda body: ("vkey" in body) == (body["purpose"] == "checkpoint"),
            lambda body: "vkey" not in body or body["vkey"].split("+")[1] == body["kid"],
        )
    started = {"version": name, "grammar": name, "profile": one_of("embedded", "cluster")}
    opened = {
        "request": typed_request,
        "request_hash": hashed,
        "run": run,
        "recipients": list_of(recipient, 1),
        "envelope_hash": hashed,
        "deadline_at": time,
        "opened_by": name,
    }
    if rules != "1":
        opened |= {"asked_by": name, "origin?": origin, "terms": terms(recipient, proof)}
        opened["contents?"] = list_of(HELD, 1)
        claimed["contents?"] = list_of(SHOWN, 1)
        started["rules"] = one_of("2")
        claimed |= {"kid": name, "announces?": true}
        rejected |= {"grammar": name, "proof": proof}
        issued["valid_seconds"] = count(1)
    shapes = {
        "LANE_STARTED": record(started),
        "KEY_ROTATED": rotated,
        "REQUEST_OPENED": record(opened),
        "DELIVERY_STARTED": record(claimed),
        "OUTBOUND_REQUEST_SENT": record(
            {**attempted, "request_hash": hashed, "token_hash": hashed, "uncertain?": true}
        ),
        "DELIVERY_FAILED": record({**attempted, "code": name, "final": flag, "retry_at?": time}),
        "DELIVERY_STATUS": record({"delivery_id": name, "status": name, "stands": flag}),
        "DELIVERY_CLOSED": record({"delivery_id": name, "edited": flag}),
        "NOTICE_SENT": record({"delivery_id": name, "channel": channel, "recipient": name, "reason": reason}),
        "INBOUND_REPLY_RECEIVED": record({**inbound, "token_validation": checks, "event_hash": hashed}),
        "HUMAN_REPLY_EVENT": record(
            {
                **inbound,
                **parsed,
                "request_id": name,
                "sender_identity": record({"user_id": name, "proof": proof}),
                "provider_message_id?": name,
                "raw_text_hash": hashed,
                "grammar": name,
                "receipts": record({"token_hash": hashed, "received_at": time}),
            }
        ),
        "INBOUND_REPLY_REJECTED": record(rejected),
        "TIMEOUT_RECEIPT": record(
            {
                "request_hash": hashed,
                "default_action": default_action,
                "deadline_at": time,
                "fired_at": time,
                "deliveries": list_of(record({"delivery_id": name, "state": name})),
            }
        ),
        "REQUEST_WITHDRAWN": record({"reason": text(500), "by": name}),
        "REQUEST_RESOLVED": record(
            {
                "outcome": one_of("answered", "defaulted", "undelivered", "withdrawn"),
                "causes": list_of(count(), 1),
                "answer?": record(answer),
                "default_action?": default_action,
            }
        ),
        "DIRECTOR_DECIDED": both(
            record(
                {
                    "decision": one_of("CONTINUE", "CHANGE_MOOD", "SPLIT", "HALT"),
                    "mood?": one_of(*MOODS),
                    "work_item_id?": name,
                    "reason": name,
                    "because": count(),
                    "by": name,
                }
            ),
            lambda body: ("mood" in body) == (body["decision"] == "CHANGE_MOOD"),
            lambda body: "work_item_id" not in body or body["decision"] == "SPLIT",
        ),
        "AHDB_DELTA": both(
            record(
                {
                    "field": one_of("drive", "believe", "assert", "hypothesize"),
                    "state": one_of("proposed", "refused"),
                    "delta": delta(8192 if rules == "1" else 65_536),
                    "reason?": name,
                    "because": count(),
                    "by": name,
                }
            ),
            lambda body: body["state"] == "refused" or body["field"] in ("drive", "believe"),
        ),
        "POLICY_TOKEN_ISSUED": record(issued),
        "POLICY_TOKEN_SPENT": record({"jti": pattern(JTI), "spend_id": name, "by": name}),
        "POLICY_TOKEN_REVOKED": record({"jti": pattern(JTI), "reason": text(500), "by": name}),
        "CALLBACK_REGISTERED": record({"url_hash": hashed}),
        "CALLBACK_ATTEMPTED": record(
            {
                "attempt": count(1),
                "ok": flag,
                "status": or_null(count(0, 999)),
                "code?": name,
                "final": flag,
                "next_at?": time,
            }
        ),
        "RECIPIENT_LINKED": record({"user_id": name, "channel": channel}),
        "RAW_ERASED": record({"reply_id": name, "by": name}),
        "CLOCK_SUSPECT": record(
            {"state": one_of("suspected", "confirmed", "cleared"), "wall": time, "expected": time}
        ),
    }
    if rules != "1":
        shapes |= {
            "CODES_RESTED": record({"user_id": name, "channel": channel, "until": time}),
            "LEDGER_SEALED": record({"size": count(), "hash": hashed}),
            "KEY_REVOKED": record({"kid": name, "by": name}),
            "CHECKPOINT_SIGNED": record({"size": count(), "root": pattern(ROOT), "kid": name}),
            "REQUEST_REMINDED": record({"delivery_id": name, "step": count(), "token_hash?": hashed}),
            "REQUEST_ESCALATED": record(
                {
                    "step": count(),
                    "do": one_of("add", "next_channel"),
                    "to": list_of(name),
                    "early?": one_of("failed", "out_of_office"),
                }
            ),
            "DELIVERY_HELD": record({"delivery_id": name, "channel": channel, "recipient": name, "until": time}),
            "REQUEST_DELEGATED": either(
                record({"from": name, "to": name, "by": one_of("away", "lane")}),
                record(
                    {
                        **inbound,
                        "from": name,
                        "to": name,
                        "by": one_of("person"),
                        "proof": proof,
                        "grammar": name,
                        "raw_text_hash": hashed,
                        "token_hash": hashed,
                    }
                ),
            ),
            "CONTENT_ERASED": record({"handle": hashed, "by": name}),
            "RECIPIENT_AWAY": record({"user_id": name, "from": time, "until": time, "to?": name, "by": name}),
            "OPERATOR_ACTED": record({"deed": one_of(*DEEDS), "about": name, "by": name}),
            "PASSKEY_REGISTERED": record(
                {"user_id": name, "credential_hash": hashed, "by": one_of("person", "operator")}
            ),
            "PASSKEY_REVOKED": record(
                {"user_id": name, "credential_hash": hashed, "by": one_of("person", "operator")}
            ),
            "REPLY_EVIDENCE": record({"reply_id": name, "evidence_hash": hashed}),
        }
    return shapes


BODIES = {"1": bodies("1"), "2": bodies("2")}
