"""JSON as the pages read it, and RFC 8785: one text for every value.

Numbers are IEEE 754 doubles: an integral one below 2^53 is held as an int, any other as a float.
"""
import hashlib
import json

SAFE = 2**53


class NoText(Exception):
    """The value has no RFC 8785 text: a lone surrogate, or a number that is not finite."""


def _integer(text):
    return _number(float(text)) if len(text) > 15 else int(text)


def _number(value):
    return int(value) if abs(value) < SAFE and value.is_integer() else value


def _constant(text):
    raise ValueError(text + " is not JSON")


_DECODER = json.JSONDecoder(
    parse_int=_integer, parse_float=lambda text: _number(float(text)), parse_constant=_constant
)


def parse(text):
    """The value of a JSON text, or ValueError."""
    try:
        return _DECODER.decode(text)
    except RecursionError as deep:
        raise ValueError("nested too deeply") from deep


def units(text):
    """The length in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def number_text(value):
    """ECMAScript's Number::toString of a finite number."""
    if isinstance(value, int):
        return str(value)
    if value != value or value in (float("inf"), float("-inf")):
        raise NoText
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    rest = "." + digits[1:] if count > 1 else ""
    return f"{sign}{digits[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def _spell(text):
    if not text.isascii() and any(0xD800 <= ord(sign) <= 0xDFFF for sign in text):
        raise NoText
    return json.encoder.encode_basestring(text)


def _by_units(name):
    return name.encode("utf-16-be", "surrogatepass")


def in_order(names):
    """As RFC 8785 sorts them: by UTF-16 code units."""
    return sorted(names) if all(map(str.isascii, names)) else sorted(names, key=_by_units)


def text_of(value):
    """The RFC 8785 text of a value, or NoText."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return _spell(value)
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, list):
        return "[" + ",".join(map(text_of, value)) + "]"
    return "{" + ",".join(member_texts(value).values()) + "}"


def member_texts(value):
    """The text of each member of an object, in order."""
    return {name: _spell(name) + ":" + text_of(value[name]) for name in in_order(value)}


def is_same(one, other):
    """Whether two values have the same text."""
    try:
        return text_of(one) == text_of(other)
    except NoText:
        return False


def hash_of(domain, value):
    """`sha256:` + hex SHA-256( domain || JCS(value) ); None where the value has no text."""
    try:
        return sha256(domain + text_of(value))
    except (NoText, RecursionError):
        return None


def sha256(text):
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
