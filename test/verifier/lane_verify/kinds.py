"""docs/spec/proof.md, "Kinds": of which kind the members are that each check of a proof reads."""
from shapes import count, either, flag, list_of, one_of, or_null, true


def text(value):
    return isinstance(value, str)


def having(needed, optional=None):
    """An object with these members, and with those of the second where it has them; others may stand there."""

    def fits(value):
        return (
            isinstance(value, dict)
            and all(name in value and is_kind(value[name]) for name, is_kind in needed.items())
            and all(name not in value or is_kind(value[name]) for name, is_kind in (optional or {}).items())
        )

    return fits


def other_than_a_form(value):
    return isinstance(value, str) and value != "form"


ID = {"reply_id": text, "delivery_id": text}
SENDER = having({"user_id": text, "proof": text})
OPTIONAL_POLICY = {"approvers": list_of(text), "owner": text, "four_eyes": true, "take_defaults": true}
POLICY = having({"proofs": list_of(text)}, OPTIONAL_POLICY)
TERMS = having(
    {"policy": POLICY},
    {"quorum": having({"need": count(), "veto": flag}), "electorate": list_of(text)},
)
DECISION = having({"id": text, "type": text, "required": flag})
SCHEMA = either(
    having({"kind": one_of("form"), "decisions": list_of(DECISION)}),
    having({"kind": other_than_a_form}),
)
PAYLOAD = having({}, {"decisions": list_of(having({"decision_id": text}, {"approved": flag}))})

KINDS = {
    "reply_unfounded": {
        "DELIVERY_STARTED": having({"delivery_id": text, "recipient": text}),
        "REQUEST_REMINDED": having({"delivery_id": text}),
        "INBOUND_REPLY_RECEIVED": having(ID),
        "HUMAN_REPLY_EVENT": having({**ID, "sender_identity": SENDER}),
    },
    "right_missing": {
        "REQUEST_OPENED": having({"recipients": list_of(having({"user_id": text}))}, {"terms": TERMS}),
        "REQUEST_ESCALATED": having({"to": list_of(text)}),
        "REQUEST_DELEGATED": having({"from": text, "to": text}),
    },
    "outcome_differs": {
        "REQUEST_OPENED": having({"request": having({"reply_schema": SCHEMA, "default_action": text})}),
        "HUMAN_REPLY_EVENT": having(
            {"parsed_choice": or_null(text), "parsed_payload": or_null(PAYLOAD), "channel": text}
        ),
        "TIMEOUT_RECEIPT": having({"default_action": text, "deliveries": list_of(having({"state": text}))}),
        "REQUEST_RESOLVED": having({"outcome": text, "causes": list_of(count())}, {"default_action": text}),
    },
    "decision_differs": {
        "REQUEST_OPENED": having({"opened_by": text}),
        "DIRECTOR_DECIDED": having({"decision": text, "because": count()}),
        "AHDB_DELTA": having({"because": count()}),
        "POLICY_TOKEN_ISSUED": having({"jti": text, "expires_at": text}, {"valid_seconds": count()}),
        "POLICY_TOKEN_SPENT": having({"jti": text, "by": text}),
        "POLICY_TOKEN_REVOKED": having({"jti": text}),
    },
    "evidence_differs": {
        "REPLY_EVIDENCE": having({"reply_id": text, "evidence_hash": text}),
        "PASSKEY_REGISTERED": having({"user_id": text, "credential_hash": text, "by": text}),
    },
}


def are_kinds(code, entries):
    """Whether what this check reads of the entries is of its kinds."""
    kinds = KINDS.get(code, {})
    return all(entry["type"] not in kinds or kinds[entry["type"]](entry["body"]) for entry in entries)
