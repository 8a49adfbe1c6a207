"""docs/spec/reply-grammar.md: a reply is an answer, or None."""
import re
import unicodedata
from pathlib import Path

from jcs import NoText, number_text, units

ALPHABET = Path(__file__).resolve().parents[2] / "vectors" / "compiler" / "text-allowed.txt"
OUTER = " \t\r\n"
PUNCTUATION = frozenset(" .,;:!?'\"%+=()/-")
DECIMAL = re.compile(r"(-?)([0-9]{1,15})(?:\.([0-9]{1,6}))?")
MOMENT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?([Zz]|[+-][0-9]{2}:[0-9]{2}))?"
)


def _classes():
    kinds = {}
    for line in ALPHABET.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            span, kind = line.split()
            first, last = span.split("..")
            for code in range(int(first, 16), int(last, 16) + 1):
                kinds[chr(code)] = kind
    return kinds


KINDS = _classes()


def fold(text):
    """A-Z as a-z, and nothing else."""
    return "".join(chr(ord(sign) + 32) if "A" <= sign <= "Z" else sign for sign in text)


def is_surrogate(sign):
    return 0xD800 <= ord(sign) <= 0xDFFF


def takes_reason(asked, is_given, is_no):
    """Whether words beside an answer, or their absence, are what its schema asks for."""
    if is_given:
        return asked is not None
    return not (is_no and asked is not None and asked["when"] == "on_no")


def read_plain(schema, reply):
    """The (parsed_choice, parsed_payload) that a reply of one answer is; None where it is none."""
    kind = schema["kind"]
    if units(reply) > (4096 if kind == "text" else 1024) or any(map(is_surrogate, reply)):
        return None
    said = reply.strip(OUTER)
    if kind == "text":
        return read_text(schema, said)
    return READERS[kind](schema, said) if said.isascii() and said != "" else None


def without_final(said):
    return said[:-1] if said.endswith((".", "!")) else said


def read_yes_no(_, said):
    word = fold(without_final(said))
    if word in ("yes", "y"):
        return ("YES", None)
    return ("NO", None) if word in ("no", "n") else None


def option_called(schema, name):
    for index, option in enumerate(schema["options"]):
        if fold(name) in (chr(ord("a") + index), fold(option["value"])):
            return index
    return None


def read_choice(schema, said):
    index = option_called(schema, without_final(said))
    return None if index is None else (schema["options"][index]["value"], None)


def read_multi_choice(schema, said):
    listed = without_final(said)
    if listed.endswith(" "):
        return None
    called = [option_called(schema, name.strip(" ")) for name in listed.split(",")]
    if None in called or len(set(called)) != len(called):
        return None
    if not schema["min"] <= len(called) <= schema["max"]:
        return None
    return (None, {"selected": [schema["options"][index]["value"] for index in sorted(called)]})


def millionths(text):
    """A decimal as a count of millionths; None for any other text."""
    found = DECIMAL.fullmatch(text)
    if found is None:
        return None
    sign, whole, fraction = found.groups()
    size = int(whole + (fraction or "").ljust(6, "0"))
    return -size if sign else size


def decimal_of(number):
    """Of a JSON number, by its shortest text."""
    try:
        return millionths(number_text(number))
    except NoText:
        return None


def number_of(decimal):
    value = float(f"{'-' if decimal < 0 else ''}{abs(decimal) // 10**6}.{abs(decimal) % 10**6:06}")
    return int(value) if value.is_integer() else value


def figure_in(schema, said):
    words = [word for word in said.split(" ") if word]
    if len(words) == 1:
        return said
    unit = schema.get("unit", "").split()
    lead = schema.get("lead", "").split()
    for before in ([], lead):
        if before or unit:
            place = len(before)
            phrase = [*before, words[place] if place < len(words) else "", *unit]
            if [fold(word) for word in words] == [fold(word) for word in phrase]:
                return words[place]
    return ""


def read_number(schema, said):
    decimal = millionths(figure_in(schema, said))
    if decimal is None:
        return None
    least = decimal_of(schema["min"])
    if not least <= decimal <= decimal_of(schema["max"]):
        return None
    if "step" in schema and (decimal - least) % decimal_of(schema["step"]) != 0:
        return None
    number = number_of(decimal)
    if decimal_of(number) != decimal:
        return None
    return (None, {"number": number, **({"unit": schema["unit"]} if "unit" in schema else {})})


def read_moment(text):
    """(the day as written, None or the instant in nanoseconds), or None."""
    found = MOMENT.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, offset = found.groups()
    days = days_before(int(year), int(month), int(day))
    if days is None:
        return None
    if offset is None:
        return (text[:10], None)
    shift = 0
    if offset not in "Zz":
        if int(offset[1:3]) > 23 or int(offset[4:6]) > 59:
            return None
        shift = (int(offset[1:3]) * 60 + int(offset[4:6])) * (-60 if offset[0] == "-" else 60)
    if int(hour) > 23 or int(minute) > 59 or int(second) > 59:
        return None
    seconds = days * 86400 + int(hour) * 3600 + int(minute) * 60 + int(second) - shift
    return (text[:10], seconds * 10**9 + int((fraction or "").ljust(9, "0")))


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_lengths(year):
    return [31, 29 if is_leap(year) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def days_before(year, month, day):
    """Days since 0000-01-01 of the proleptic Gregorian calendar; None for a day it does not have."""
    lengths = month_lengths(year)
    if not 1 <= month <= 12 or not 1 <= day <= lengths[month - 1]:
        return None
    leaps = (year + 3) // 4 - (year + 99) // 100 + (year + 399) // 400
    return year * 365 + leaps + sum(lengths[: month - 1]) + day - 1


def is_before(one, other):
    if one[1] is None or other[1] is None:
        return one[0] < other[0]
    return one[1] < other[1]


def read_date(schema, said):
    moment = read_moment(said)
    if moment is None:
        return None
    if "min" in schema and is_before(moment, read_moment(schema["min"])):
        return None
    if "max" in schema and is_before(read_moment(schema["max"]), moment):
        return None
    return (None, {"date": said})


def is_spelt(text, most):
    room = 0
    for sign in text:
        kind = KINDS.get(sign)
        if kind is None and sign not in PUNCTUATION:
            return False
        if kind == "mark":
            if room == 0:
                return False
            room -= 1
        else:
            room = most if kind == "letter" else 0
    return True


def is_lure(text):
    def kind(at):
        return KINDS.get(text[at]) if 0 <= at < len(text) else None

    def in_word(at):
        return kind(at) in ("letter", "mark", "digit")

    if "//" in text or "www." in fold(text) or text.startswith("/"):
        return True
    for at, sign in enumerate(text):
        if sign == "." and in_word(at - 1) and kind(at + 1) == "letter" and kind(at + 2) in ("letter", "mark"):
            return True
        if sign == "/" and in_word(at + 1) and not in_word(at - 1):
            return True
        if sign == "$" and (kind(at + 1) == "letter" or text[at + 1 : at + 2] == "("):
            return True
    return False


def read_text(schema, said):
    if not is_spelt(said, 16):
        return None
    text = unicodedata.normalize("NFC", said)
    if len(text) > schema["max_chars"] or not is_spelt(text, 4) or text == "" or is_lure(text):
        return None
    return (None, {"text": text})


READERS = {
    "yes_no": read_yes_no,
    "choice": read_choice,
    "multi_choice": read_multi_choice,
    "number": read_number,
    "date": read_date,
}
