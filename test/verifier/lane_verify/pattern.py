"""A form's patterns: RE2 syntax, the part of it that Python's `re` reads alike.

What is outside that part is not judged (docs/spec/request.md lets a verifier leave it): it raises Unjudged.
"""
import re

CLASS = r"\[\^?\]?(?:\\[dDwWsS.\\^\[\]$*+?(){}|/-]|[^\\\[\]])*\]"
ATOM = rf"(?:\\[dDwWsSbB.\\^\[\]$*+?(){{}}|/-]|{CLASS}|[^\\\[\]*+?(){{}}|])"
REPEAT = r"(?:[*+?]\??|\{[0-9]{1,3}(?:,(?:[0-9]{1,3})?)?\}\??)?"
TOKEN = re.compile(rf"(?:\((?:\?:|\?P<[A-Za-z_][A-Za-z0-9_]*>)?|\){REPEAT}|\||{ATOM}{REPEAT})")
BAD_REPEAT = re.compile(r"(?:^|[(|])[*+?]")


class Unjudged(Exception):
    """Nobody here can say whether this is a pattern."""


def compiled(source):
    """The expression, or None where it is none."""
    if not source.isascii():
        raise Unjudged
    at = 0
    while at < len(source):
        found = TOKEN.match(source, at)
        if found is None:
            if is_plainly_wrong(source):
                return None
            raise Unjudged
        at = found.end()
    try:
        return re.compile(source, re.ASCII)
    except re.error:
        return None


def is_plainly_wrong(source):
    """Wrong in every dialect: a parenthesis or bracket without its other, a repeat of nothing, a lone backslash."""
    if BAD_REPEAT.search(source) or re.search(r"(?<!\\)(?:\\\\)*\\$", source):
        return True
    bare = re.sub(r"\\.", "", source)
    bare = re.sub(CLASS, "", bare)
    return bare.count("(") != bare.count(")") or ("[" in bare and "]" not in bare)
