"""docs/spec/invariants.md: what the lane says of its own tree, against the lines (I3)."""
import base64

from tree import root_of


class Log:
    """The leaves so far, the keys of checkpoints, and the largest size that was signed."""

    def __init__(self):
        self.leaves = []
        self.keys = set()
        self.signed = 0

    def add(self, leaf):
        """None for a line that has no place: from there on no leaf has its own."""
        if leaf is None:
            self.leaves = None
        elif self.leaves is not None:
            self.leaves.append(leaf)

    def learn(self, body):
        if body["purpose"] == "checkpoint":
            self.keys.add(body["kid"])

    def check(self, entry):
        body = entry["body"]
        if body["kid"] not in self.keys or body["size"] > entry["seq"]:
            return "I3"
        if self.leaves is None:
            return None
        if body["size"] < self.signed:
            return "I3"
        self.signed = body["size"]
        root = base64.b64encode(root_of(self.leaves[: body["size"]])).decode()
        return None if root == body["root"] else "I3"
