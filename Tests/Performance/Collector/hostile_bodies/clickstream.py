"""Hostile bodies of the clickstream format, and the plan of the collector."""
import base64, gzip, json, os

import hostile_text as text
from hostile_text import MARK, NOW, filled, marked, near, numbered, packed


def event(number, **changes):
    fields = {"event_id": f"e{number}", "event_type": "tap", "app_id": "shop", "timestamp": NOW, "unique_id": "u",
              "attributes": {"_session_id": "s"}}
    return json.dumps({**fields, **changes})


def in_event(field, value):
    return "[" + event(1)[:-1] + f',"{field}":{value}}}]'


def in_attributes(members):
    return "[" + event(1).replace('"_session_id": "s"', members) + "]"


def search(number, **attributes):
    """A planned event, with values of its own."""
    return event(number, event_type="search", attributes={"_session_id": "s", **attributes})


def unlike(number, size):
    """An event that shares none of its nine texts, of `size` bytes each, with another one."""
    def value(field): return field + f"{number:0{size - 1}}"
    return event(number, event_type=value("n"), app_id=value("a"), device_id=value("d"), platform=value("p"), app_version=value("v"), unique_id=value("u"),
                 user={"_user_id": {"value": value("i")}}, attributes={"_session_id": value("s"), "_screen_name": value("c")})


