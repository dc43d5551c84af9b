"""Hostile bodies by kind, for the script hostile beside this file. Bodies are generated, and reach SIZE bytes once they are inflated, or
as many as 1 MiB as sent has room for.

A kind returns its requests in order: a body, or (body, headers, path); a list is sent at the same time.
"""
import base64, gzip, json, os, time, zlib

SIZE = 20_000_000
NOW = int(time.time() * 1000) - 5_000
MARK = "\u0301\u0316"


def event(number, **changes):
    fields = {"event_id": f"e{number}", "event_type": "tap", "app_id": "shop", "timestamp": NOW, "unique_id": "u",
              "attributes": {"_session_id": "s"}}
    return json.dumps({**fields, **changes})


def filled(part, around=("", "")):
    """As many parts as fit, with commas between."""
    count = max(1, (SIZE - 1_000) // (len(part) + 1))
    return around[0] + ",".join([part] * count) + around[1]


def different(make, most=100_000, share=1):
    """Different parts as many as fit a share of the body, also when they are compressed."""
    parts, size, packed_size, packer = [], 0, 0, zlib.compressobj(6)
    while size < (SIZE - 100_000) * share and packed_size < 740_000 * share and len(parts) < most:
        parts.append(make(len(parts)))
        size += len(parts[-1]) + 1
        packed_size += len(packer.compress(parts[-1].encode() + b","))
    return parts


def numbered(make, most=100_000, share=1):
    """The different parts, with commas between."""
    return ",".join(different(make, most, share))


def packed(text):
    return base64.b64encode(gzip.compress(text.encode() if isinstance(text, str) else text, 6))


def in_event(field, value):
    return "[" + event(1)[:-1] + f',"{field}":{value}}}]'


def in_attributes(members):
    return "[" + event(1).replace('"_session_id": "s"', members) + "]"


def marked(parts):
    """A JSON text of combining marks with one of `parts` of the bytes."""
    return '"a' + MARK * ((SIZE - 1_000) // 4 // parts) + '"'


def captured(path, text):
    """A body of a captured format, compressed as these formats are."""
    return gzip.compress(text.encode(), 6), {"Content-Encoding": "gzip"}, path


def pulse(text):
    return [captured("/pulse", text)]


def contentsquare(text):
    return [captured("/contentsquare", text)]


def audit(*events):
    """Audit events with payloads, whose size is that of the payload with its escapes."""
    return [captured("/audit", "[" + ",".join(json.dumps({"_id": f"62b38b3c{number:016x}", "event": kind, "activity": "a",
            "timestamp": "2024-01-31T10:11:12.345Z", "data": data}) for number, (kind, data) in enumerate(events)) + "]")]


def read(rows):
    return "read", '{"type":"t","value":[' + rows + "]}"


def click(number, **changes):
    data = {"metadata": {"auto_generated": True, "event_id_source": "sdk"}, "connection_type": "WIFI", "element": {"type": "button"},
            "previous_events": [], "sources_info": []}
    return json.dumps({"event_type": "click", "event_id": f"FD8AF18C-B0EA-430A-A701-{number:012X}", "timestamp": NOW,
                       "is_background": False, "data": {**data, **changes}})


def near(name, number):
    """A name that differs from a planned one by few letters; another one for each number."""
    place = number % len(name)
    return name[:place] + f"{number // len(name):x}" + name[place:]


def search(number, **attributes):
    """A planned event, with values of its own."""
    return event(number, event_type="search", attributes={"_session_id": "s", **attributes})


def screen(number, cv="{}"):
    return (f'{{"upt":1,"euid":"FD8AF18C-B0EA-430A-A701-{number:012X}","url":"app-ios://shop/H?title=H","scn":0,"c":1,"o":0,"vo":{{"sv":"1",'
            f'"sb":1,"av":"1","af":"release","ab":1}},"sn":1,"t":{NOW},"ea":4,"st":"H","sl":0,"cv":{cv}}}')


KINDS = {
    "deep nesting": lambda: [packed("[" * (SIZE // 2) + "]" * (SIZE // 2))],
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
    "small events of findings": lambda: [packed("[" + ",".join(['{"attributes":{' + ",".join(f'"{i}":1' for i in range(100)) + "}}"] * 100_000)[:SIZE].rsplit(",{", 1)[0] + "]")],
    "many users": lambda: [packed("[" + numbered(lambda n: event(n, unique_id=f"u{n}", user={"_user_id": {"value": f"v{n}"}})) + "]")],
    "many sessions": lambda: [packed("[" + numbered(lambda n: event(n, attributes={"_session_id": f"s{n}"})) + "]")],
    "many screens": lambda: [packed("[" + numbered(lambda n: event(n, event_type="_screen_view", attributes={"_session_id": "s", "_screen_name": f"n{n}", "_screen_unique_id": f"{n}"})) + "]")],
    "many names": lambda: [packed("[" + numbered(lambda n: event(n, event_type=f"n{n}")) + "]")],
    "long ids with one beginning": lambda: [packed("[" + numbered(lambda n: event(n, unique_id="u" * 20_000 + str(n), attributes={"_session_id": "s" * 20_000 + str(n)})) + "]")],
    "one moment": lambda: [packed("[" + numbered(lambda n: event(n)) + "]")] * 2,
    "one event again and again": lambda: [packed("[" + ",".join([event(1)] * 100_000) + "]")],
    "long string": lambda: [packed(in_attributes('"a":"' + "x" * (SIZE - 1_000) + '"'))],
    "long id": lambda: [packed("[" + event("x" * (SIZE - 1_000)) + "]")],
    "long name of an attribute": lambda: [packed(in_attributes('"' + "x" * (SIZE - 1_000) + '":1'))],
    "combining characters": lambda: [packed(in_attributes(",".join('"' + "a" + "\u0301\u0316" * 5_000 + str(n) + '":1' for n in range(SIZE // 20_100))))],
    "escapes": lambda: [packed(in_attributes('"a":"' + "\\u0041" * (SIZE // 6 - 200) + '"'))],
    "escaped id": lambda: [packed("[" + event(1).replace("e1", "\\u0041" * (SIZE // 6 - 200)) + "]")],
    "NUL in an id": lambda: [packed("[" + event(1).replace("e1", "\\u0000" * (SIZE // 6 - 200)) + "]")],
    "spaces in a number": lambda: [packed(in_attributes('"_session_number":"' + " " * (SIZE - 1_000) + '"'))],
    "huge number": lambda: [packed(in_attributes('"a":' + "9" * (SIZE - 1_000)))],
    "huge fraction": lambda: [packed(in_attributes('"a":0.' + "0" * (SIZE - 1_000) + "1"))],
    "huge number, small exponent": lambda: [packed(in_attributes('"a":1' + "3" * (SIZE - 1_000) + f"e-{SIZE - 1_000}"))],
    "white space": lambda: [packed("[" + " " * (SIZE - 10) + "]")],
    "not UTF-8": lambda: [packed(b'["' + b"\xff" * 100_000 + b'"]')],
    "bomb": lambda: [packed(b" " * 700_000_000)],
    "bomb of text": lambda: [packed(b"[" + b"[]," * 200_000_000 + b"[]]")],
    "gzip of gzip": lambda: [packed(gzip.compress(b" " * SIZE))],
    "many members": lambda: [base64.b64encode(gzip.compress(b"") * 35_000 + gzip.compress(b"[]"))],
    "members that hide their size": lambda: [base64.b64encode(gzip.compress(in_event("x", filled("1", ("[", "]"))).encode()) + gzip.compress(b"")) for _ in range(4)],
    "encoded twice": lambda: [(gzip.compress(packed(os.urandom(1_000) * 400_000)[: SIZE // 2]), {"Content-Encoding": "gzip"})],
    "bomb under Content-Encoding": lambda: [(gzip.compress(b" " * 700_000_000), {"Content-Encoding": "gzip"})],
    "chained identities": lambda: [packed("[" + ",".join(event(n, timestamp=NOW + n // 4_194_304) for n in range(100_000)) + "]"), packed("[" + event("x") + "]"), packed("[" + event(1) + "]")],
    "pulse: array of numbers": lambda: pulse("[" + ",".join(["1"] * 100_000) + "]"),
    "pulse: empty events": lambda: pulse("[" + ",".join(["{}"] * 100_000) + "]"),
    "pulse: good events": lambda: pulse("[" + numbered(click) + "]"),
    "pulse: one event again and again": lambda: pulse("[" + ",".join([click(1)] * min(100_000, SIZE // 400)) + "]"),
    "pulse: many sources": lambda: pulse("[" + click(1).replace('"sources_info": []', filled("{}", ('"sources_info": [', "]"))) + "]"),
    "pulse: many events of many sources": lambda: pulse("[" + numbered(lambda n: click(n, sources_info=[7] * 100, previous_events=[7] * 100)) + "]"),
    "pulse: many members": lambda: pulse("[" + click(1)[:-2] + "," + numbered(lambda n: f'"a{n}":1', 10**8) + "}}]"),
    "pulse: one member again and again": lambda: pulse("[" + filled('"data":{}', ("{", "}")) + "]"),
    "pulse: many navigation paths": lambda: pulse("[" + click(1)[:-1] + ',"sub_sids":{' + numbered(lambda n: f'"p{n}":1', 10**8) + "}}]"),
    "pulse: many names": lambda: pulse("[" + numbered(lambda n: click(n).replace("click", f"n{n}")) + "]"),
    "pulse: long name": lambda: pulse("[" + click(1).replace("click", "x" * (SIZE - 1_000)) + "]"),
    "pulse: long id": lambda: pulse("[" + click(1).replace("FD8AF18C", "F" * (SIZE - 1_000)) + "]"),
    "pulse: bomb": lambda: pulse(" " * 700_000_000),
    "contentsquare: long header": lambda: contentsquare('{"uid":"' + "x" * (SIZE - 1_000) + '","pl":[{}]}'),
    "contentsquare: long header of many events": lambda: contentsquare('{"uid":[' + ",".join(['"' + "x" * 1_000 + '"'] * (SIZE // 2_200)) + '],"pl":[' + ",".join(["{}"] * min(100_000, SIZE // 6)) + "]}"),
    "contentsquare: header of many members": lambda: contentsquare("{" + numbered(lambda n: f'"a{n}":1', 10**8) + ',"pl":[{},{}]}'),
    "contentsquare: many batches in one": lambda: contentsquare("{" + filled('"pl":[{}]') + "}"),
    "contentsquare: many events": lambda: contentsquare('{"pl":[' + numbered(screen) + "]}"),
    "contentsquare: many variables": lambda: contentsquare('{"pl":[' + screen(1, "{" + numbered(lambda n: f'"{n}":{{"a":1}}', 10**8) + "}") + "]}"),
    "contentsquare: one variable again and again": lambda: contentsquare('{"pl":[' + screen(1, filled('"1":{"a":"b"}', ("{", "}"))) + "]}"),
    "audit: many rows": lambda: audit(read(numbered(lambda n: f'{{"id":{n}}}'))),
    "audit: more rows than are checked": lambda: audit(read(filled("{}", ("", "")))),
    "audit: many events of many rows": lambda: audit(*map(read, different(lambda k: ",".join(f'{{"id":{n}}}' for n in range(k * 1_000, k * 1_000 + 1_000))))),
    "audit: many tables": lambda: audit(("write", "{" + numbered(lambda n: f'"t{n}":{{"deletions":[{{"id":1}}]}}') + "}")),
    "audit: many events of many tables": lambda: audit(*[("write", "{" + ",".join(f'"t{n}":{{}}' for n in range(1_000)) + "}") for _ in range(SIZE // 14_000)]),
    "audit: many columns": lambda: audit(("write", '{"t":{"modifications":[{"oldValue":{"a":1},"newValue":{' + numbered(lambda n: f'"a{n}":1', 10**8) + "}}]}}")),
    "audit: one column again and again": lambda: audit(read(filled('"a":1', ("{", "}")))),
    "audit: deep nesting": lambda: audit(read("[" * (SIZE // 4) + "]" * (SIZE // 4))),
    "audit: metadata": lambda: [captured("/audit", "[{" + numbered(lambda n: f'"m{n}":1', 10**8) + "}]")],
    "audit: one event again and again": lambda: [captured("/audit", "[" + ",".join(['{"_id":"62b38b3c0000000000000001"}'] * min(100_000, SIZE // 40)) + "]")],
    "audit: modifications of long rows": lambda: audit(("write", '{"t":{"modifications":[' + filled('{"oldValue":{"id":1,"a":"' + "x" * 10_000 + '"},"newValue":{"a":"y"}}') + "]}}")),
    "audit: modifications without a change": lambda: audit(("write", '{"t":{"modifications":[' + numbered(lambda n: f'{{"oldValue":{{"id":{n},"a":1}},"newValue":{{"a":1}}}}') + "]}}")),
    "audit: insertions and deletions of the same rows": lambda: audit(("write", '{"t":{' + ",".join(f'"{kind}":[' + numbered(lambda n: f'{{"id":{n}}}', 10**8, share=0.5) + "]" for kind in ("insertions", "deletions")) + "}}")),
    "audit: columns of a region": lambda: audit(("read", '{"type":"t","value":null,"columns":[' + numbered(lambda n: f'"c{n}"', 10**8) + "]}")),
    "audit: long keys": lambda: audit(read(filled('{"id":"' + "k" * 100_000 + '"}'))),
    "audit: long names of tables": lambda: audit(("write", "{" + numbered(lambda n: '"' + "t" * 5_000 + f'{n}":{{"insertions":[{{"id":1}}]}}') + "}")),
    "audit: payload of escapes": lambda: audit(read(filled('{"a":"\\u0000\\ud83d\\ude42"}'))),
    "audit: payloads that are no JSON": lambda: audit(*[("write", "{" * 200) for _ in range(SIZE // 400)]),
    "audit: payload of combining characters": lambda: audit(read('{"id":"a' + "\u0301" * (SIZE // 6) + '"}')),
    "audit: long activity and type": lambda: [captured("/audit", '[{"_id":"62b38b3c0000000000000001","event":"' + "e" * (SIZE // 2) + '","activity":"' + "a" * (SIZE // 2) + '"}]')],
    "long name": lambda: [packed("[" + event(1, event_type="x" * (SIZE - 1_000)) + "]")],
    "name of combining marks": lambda: [packed("[" + event(1).replace("tap", "a" + MARK * (SIZE // 4 - 200)) + "]")],
    "values of combining marks": lambda: [packed("[" + search(1, query="Q", note="N", unit="U").replace('"Q"', marked(3)).replace('"N"', marked(3)).replace('"U"', marked(3)) + "]")],
    "short names of combining marks": lambda: [packed("[" + numbered(lambda n: event(n).replace("tap", f"tap{n}" + MARK * 30)) + "]")],
    "names near to planned ones": lambda: [packed("[" + numbered(lambda n: event(n, event_type=near("add_to_cart", n))) + "]")],
    "attributes near to planned ones": lambda: [packed("[" + numbered(lambda n: search(n, **{near("currency", 100 * n + i): 1 for i in range(100)})) + "]")],
    "one event of attributes near to planned ones": lambda: [packed(in_attributes(numbered(lambda n: f'"{near("currency", n)}":1', 10**8)))],
    "users near to planned ones": lambda: [packed("[" + numbered(lambda n: event(n, user={near("subscription", n): {"value": "x"}})) + "]")],
    "values near to planned ones": lambda: [packed("[" + numbered(lambda n: search(n, unit=near("kilogram", n), note=near("n" * 99, n))) + "]")],
    "long text for a pattern": lambda: [packed("[" + search(1, query="a" * (SIZE - 1_000) + "!") + "]")],
    "texts for patterns": lambda: [packed("[" + numbered(lambda n: search(n, query="a" * 1_000 + f"!{n}", word="x" * 1_000 + f"!{n}", path="0/" * 500 + f"!{n}")) + "]")],
    "texts for patterns, past their steps": lambda: [packed("[" + numbered(lambda n: search(n, query="a" * 200_000 + f"!{n}", word="x" * 200_000 + f"!{n}")) + "]")],
    "broken patterns": lambda: [packed("[" + numbered(lambda n: search(n, query="(((a+)+)+[b-" * 50, **{"(a" * 20: n}).replace("tap", "[" * 20)) + "]")],
    "pulse: name of combining marks": lambda: pulse("[" + click(1).replace("click", "a" + MARK * (SIZE // 4 - 200)) + "]"),
    "pulse: members of combining marks": lambda: pulse("[" + click(1)[:-2] + "," + numbered(lambda n: '"a' + MARK * 100 + f'{n}":1', 10**8) + "}}]"),
    "pulse: names near to known ones": lambda: pulse("[" + numbered(lambda n: click(n).replace("click", near("items_impression", n))) + "]"),
    "pulse: texts for patterns": lambda: pulse("[" + numbered(lambda n: click(n, connection_type="(a+)+" * 200, element={"type": "(" * 1_000}).replace("FD8AF18C", "F" * 1_000)) + "]"),
    "contentsquare: long name": lambda: contentsquare('{"pl":[' + screen(1).replace('"ea":4', '"ea":' + "9" * (SIZE - 1_000)) + "]}"),
    "contentsquare: long address": lambda: contentsquare('{"pl":[' + screen(1).replace("app-ios://shop/H?title=H", "app-ios://" + "%41/../" * (SIZE // 7 - 200)) + "]}"),
    "contentsquare: combining marks": lambda: contentsquare('{"pl":[' + screen(1).replace('"st":"H"', '"st":' + marked(2)).replace("title=H", "title=" + "a" + MARK * (SIZE // 8 - 200)) + "]}"),
    "contentsquare: header of combining marks": lambda: contentsquare("{" + numbered(lambda n: '"a' + MARK * 100 + f'{n}":1', 10**8) + ',"pl":[{},{}]}'),
    "contentsquare: unknown actions": lambda: contentsquare('{"pl":[' + numbered(lambda n: screen(n).replace('"ea":4', f'"ea":{n + 20}')) + "]}"),
    "contentsquare: texts for patterns": lambda: contentsquare('{"pl":[' + numbered(lambda n: screen(n).replace("app-ios://shop/H?title=H", "a" * 500 + "://" + "(a+)+" * 100).replace("FD8AF18C", "F" * 500)) + "]}"),
    "audit: names of combining marks": lambda: audit(("write", "{" + numbered(lambda n: '"t' + MARK * 100 + f'{n}":{{"insertions":[{{"id{MARK * 100}":"{n}"}}]}}') + "}")),
    "audit: columns of combining marks": lambda: audit(read("{" + numbered(lambda n: '"a' + MARK * 100 + f'{n}":1', 10**8) + "}")),
    "audit: names near to known ones": lambda: audit(*[(near("write", n), "{}") for n in range(min(100_000, SIZE // 150))]),
    "audit: many activities": lambda: [captured("/audit", "[" + numbered(lambda n: f'{{"_id":"62b38b3c{n:016x}","event":"read","activity":"{near("activity", n)}","data":null}}') + "]")],
    "audit: texts for patterns": lambda: [captured("/audit", "[" + numbered(lambda n: json.dumps({"_id": f"{n:x}" + "6" * 500, "event": "(a+)+" * 20, "activity": "[" * 100, "timestamp": "2024-01-31T10:11:12." + "3" * 500 + "Z", "data": '{"t":' * 20})) + "]")],
    "audit: long timestamp": lambda: [captured("/audit", '[{"_id":"62b38b3c0000000000000001","event":"read","activity":"a","data":null,"timestamp":"2024-01-31T10:11:12.' + "3" * (SIZE - 1_000) + 'Z"}]')],
    "as many at a time as 24": lambda: [[packed(in_event("x", filled("1", ("[", "]"))))] * 24],
    "small ones, 200 at a time": lambda: [[packed("[" + ",".join(["1"] * 100_000) + "]")] * 200],
}

# Kinds of each input that has to be cheap, by the path that takes them: /collect, /pulse, /contentsquare, /audit.
TABLE = {
    "one long name": ["long name", "pulse: long name", "contentsquare: long name", "audit: long activity and type"],
    "many rows": ["one moment", "pulse: good events", "contentsquare: many events", "audit: many rows"],
    "many columns": ["many attributes", "pulse: many members", "contentsquare: header of many members", "audit: many columns"],
    "combining marks": ["name of combining marks", "pulse: name of combining marks", "contentsquare: combining marks", "audit: names of combining marks"],
    "unplanned names": ["names near to planned ones", "pulse: names near to known ones", "contentsquare: unknown actions", "audit: names near to known ones"],
    "patterns": ["texts for patterns", "pulse: texts for patterns", "contentsquare: texts for patterns", "audit: texts for patterns"],
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
