"""docs/spec/invariants.md, "People": who is asked by now, and the steps and hands that led there."""
from entry import milliseconds
from jcs import hash_of
from passkey import flaw_of_confirmation

MOST_HANDS = 3


class Asked:
    def __init__(self, user_id, channels, giver=None):
        self.user_id = user_id
        self.channels = channels
        self.giver = giver
        self.handed_to = None

    def takes(self, channel):
        return self.channels is None or channel in self.channels


class People:
    def __init__(self, recipients):
        self.all = [Asked(one["user_id"], one["channels"]) for one in recipients]

    def find(self, user_id):
        return next((one for one in self.all if one.user_id == user_id), None)

    def holds(self, user_id):
        return any(one.user_id == user_id and one.handed_to is None for one in self.all)

    def add(self, recipients, to):
        known = {one.user_id for one in self.all}
        for one in recipients:
            if one["user_id"] in to and one["user_id"] not in known:
                self.all.append(Asked(one["user_id"], one["channels"]))

    def places(self, user_id):
        """Everybody whose place they have: themselves, and those whom the givers lead back to."""
        places = [user_id]
        while True:
            one = self.find(places[-1])
            if one is None or one.giver is None or one.giver in places:
                return places
            places.append(one.giver)

    def hands(self, user_id):
        return len(self.places(user_id)) - 1

    def hand(self, body):
        for one in self.all:
            if one.user_id == body["from"]:
                one.handed_to = body["to"]
        if body["by"] != "lane":
            self.all.append(Asked(body["to"], None, body["from"]))
            return
        for one in self.all:
            if one.user_id == body["to"]:
                one.handed_to = None


def step_of(story, number):
    ladder = story.opening.get("terms", {}).get("ladder", [])
    return ladder[number] if number < len(ladder) else None


def has_come(story, at, seconds):
    now, opened = milliseconds(at), milliseconds(story.opened_at)
    return now is not None and opened is not None and now >= opened + seconds * 1000


def flaw_of_step(story, number, what, at, early=False):
    step = step_of(story, number)
    if step is None or step["do"] != what:
        return "I32"
    return None if early or has_come(story, at, step["after_seconds"]) else "I32"


def check_reminder(_, story, entry, *__):
    body = entry["body"]
    delivery = story.deliveries.get(body["delivery_id"])
    if not story.open or delivery is None or not delivery.stands:
        return "I32"
    last = delivery.reminders[-1][0] if delivery.reminders else -1
    issued = any(one.has_token(body.get("token_hash")) for one in story.deliveries.values() if one is not delivery)
    delivery.reminders.append((body["step"], body.get("token_hash")))
    if body["step"] <= last:
        return "I32"
    if "token_hash" in body and issued:
        return "I14"
    return flaw_of_step(story, body["step"], "remind", entry["at"])


def check_escalation(_, story, entry, neighbour, __):
    if not story.open:
        return "I32"
    body = entry["body"]
    broken = flaw_of_step(story, body["step"], body["do"], entry["at"], "early" in body)
    broken = broken or flaw_of_reach(story, entry, neighbour)
    story.steps.add(body["step"])
    step = step_of(story, body["step"])
    if step is not None and step["do"] == "add":
        story.people.add(step["recipients"], body["to"])
    return broken


def flaw_of_reach(story, entry, neighbour):
    body = entry["body"]
    if body["step"] in story.steps:
        return "I32"
    step = step_of(story, body["step"])
    reach = {one.user_id for one in story.people.all}
    if step["do"] == "add":
        reach = {one["user_id"] for one in step["recipients"]}
    if any(user_id not in reach for user_id in body["to"]):
        return "I32"
    if body.get("early") != "out_of_office":
        return None
    answered = (
        neighbour is not None
        and neighbour["type"] == "INBOUND_REPLY_REJECTED"
        and neighbour["request_id"] == entry["request_id"]
        and neighbour["body"]["reason"] == "automated_message"
    )
    return None if answered else "I32"


def flaw_of_hold(story, body):
    if story.people.find(body["recipient"]) is None:
        return "I16"
    if story.opening.get("terms", {}).get("urgency") == "high":
        return "I32"
    until, opened = milliseconds(body["until"]), milliseconds(story.opened_at)
    if until is None or opened is None:
        return "I32"
    return None if until <= opened + story.request["deadline_seconds"] * 750 else "I32"


def check_hand(stories, story, entry, neighbour, __):
    if not story.open:
        return "I33"
    body = entry["body"]
    broken = flaw_of_hand(story, entry) or flaw_of_handing(stories, story, entry, neighbour)
    story.people.hand(body)
    return broken


def flaw_of_hand(story, entry):
    body, people = entry["body"], story.people
    if entry["at"] >= story.opening["deadline_at"]:
        return "I10"
    if not people.holds(body["from"]):
        return "I33"
    if body["by"] == "lane":
        return None if people.find(body["from"]).giver == body["to"] else "I33"
    if people.find(body["to"]) is not None or people.hands(body["from"]) >= MOST_HANDS:
        return "I33"
    return None


def flaw_of_handing(stories, story, entry, neighbour):
    body = entry["body"]
    if body["by"] != "person":
        return None
    if neighbour is None or neighbour["type"] != "INBOUND_REPLY_RECEIVED":
        return "I24"
    told = neighbour["body"]
    if neighbour["request_id"] != entry["request_id"]:
        return "I24"
    if any(told[name] != body[name] for name in ("reply_id", "delivery_id", "channel")):
        return "I24"
    if neighbour["body"]["event_hash"] != hash_of("", body):
        return "I24"
    delivery = story.deliveries.get(body["delivery_id"])
    if delivery is None or delivery.recipient != body["from"] or not delivery.has_token(body["token_hash"]):
        return "I14"
    use = (body["token_hash"], None)
    if use in stories.tokens:
        return "I15"
    stories.tokens.add(use)
    return flaw_of_confirmation(stories, body["from"], body["proof"])
