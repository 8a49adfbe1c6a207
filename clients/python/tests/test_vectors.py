"""The vectors that this client and the one in TypeScript share (test/vectors/client/), so that they cannot drift apart.
test/client/vectors.test.ts reads the same files."""
import dataclasses
import json
import pathlib
import unittest

from interrupt_lane import CallbackRefused, NotApproved, assert_approved, hash_parameters, verify_callback
from interrupt_lane.call import HttpProblem
from interrupt_lane.draft import Common, approval_of, question_of, review_of
from interrupt_lane.outcome import not_opened, outcome_of, read_case
from interrupt_lane.pace import FIRST_PAUSE, is_passing, pause_after

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "test" / "vectors" / "client"
COMMON = {field.name for field in dataclasses.fields(Common)}
WAYS = {"ask": question_of, "review": review_of, "approve": approval_of}


def read(name):
    return json.loads((FOLDER / (name + ".json")).read_text("utf-8"))


def plain(value):
    """As JSON has it, and without the case, which stands beside."""
    told = dataclasses.asdict(value)
    told.pop("case", None)
    return json.loads(json.dumps(told))


class Vectors(unittest.TestCase):
    maxDiff = None

    def test_a_draft_becomes_this_submission(self):
        for vector in read("drafts"):
            with self.subTest(vector["name"]):
                draft = vector["draft"]
                common = Common(**{name: value for name, value in draft.items() if name in COMMON})
                own = {name: value for name, value in draft.items() if name not in COMMON}
                drafted = WAYS[vector["way"]](common, run_id=vector["run_id"], **own)
                self.assertEqual((drafted.id, drafted.submission), (draft["id"], vector["submission"]))

    def test_the_outcome_of_a_case(self):
        for vector in read("outcomes"):
            with self.subTest(vector["name"]):
                self.assertEqual(plain(outcome_of(vector["schema"], vector["case"])), vector["outcome"])

    def test_what_passes_for_a_case(self):
        for vector in read("cases"):
            with self.subTest(vector["name"]):
                self.assertEqual(read_case(vector["body"]) is not None, vector["is_case"])

    def test_trouble(self):
        for vector in read("troubles"):
            with self.subTest(vector["name"]):
                problem = HttpProblem(vector["status"], vector["body"].encode(), vector["retry_after_seconds"])
                self.assertEqual(plain(not_opened("c1", problem)), vector["outcome"])
                self.assertEqual(is_passing(problem), vector["passing"])
                self.assertEqual(pause_after(problem, FIRST_PAUSE), vector["pause_seconds"])

    def test_a_policy_token(self):
        policy = read("policy")
        for vector in policy["vectors"]:
            with self.subTest(vector["name"]):
                said = (vector["token"], vector["action"], vector["parameters"], policy["jwks"], vector["now"])
                if vector["result"] == "approved":
                    self.assertEqual(assert_approved(*said), policy["claims"])
                    continue
                with self.assertRaises(NotApproved) as refused:
                    assert_approved(*said)
                self.assertEqual(refused.exception.code, vector["result"])

    def test_the_hash_of_parameters(self):
        for vector in read("parameters"):
            with self.subTest(vector["name"]):
                self.assertEqual(hash_parameters(vector["parameters"]), vector["hash"])

    def test_a_callback(self):
        for vector in read("callbacks"):
            with self.subTest(vector["name"]):
                said = (vector["body"].encode(), vector["headers"], vector["secret"], vector["now"])
                if vector["result"] == "taken":
                    taken, message = verify_callback(*said), json.loads(vector["body"])
                    self.assertEqual((taken.id, taken.at), ("msg_" + "1f" * 16, message["timestamp"]))
                    self.assertEqual(taken.case, message["data"])
                    continue
                with self.assertRaises(CallbackRefused) as refused:
                    verify_callback(*said)
                self.assertEqual(refused.exception.code, vector["result"])

    def test_a_secret_that_is_none_is_a_mistake_of_the_program(self):
        for secret in ("", "whsec_c2hvcnQ=", "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHg="):
            with self.subTest(secret), self.assertRaises(ValueError):
                verify_callback(b"{}", {}, secret)


if __name__ == "__main__":
    unittest.main()