KINDS = {
    "deep nesting": lambda: [packed("[" * (text.SIZE // 2) + "]" * (text.SIZE // 2))],
    "deep nesting, allowed": lambda: [packed(in_event("x", filled("[" * 100 + "]" * 100, ("[", "]"))))],
    "array of numbers": lambda: [packed(in_event("x", filled("1", ("[", "]"))))],
    "array of strings": lambda: [packed(in_event("x", filled('""', ("[", "]"))))],
    "array of empty objects": lambda: [packed(in_event("items", filled("{}", ("[", "]"))))],
    "array as an attribute": lambda: [packed(in_attributes(filled("1", ('"a":[', "]"))))],
    "arrays of arrays": lambda: [packed(in_attributes(filled('"a":[[],[]]')))],
    "elements that are no events": lambda: [packed("[" + ",".join(["1"] * 100_000) + "]")],
    "too many elements": lambda: [packed("[" + filled("1") + "]")],
    "empty events": lambda: [packed("[" + ",".join(["{}"] * 100_000) + "]")],
    "many attributes": lambda: [packed(in_attributes(numbered(lambda n: f'"a{n}":1', 10**8)))],
    "many fields": lambda: [packed("[" + event(1)[:-1] + "," + numbered(lambda n: f'"a{n}":1', 10**8) + "}]")],
    "duplicate keys": lambda: [packed(in_attributes(filled('"_session_id":"s"')))],
    "duplicate fields": lambda: [packed("[" + filled('"event_id":"e"', ("{", "}")) + "]")],
    "many user attributes": lambda: [packed(in_event("user", "{" + numbered(lambda n: f'"a{n}":{{"value":1}}', 10**8) + "}"))],
    "duplicate user entries": lambda: [packed(in_event("user", filled('"_user_id":{"value":"v","value":1}', ("{", "}"))))],
    "many items": lambda: [packed(in_event("items", "[" + numbered(lambda n: f'{{"id":"i{n}","p":1}}', 10**8) + "]"))],
    "one item of many attributes": lambda: [packed(in_event("items", '[{"id":"i",' + numbered(lambda n: f'"a{n}":1', 10**8) + "}]"))],
    "bad items": lambda: [packed(in_event("items", filled('{"4-":1,"5-":1}', ("[", "]"))))],
    "many events of bad items": lambda: [packed("[" + numbered(lambda n: event(n, items=[{"4-": 1}] * 100)) + "]")],
    "ten million findings": lambda: [packed("[" + numbered(lambda n: event(n, attributes={f"{i}-": 1 for i in range(100)})) + "]")],
    "small events of findings": lambda: [packed("[" + ",".join(['{"attributes":{' + ",".join(f'"{i}":1' for i in range(100)) + "}}"] * 100_000)[:text.SIZE].rsplit(",{", 1)[0] + "]")],
    "many users": lambda: [packed("[" + numbered(lambda n: event(n, unique_id=f"u{n}", user={"_user_id": {"value": f"v{n}"}})) + "]")],
    "many sessions": lambda: [packed("[" + numbered(lambda n: event(n, attributes={"_session_id": f"s{n}"})) + "]")],
    "many screens": lambda: [packed("[" + numbered(lambda n: event(n, event_type="_screen_view", attributes={"_session_id": "s", "_screen_name": f"n{n}", "_screen_unique_id": f"{n}"})) + "]")],
    "many names": lambda: [packed("[" + numbered(lambda n: event(n, event_type=f"n{n}")) + "]")],
    "nine new texts in each event": lambda: [packed("[" + numbered(lambda n: unlike(n, 36), 10_000) + "]")],
    "nine new texts of 1 KB in each event": lambda: [packed("[" + numbered(lambda n: unlike(n, 1_024), 10_000) + "]")],
    "long ids with one beginning": lambda: [packed("[" + numbered(lambda n: event(n, unique_id="u" * 20_000 + str(n), attributes={"_session_id": "s" * 20_000 + str(n)})) + "]")],
    "one moment": lambda: [packed("[" + numbered(lambda n: event(n)) + "]")] * 2,
    "one event again and again": lambda: [packed("[" + ",".join([event(1)] * 100_000) + "]")],
    "long string": lambda: [packed(in_attributes('"a":"' + "x" * (text.SIZE - 1_000) + '"'))],
    "long id": lambda: [packed("[" + event("x" * (text.SIZE - 1_000)) + "]")],
    "long name of an attribute": lambda: [packed(in_attributes('"' + "x" * (text.SIZE - 1_000) + '":1'))],
    "combining characters": lambda: [packed(in_attributes(",".join('"' + "a" + "\u0301\u0316" * 5_000 + str(n) + '":1' for n in range(text.SIZE // 20_100))))],
    "escapes": lambda: [packed(in_attributes('"a":"' + "\\u0041" * (text.SIZE // 6 - 200) + '"'))],
    "escaped id": lambda: [packed("[" + event(1).replace("e1", "\\u0041" * (text.SIZE // 6 - 200)) + "]")],
    "NUL in an id": lambda: [packed("[" + event(1).replace("e1", "\\u0000" * (text.SIZE // 6 - 200)) + "]")],
    "spaces in a number": lambda: [packed(in_attributes('"_session_number":"' + " " * (text.SIZE - 1_000) + '"'))],
    "huge number": lambda: [packed(in_attributes('"a":' + "9" * (text.SIZE - 1_000)))],
    "huge fraction": lambda: [packed(in_attributes('"a":0.' + "0" * (text.SIZE - 1_000) + "1"))],
    "huge number, small exponent": lambda: [packed(in_attributes('"a":1' + "3" * (text.SIZE - 1_000) + f"e-{text.SIZE - 1_000}"))],
    "white space": lambda: [packed("[" + " " * (text.SIZE - 10) + "]")],
    "not UTF-8": lambda: [packed(b'["' + b"\xff" * 100_000 + b'"]')],
    "bomb": lambda: [packed(b" " * 700_000_000)],
    "bomb of text": lambda: [packed(b"[" + b"[]," * 200_000_000 + b"[]]")],
    "gzip of gzip": lambda: [packed(gzip.compress(b" " * text.SIZE))],
    "many members": lambda: [base64.b64encode(gzip.compress(b"") * 35_000 + gzip.compress(b"[]"))],
    "members that hide their size": lambda: [base64.b64encode(gzip.compress(in_event("x", filled("1", ("[", "]"))).encode()) + gzip.compress(b"")) for _ in range(4)],
    "encoded twice": lambda: [(gzip.compress(packed(os.urandom(1_000) * 400_000)[: text.SIZE // 2]), {"Content-Encoding": "gzip"})],
    "bomb under Content-Encoding": lambda: [(gzip.compress(b" " * 700_000_000), {"Content-Encoding": "gzip"})],
    "chained identities": lambda: [packed("[" + ",".join(event(n, timestamp=NOW + n // 4_194_304) for n in range(100_000)) + "]"), packed("[" + event("x") + "]"), packed("[" + event(1) + "]")],
    "long name": lambda: [packed("[" + event(1, event_type="x" * (text.SIZE - 1_000)) + "]")],
    "name of combining marks": lambda: [packed("[" + event(1).replace("tap", "a" + MARK * (text.SIZE // 4 - 200)) + "]")],
    "values of combining marks": lambda: [packed("[" + search(1, query="Q", note="N", unit="U").replace('"Q"', marked(3)).replace('"N"', marked(3)).replace('"U"', marked(3)) + "]")],
    "short names of combining marks": lambda: [packed("[" + numbered(lambda n: event(n).replace("tap", f"tap{n}" + MARK * 30)) + "]")],
    "names near to planned ones": lambda: [packed("[" + numbered(lambda n: event(n, event_type=near("add_to_cart", n))) + "]")],
    "attributes near to planned ones": lambda: [packed("[" + numbered(lambda n: search(n, **{near("currency", 100 * n + i): 1 for i in range(100)})) + "]")],
    "one event of attributes near to planned ones": lambda: [packed(in_attributes(numbered(lambda n: f'"{near("currency", n)}":1', 10**8)))],
    "users near to planned ones": lambda: [packed("[" + numbered(lambda n: event(n, user={near("subscription", n): {"value": "x"}})) + "]")],
    "values near to planned ones": lambda: [packed("[" + numbered(lambda n: search(n, unit=near("kilogram", n), note=near("n" * 99, n))) + "]")],
    "long text for a pattern": lambda: [packed("[" + search(1, query="a" * (text.SIZE - 1_000) + "!") + "]")],
    "texts for patterns": lambda: [packed("[" + numbered(lambda n: search(n, query="a" * 1_000 + f"!{n}", word="x" * 1_000 + f"!{n}", path="0/" * 500 + f"!{n}")) + "]")],
    "texts for patterns, past their steps": lambda: [packed("[" + numbered(lambda n: search(n, query="a" * 200_000 + f"!{n}", word="x" * 200_000 + f"!{n}")) + "]")],
    "broken patterns": lambda: [packed("[" + numbered(lambda n: search(n, query="(((a+)+)+[b-" * 50, **{"(a" * 20: n}).replace("tap", "[" * 20)) + "]")],
    "as many at a time as 24": lambda: [[packed(in_event("x", filled("1", ("[", "]"))))] * 24],
    "small ones, 200 at a time": lambda: [[packed("[" + ",".join(["1"] * 100_000) + "]")] * 200],
}

TABLE = {
    "one long name": "long name",
    "many rows": "one moment",
    "many columns": "many attributes",
    "combining marks": "name of combining marks",
    "unplanned names": "names near to planned ones",
    "patterns": "texts for patterns",
}

# Events of the plan are near to the unplanned ones, and its patterns take exponential time when they are matched by backtracking.
PLAN = {
    "clickstream-plan": 1,
    "events": {
        "tap": {"attributes": {"category": {"type": "string", "required": True}}},
        "search": {
            "attributes": {
                "query": {"type": "string", "pattern": "^(a+)+$", "required": True},
                "word": {"type": "string", "pattern": "^([a-z]|[x-z]+)*[0-9]$"},
                "path": {"type": "string", "pattern": "^(\\d/?|\\d/)*$"},
                "note": {"type": "string", "maxLength": 100},
                "unit": {"type": "string", "enum": ["kilogram", "kilometre", "kilowatt"]},
                "currency": {"type": "string", "enum": ["EUR", "USD"]},
            },
            "items": {"required": ["id"], "attributes": {"id": {"type": "string"}}},
            "additional": False,
        },
        **{f"add_to_{thing}": None for thing in ("cart", "chart", "card", "part", "list", "wish_list")},
    },
    "user": {"attributes": {"subscription": {"type": "string", "enum": ["free", "paid"]}}, "additional": False},
    "globals": {"attributes": {"channel": {"type": "string", "required": True}}},
    "unplanned": "warn",
}
