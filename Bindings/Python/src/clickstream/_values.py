"""Conversion of attributes to JSON."""
from __future__ import annotations

import json
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Union

import orjson

Value = Union[str, int, float, bool]
#: Attributes by name; those that are None are omitted.
Attributes = Mapping[str, Optional[Value]]

_options = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
# For what orjson refuses: integers of more than 64 bits, mappings other than dictionaries, and unpaired surrogates, which are
# escaped and become U+FFFD.
_encode: Callable[[object], str] = json.JSONEncoder(
    ensure_ascii=True, check_circular=False, allow_nan=False, separators=(",", ":")
).encode


def _plain(value: object) -> object:
    """Dictionaries and lists of any mappings and sequences. The standard encoder would make a name of a number or None."""
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise TypeError(f"attribute name {name!r} is not a str")
        return {name: _plain(element) for name, element in value.items()}
    return [_plain(element) for element in value] if isinstance(value, (list, tuple)) else value


def checked(attributes: Attributes, of: str = "") -> Dict[str, Value]:
    """The attributes without those that are None. Raises TypeError, with the name of the attribute.

    :param of: whose attributes these are, for the message: `` of item 0``.
    """
    if not isinstance(attributes, Mapping):
        raise TypeError(f"attributes{of} are a {type(attributes).__name__}, not a mapping")
    plain: Dict[str, Value] = {}
    for name, value in attributes.items():
        if not isinstance(name, str):
            raise TypeError(f"attribute name {name!r}{of} is not a str")
        if value is None:
            continue
        if not isinstance(value, (str, int, float)):
            raise TypeError(f"attribute {name!r}{of} is a {type(value).__name__}: use a str, int, float, bool or None")
        plain[name] = value
    return plain


def checked_items(items: Sequence[Attributes]) -> List[Dict[str, Value]]:
    """The items, each as by ``checked``."""
    return [checked(item, f" of item {index}") for index, item in enumerate(items)]


def encoded(value: object) -> bytes:
    """JSON of attributes or items. Raises TypeError for names that are no strings, and for other types than those of
    ``Value``. A number that is not finite becomes null, which the library refuses."""
    try:
        return orjson.dumps(value, None, _options)
    except TypeError:
        return _encode(_plain(value)).encode("ascii")


def utf8(text: str, meaning: str) -> bytes:
    """UTF-8 of a name or an id. Raises TypeError for another type, and ValueError for an unpaired surrogate."""
    if not isinstance(text, str):
        raise TypeError(f"{meaning} {text!r} is not a str")
    return text.encode()
