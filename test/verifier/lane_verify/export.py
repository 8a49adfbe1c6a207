"""docs/spec/invariants.md: the verdict on an export, line by line."""
from entry import RULES, flaw_of_shape, is_hash, is_sound, milliseconds, rules_named_by
from jcs import SAFE, NoText, parse
from request import is_integer
from shown import holds_secret
from story import Stories
from tree import leaf_of

GENESIS = "sha256:" + "0" * 64


class Reading:
    """One reading of an export. `problems` are (invariant, seq)."""

    def __init__(self):
        self.seq, self.prev = 0, GENESIS
        self.entries = 0
        self.problems = []
        self.beyond = None
        self.rules = None
        self.neighbour = None
        self.latest = ""
        self.suspect = False
        self.stories = Stories()

    def verdict(self):
        return {
            "ok": not self.problems and self.beyond is None,
            "entries": self.entries,
            "head": self.prev,
            "problems": self.problems,
            "beyond": self.beyond,
        }

    def read(self, line):
        """One line, as bytes. False where the reading ends."""
        text, entry = decoded(line)
        due, prev = self.seq, self.prev
        seq = due
        if entry is not None and is_sound(text, entry, due, prev):
            named = rules_named_by(entry)
            if named is not None and named not in RULES:
                self.beyond = {"seq": due, "rules": named}
                return False
        else:
            self.say("I1", due)
            seq = self.strayed(text, entry)
        self.entries += 1
        self.seq = seq + 1
        self.prev = entry["hash"] if entry is not None and is_hash(entry.get("hash")) else prev
        if text is not None and holds_secret(text):
            self.say("I23", seq)
        if seq != due:
            self.neighbour = None
        self.stories.log.add(leaf_of_line(entry) if seq == due else None)
        # A line that is not sound may lack its place, or name another: it is judged as the entry it stands for.
        self.neighbour = None if entry is None else self.judge({"prev": prev, **entry}, seq)
        return True

    def strayed(self, text, entry):
        """The seq of the line: its own where it is sound in another place, else the one due."""
        if entry is None:
            return self.seq
        seq, prev = entry.get("seq"), entry.get("prev")
        if is_integer(seq, 0, SAFE - 1) and seq != self.seq and is_hash(prev) and is_sound(text, entry, seq, prev):
            return seq
        return self.seq

    def say(self, invariant, seq):
        if invariant is not None:
            self.problems.append([invariant, seq])

    def judge(self, entry, seq):
        """The entry, if it passes its shape."""
        before = self.rules
        self.say(self.check_rules(entry), seq)
        broken = flaw_of_shape(entry, self.rules or RULES[-1])
        self.say(broken, seq)
        if broken is not None:
            return None
        entry["seq"] = seq
        self.say(self.check_time(entry), seq)
        self.say(self.stories.flaw_of_neighbour(self.neighbour, before, entry), seq - 1)
        self.say(self.stories.check(entry, self.neighbour, self.rules or RULES[-1]), seq)
        return entry

    def check_rules(self, entry):
        named = rules_named_by(entry)
        if named not in RULES:
            return None
        if self.rules is not None and RULES.index(named) < RULES.index(self.rules):
            return "I28"
        self.rules = named
        return None

    def check_time(self, entry):
        at, suspect = entry["at"], self.suspect
        if entry["type"] == "CLOCK_SUSPECT":
            self.suspect = entry["body"]["state"] == "suspected"
        elif entry["type"] == "LANE_STARTED":
            self.suspect = False
        if milliseconds(at) is None or at < self.latest:
            return "I5"
        self.latest = at
        return "I5" if suspect and entry["type"] == "TIMEOUT_RECEIPT" else None


def leaf_of_line(entry):
    """Of a line that has no canonical text the leaf is nothing in particular: no root over it is right."""
    try:
        return b"" if entry is None else leaf_of(entry)
    except (NoText, RecursionError):
        return b""


def decoded(line):
    """(text, object), either None where the line is not one."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        return None, None
    try:
        value = parse(text)
    except ValueError:
        return text, None
    return text, value if isinstance(value, dict) else None


def lines_of(data):
    lines = data.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def verify(data):
    """The verdict on the bytes of an export."""
    reading = Reading()
    for line in lines_of(data):
        if not reading.read(line):
            break
    return reading.verdict()
