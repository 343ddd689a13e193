"""Texts with `${name}` in them, which stand for what only a running server knows."""

from __future__ import annotations

import re
import time
from email.utils import formatdate

_PLACE = re.compile(r"\$\{([a-z_]+)([+-]\d+)?\}")
_CLOCKS = {"now": lambda at: int(at), "date": lambda at: formatdate(at, usegmt=True),
           "iso": lambda at: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at)),
           "milliseconds": lambda at: int(at) * 1000}


class Absent(Exception):
    """The value of a name is not there, such as the refresh token of an answer without one."""


def filled(template: object, values: dict) -> object:
    """The template with its names' values. A text that is one name becomes that value, whatever type it has.

    A member or an element without a value is left out; a text that is longer than its one name must have all.
    """
    if isinstance(template, dict):
        return {name: value for name, each in template.items() for value in _present(each, values)}
    if isinstance(template, list):
        return [value for each in template for value in _present(each, values)]
    if not isinstance(template, str):
        return template
    if whole := _PLACE.fullmatch(template):
        return _value(whole, values)
    return _PLACE.sub(lambda place: str(_value(place, values)), template)


def _present(template: object, values: dict) -> list:
    try:
        return [filled(template, values)]
    except Absent:
        return []


def _value(place: re.Match, values: dict) -> object:
    name, offset = place.groups()
    if name in _CLOCKS:  # `${date-45}` is 45 seconds ago
        return _CLOCKS[name](time.time() + int(offset or 0))
    if offset is not None or name not in values:
        raise Absent(name)
    return values[name]
