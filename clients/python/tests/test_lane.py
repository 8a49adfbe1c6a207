"""Asking from a program, of a real lane with a real page: each outcome is a value of its own, and none is lost.
LANE_URL, LANE_API_KEY and LANE_TEST_OUTBOX name the lane (test/client/python.test.ts starts one)."""
import asyncio
import os
import socket
import threading
import unittest
from unittest import mock

from interrupt_lane import Left, NotApproved, Pace, aio, connect

from .person import answer

COMMON = {"impact": "Decides what is done next", "deadline_seconds": 600, "default": "HALT", "to": ["operator"]}
APPROVAL = {"deadline_seconds": 600, "default": "DENY", "to": ["operator"]}
YES_NO = {"kind": "yes_no"}
REGIONS = {"kind": "choice", "options": [{"value": "eu", "label": "Europe"}, {"value": "us", "label": "America"}]}


def closed_url():
    """An address at which nothing listens: it was free a moment ago."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return "http://127.0.0.1:%d" % taken.getsockname()[1]


class Asking(unittest.TestCase):
    def setUp(self):
        self.lane = connect()

    def test_each_schema_is_answered_in_its_own_type(self):
        several = {"kind": "multi_choice", "options": REGIONS["options"], "min": 1, "max": 2}
        for schema, said, meant in [
            (YES_NO, "n", "NO"),
            (REGIONS, "B", "us"),
            (several, "us, eu", ["eu", "us"]),
            ({"kind": "text", "max_chars": 40}, "after the audit", "after the audit"),
            ({"kind": "number", "min": 1, "max": 100, "unit": "chips"}, "50 chips", 50),
            ({"kind": "date"}, "2026-02-17", "2026-02-17"),
        ]:
            with self.subTest(schema["kind"]):
                asked = self.lane.ask(question="What now?", reply=schema, **COMMON)
                self.assertEqual(answer(asked.id, said), 200)
                outcome = asked.wait()
                self.assertEqual((outcome.kind, outcome.answer), ("answered", meant))
                self.assertEqual((outcome.by, outcome.channel, outcome.proof), ("operator", "web", "console"))

    def test_a_review_of_a_text(self):
        asked = self.lane.review(lens="security", reply=YES_NO, values=["diff --git a b"], **_without_impact())
        self.assertEqual(answer(asked.id, "yes"), 200)
        self.assertEqual(asked.wait().answer, "YES")

    def test_yes_to_an_approval_gives_a_right_that_holds_for_exactly_this_and_is_spent_once(self):
        parameters = {"artifact": self.lane.put_content("the page of Python")}
        asked = self.lane.approve("PUBLISH", parameters=parameters, why="It is due", **APPROVAL)
        self.assertEqual(answer(asked.id, "yes"), 200)
        token = asked.wait().policy_token
        self.assertEqual(self.lane.assert_approved(token, "PUBLISH", parameters)["req"], asked.id)
        with self.assertRaises(NotApproved) as refused:
            self.lane.assert_approved(token, "EXPORT", parameters)
        self.assertEqual(refused.exception.code, "action_mismatch")
        other = {"artifact": self.lane.put_content("another page of Python")}
        self.assertEqual(self.lane.spend(token, "PUBLISH", other, "first").code, "policy_mismatch")
        spent = self.lane.spend(token, "PUBLISH", parameters, "first")
        self.assertEqual(spent.kind, "spent")
        self.assertEqual(self.lane.spend(token, "PUBLISH", parameters, "first"), spent)
        self.assertEqual(self.lane.spend(token, "PUBLISH", parameters, "second").code, "already_spent")

    def test_no_to_an_approval_gives_none(self):
        asked = self.lane.approve("PUBLISH", values={"amount": "50 EUR"}, **APPROVAL)
        self.assertEqual(answer(asked.id, "no"), 200)
        outcome = asked.wait()
        self.assertEqual((outcome.answer, outcome.policy_token), ("NO", None))

    def test_silence_is_a_default_and_no_answer(self):
        named = {**COMMON, "deadline_seconds": 1}
        outcome = self.lane.ask(question="Is anybody there?", reply=YES_NO, **named).wait()
        self.assertEqual((outcome.kind, outcome.default_action), ("defaulted", "HALT"))

    def test_taken_back_and_taken_back_too_late(self):
        open_ = self.lane.ask(question="Still needed?", reply=YES_NO, **COMMON)
        self.assertEqual(open_.withdraw("no longer needed").kind, "withdrawn")
        self.assertEqual(open_.wait().kind, "withdrawn")
        answered = self.lane.ask(question="Fast enough?", reply=YES_NO, **COMMON)
        self.assertEqual(answer(answered.id, "yes"), 200)
        self.assertEqual(answered.withdraw("too slow").answer, "YES")

    def test_what_the_lane_does_not_admit_is_refused_with_its_fields(self):
        outcome = self.lane.ask(question="Ship? Or wait?", reply=YES_NO, **COMMON).wait()
        self.assertEqual((outcome.kind, outcome.code), ("refused", "invalid_request"))
        self.assertEqual(outcome.errors[0].field, "/request/question_text")

    def test_the_same_id_again_is_the_same_request_and_resumed_it_has_the_same_answer(self):
        draft = {"id": "py-once", "question": "Which region?", "reply": REGIONS, **COMMON}
        self.assertEqual(self.lane.ask(**draft).opened().kind, "opened")
        self.assertEqual(self.lane.ask(**draft).opened().kind, "opened")
        other = {**draft, "question": "Another?"}
        self.assertEqual(self.lane.ask(**other).wait().code, "id_conflict")
        self.assertEqual(answer("py-once", "eu"), 200)
        self.assertEqual(connect().resume("py-once", REGIONS).wait().answer, "eu")
        self.assertEqual(connect().resume("py-once", YES_NO).wait().code, "schema_mismatch")
        self.assertEqual(connect().resume("py-never").wait().code, "not_found")

    def test_pending_after_some_seconds_and_leaving_ends_the_waiting_not_the_request(self):
        asked = self.lane.ask(question="Any news?", reply=YES_NO, **COMMON)
        pending = asked.wait(seconds=1)
        self.assertEqual((pending.kind, pending.case["state"]), ("pending", "pending"))
        left = threading.Event()
        left.set()
        with mock.patch("interrupt_lane.handle._POLL_SECONDS", 1), self.assertRaises(Left):
            asked.wait(left=left)
        self.assertEqual(answer(asked.id, "yes"), 200)
        self.assertEqual(asked.wait().answer, "YES")

    def test_a_wrong_key_is_refused_at_once(self):
        outcome = connect(key="lane_wrong").ask(question="May I?", reply=YES_NO, **COMMON).wait()
        self.assertEqual((outcome.kind, outcome.code), ("refused", "unauthenticated"))

    def test_content_that_cannot_be_kept_raises_with_the_reason(self):
        with self.assertRaisesRegex(ValueError, "too_large"):
            self.lane.put_content("x" * (256 * 1024 + 1))

    def test_a_word_that_is_none_of_a_draft_is_a_mistake_of_the_program(self):
        with self.assertRaises(TypeError):
            self.lane.ask(question="May I?", reply=YES_NO, urgent=True, **COMMON)


class Connecting(unittest.TestCase):
    def test_without_a_key_or_at_an_address_that_is_none(self):
        with mock.patch.dict(os.environ, {"LANE_API_KEY": " "}), self.assertRaisesRegex(TypeError, "LANE_API_KEY"):
            connect()
        with self.assertRaisesRegex(TypeError, "http or https"):
            connect("ftp://lane.example.org", "k")

    def test_a_lane_that_is_not_there_is_tried_until_the_deadline_and_then_unknown(self):
        slept = []
        pace = Pace(monotonic=lambda: sum(slept), sleep=slept.append)
        named = {**COMMON, "deadline_seconds": 60}
        outcome = connect(closed_url(), "k", pace=pace).ask(question="Ship it?", reply=YES_NO, **named).wait()
        self.assertEqual((outcome.kind, outcome.code), ("unknown", "unreachable"))
        self.assertEqual(slept[:8], [0.25, 0.5, 1, 2, 4, 8, 10, 10])
        self.assertEqual(sum(slept), 60)


class Asyncio(unittest.IsolatedAsyncioTestCase):
    async def test_many_wait_at_once_and_each_has_its_own_answer(self):
        lane = aio.connect()
        asked = [lane.ask(question="Which region?", reply=REGIONS, **COMMON) for _ in range(12)]
        waits = [asyncio.ensure_future(one.wait()) for one in asked]
        for at, one in enumerate(asked):
            self.assertEqual((await one.opened()).kind, "opened")
            await asyncio.get_running_loop().run_in_executor(None, answer, one.id, "AB"[at % 2])
        self.assertEqual([outcome.answer for outcome in await asyncio.gather(*waits)], ["eu", "us"] * 6)

    async def test_a_cancelled_wait_leaves_the_request_which_can_be_taken_back(self):
        lane = aio.connect()
        asked = lane.ask(question="Any news?", reply=YES_NO, **COMMON)
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(asked.wait(), 0.5)
        self.assertEqual((await lane.resume(asked.id).opened()).case["state"], "pending")
        self.assertEqual((await asked.withdraw("no longer needed")).kind, "withdrawn")

    async def test_an_approval_is_checked_and_spent(self):
        lane = aio.connect()
        parameters = {"artifact": await lane.put_content("a page by asyncio")}
        asked = lane.approve("PUBLISH", parameters=parameters, **APPROVAL)
        await asked.opened()
        await asyncio.get_running_loop().run_in_executor(None, answer, asked.id, "yes")
        token = (await asked.wait()).policy_token
        self.assertEqual((await lane.assert_approved(token, "PUBLISH", parameters))["act"], "PUBLISH")
        self.assertEqual((await lane.spend(token, "PUBLISH", parameters, "once")).kind, "spent")


def _without_impact():
    return {name: value for name, value in COMMON.items() if name != "impact"}


if __name__ == "__main__":
    unittest.main()
