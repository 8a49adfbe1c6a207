"""docs/spec/proof.md: signed notes, verifier keys and checkpoints."""
import base64
import binascii
import hashlib
import re

import ed25519

DECIMAL = re.compile(r"0|[1-9][0-9]{0,15}")
MAX_BYTES = 64 * 1024
MAX_SIGNATURES = 64


class Refused(Exception):
    """What it says is not to be believed, and why."""


def decoded(text):
    """The bytes of base64 in its one spelling; None for any other text."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if base64.b64encode(data).decode() == text else None


class Key:
    """A verifier key: `name+id+base64`."""

    def __init__(self, line):
        name, _, rest = line.partition("+")
        id_, _, encoded = rest.partition("+")
        key = decoded(encoded)
        if not is_name(name) or key is None or len(key) != 33 or key[0] != 1:
            raise Refused("no verifier key")
        self.name, self.public = name, key[1:]
        self.id = hashlib.sha256(name.encode() + b"\n\1" + self.public).digest()[:4]
        if self.id.hex() != id_:
            raise Refused("the id is not that of name and key")


def is_name(name):
    return name != "" and "+" not in name and not any(sign.isspace() for sign in name)


def read_note(text, keys):
    """The text of a note, and the names of the keys that were given and have signed it.

    Refused where it is no note, or a signature of a key that was given does not verify.
    """
    if len(text.encode()) > MAX_BYTES or any(sign < " " and sign != "\n" for sign in text):
        raise Refused("no note")
    split = text.rfind("\n\n")
    if split < 0 or not text.endswith("\n"):
        raise Refused("no signatures")
    body, lines = text[: split + 1], text[split + 2 : -1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        raise Refused("too many signatures")
    signed = []
    for line in lines:
        found = re.fullmatch("\u2014 ([^ ]+) ([^ ]+)", line)
        data = None if found is None else decoded(found[2])
        if data is None or len(data) < 5 or not is_name(found[1]):
            raise Refused("no signature")
        for key in keys:
            if key.name == found[1] and key.id == data[:4]:
                if not ed25519.verify(key.public, body.encode(), data[4:]):
                    raise Refused("a signature that is wrong")
                signed.append(key.name)
    return body, signed


class Checkpoint:
    """Origin, size and root of a note's text. `trusted`: a key of that name was given, and has signed it."""

    def __init__(self, text, keys):
        body, signed = read_note(text, keys)
        lines = body.split("\n")
        if len(lines) != 4 or lines[3] != "":
            raise Refused("not three lines")
        self.origin, size, root = lines[:3]
        self.root = decoded(root)
        if not is_name(self.origin) or not DECIMAL.fullmatch(size) or not 1 <= int(size) < 2**53:
            raise Refused("no size")
        if self.root is None or len(self.root) != 32:
            raise Refused("no root")
        self.size = int(size)
        self.trusted = self.origin in signed
