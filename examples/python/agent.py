"""An agent that publishes a page by a person's right."""
import hashlib
import pathlib
import sys

from interrupt_lane import NotApproved, connect

ACTION = "PUBLISH"


def main(file):
    page = pathlib.Path(file).read_text("utf-8")
    name = "publish-" + hashlib.sha256(page.encode()).hexdigest()[:16]
    lane = connect()
    outcome = lane.approve(
        ACTION, id=name, values={"page": page}, why="The page is written", deadline_seconds=1800, default="DO_NOT_PUBLISH"
    ).wait()
    if outcome.kind != "answered":
        return "not approved: " + outcome.kind
    if outcome.answer == "NO":
        return outcome.by + " said no"
    if outcome.policy_token is None:
        return "approved, and the right was used before or has expired"
    parameters = outcome.case["request"]["parameters"]
    try:
        lane.assert_approved(outcome.policy_token, ACTION, parameters)
    except NotApproved as refused:
        return "not approved: " + refused.code
    spent = lane.spend(outcome.policy_token, ACTION, parameters, name)
    if spent.kind != "spent":
        return "the right was not given: " + spent.code
    print("published", file)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
