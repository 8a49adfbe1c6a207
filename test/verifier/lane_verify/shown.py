"""docs/spec/request.md: shown text, questions, secrets."""
import re
import unicodedata


def _signs(listed):
    signs = set()
    for part in listed.split():
        first, _, last = part.partition("-")
        signs.update(range(int(first, 16), int(last or first, 16) + 1))
    return frozenset(signs)


IGNORABLE = _signs("034F 115F 1160 17B4 17B5 180B-180F 3164 FE00-FE0F FFA0 E0100-E01EF")
BLANKS = _signs("00A0 1680 2000-200A 202F 205F 3000 2800 13441 13442 16FE4 1D159")
OVERLAYS = _signs("0334-0338 20D0-20F0 10A39 1BC9E 1D167-1D169")
HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
CLOSING = _signs(
    "3F 37E 55E 61F 1367 1945 203D 2047 2048 2049 2753 2754 2CFA 2CFB 2E2E A60F A6F7 FE16 FE56 FF1F"
    " 11143 1F679 1F67B"
)
OPENING = _signs("BF 2E18 1E95F")
DOUBLE = 0x2047

SECRET = re.compile(
    r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"
    r"|lane_[0-9a-hjkmnp-tv-z]{20,}"
    r"|/r/[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{26}"
)


def holds_secret(text):
    return SECRET.search(text) is not None


def is_unshowable(text, rules):
    """Whether the text holds what is not shown, whatever its length."""
    if text.isascii():
        return not text.isprintable() or (rules != "1" and "  " in text)
    before, marks = "", 0
    for sign in text:
        code, category = ord(sign), unicodedata.category(sign)
        if category in HIDDEN or code in IGNORABLE:
            return True
        if rules != "1":
            if code == 0xFFFC or code in BLANKS or code in OVERLAYS or category == "Me":
                return True
            if sign == " " and before == " ":
                return True
            if category[0] == "M":
                if marks == 4 or not (before and unicodedata.category(before)[0] in "LM"):
                    return True
                marks += 1
            else:
                marks = 0
        before = sign
    return False


def is_shown(text, at_most, rules):
    """Shown text of 1 to so many code points."""
    if not isinstance(text, str) or is_unshowable(text, rules) or len(text) > at_most:
        return False
    return any(unicodedata.category(sign) != "Zs" and sign != "\u2800" for sign in text)


def questions_in(text):
    codes = [ord(sign) for sign in text]
    closing = sum(2 if code == DOUBLE else 1 for code in codes if code in CLOSING)
    return max(closing, sum(code in OPENING for code in codes))


def strings_in(value):
    """Every string within, names of members included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings_in(item)
    elif isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from strings_in(member)
