"""A second verifier, written from the pages under docs/spec/ alone, with the standard library alone.

    python3 test/verifier/lane_verify FILE                    an export: exit 0 where it holds, else 1
    python3 test/verifier/lane_verify --proof FILE VKEY...    a decision proof: exit 0 where it proves, else 1
    python3 test/verifier/lane_verify --cases                 many cases from stdin, each a JSON object on a
                                                              line with one member; a line of JSON answers each
"""
import base64
import json
import sys
import threading

import export
import jcs
import note
import passkey
import proof
import tree

# Deeper than any entry that its own schema lets stand; beyond it a line is no entry.
DEPTH = 20_000
STACK = 512 * 1024 * 1024


def judge_export(asked):
    """base64 of an export -> the verdict"""
    return export.verify(base64.b64decode(asked))


def judge_proof(asked):
    """{file: base64, keys: [verifier key]} -> the code of the check that fails, or null"""
    return proof.check(base64.b64decode(asked["file"]), [note.Key(line) for line in asked["keys"]])


def judge_checkpoint(asked):
    """{note, keys: [verifier key]} -> {origin, size, root, trusted}, or null"""
    try:
        read = note.Checkpoint(asked["note"], [note.Key(line) for line in asked["keys"]])
    except note.Refused:
        return None
    root = base64.b64encode(read.root).decode()
    return {"origin": read.origin, "size": read.size, "root": root, "trusted": read.trusted}


def judge_root(asked):
    """{export: base64, size} -> the root over its first entries"""
    lines = export.lines_of(base64.b64decode(asked["export"]))[: asked["size"]]
    leaves = [tree.leaf_of(jcs.parse(line.decode())) for line in lines]
    return base64.b64encode(tree.root_of(leaves)).decode()


def judge_inclusion(asked):
    """{leaf, index, size, hashes} -> the root above the leaf, or null"""
    leaf, *hashes = [base64.b64decode(one) for one in [asked["leaf"], *asked["hashes"]]]
    root = tree.root_above(leaf, asked["index"], asked["size"], hashes)
    return None if root is None else base64.b64encode(root).decode()


def judge_consistency(asked):
    """{from, to, from_root, to_root, hashes} -> whether the one tree is the beginning of the other"""
    first, last, *hashes = [base64.b64decode(one) for one in [asked["from_root"], asked["to_root"], *asked["hashes"]]]
    return tree.is_consistent(asked["from"], first, asked["to"], last, hashes)


def judge_assertion(asked):
    """{evidence, confirmed} -> {challenge, evidence_hash, credential_hash, flaw}; null where it is no evidence"""
    evidence, challenge = asked["evidence"], passkey.challenge_of(asked["confirmed"])
    if not passkey.is_evidence(evidence):
        return None
    return {
        "challenge": challenge,
        "evidence_hash": passkey.evidence_hash(evidence),
        "credential_hash": passkey.credential_hash(evidence),
        "flaw": passkey.flaw_of(evidence, challenge),
    }


CASES = {
    "export": judge_export,
    "proof": judge_proof,
    "checkpoint": judge_checkpoint,
    "root": judge_root,
    "inclusion": judge_inclusion,
    "consistency": judge_consistency,
    "assertion": judge_assertion,
}


def main(arguments):
    if arguments == ["--cases"]:
        for line in sys.stdin:
            [(kind, asked)] = json.loads(line).items()
            print(json.dumps(CASES[kind](asked)), flush=True)
        return 0
    if len(arguments) > 1 and arguments[0] == "--proof":
        with open(arguments[1], "rb") as file:
            code = proof.check(file.read(), [note.Key(line) for line in arguments[2:]])
        print("proven" if code is None else code)
        return 0 if code is None else 1
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[0], "rb") as file:
        verdict = export.verify(file.read())
    print(json.dumps(verdict, indent=2))
    return 0 if verdict["ok"] else 1


def run():
    sys.setrecursionlimit(DEPTH)
    codes = []
    threading.stack_size(STACK)
    thread = threading.Thread(target=lambda: codes.append(main(sys.argv[1:])))
    thread.start()
    thread.join()
    sys.exit(codes[0] if codes else 3)


run()
