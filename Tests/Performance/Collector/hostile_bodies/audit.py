"""Hostile bodies of the audit format."""
import json

import hostile_text as text
from hostile_text import MARK, captured, different, filled, near, numbered


def audit(*events):
    """Audit events with payloads, whose size is that of the payload with its escapes."""
    return [captured("/audit", "[" + ",".join(json.dumps({"_id": f"62b38b3c{number:016x}", "event": kind, "activity": "a",
            "timestamp": "2024-01-31T10:11:12.345Z", "data": data}) for number, (kind, data) in enumerate(events)) + "]")]


def read(rows):
    return "read", '{"type":"t","value":[' + rows + "]}"


KINDS = {
    "audit: many rows": lambda: audit(read(numbered(lambda n: f'{{"id":{n}}}'))),
    "audit: more rows than are checked": lambda: audit(read(filled("{}", ("", "")))),
    "audit: many events of many rows": lambda: audit(*map(read, different(lambda k: ",".join(f'{{"id":{n}}}' for n in range(k * 1_000, k * 1_000 + 1_000))))),
    "audit: many tables": lambda: audit(("write", "{" + numbered(lambda n: f'"t{n}":{{"deletions":[{{"id":1}}]}}') + "}")),
    "audit: many events of many tables": lambda: audit(*[("write", "{" + ",".join(f'"t{n}":{{}}' for n in range(1_000)) + "}") for _ in range(text.SIZE // 14_000)]),
    "audit: many columns": lambda: audit(("write", '{"t":{"modifications":[{"oldValue":{"a":1},"newValue":{' + numbered(lambda n: f'"a{n}":1', 10**8) + "}}]}}")),
    "audit: one column again and again": lambda: audit(read(filled('"a":1', ("{", "}")))),
    "audit: deep nesting": lambda: audit(read("[" * (text.SIZE // 4) + "]" * (text.SIZE // 4))),
    "audit: metadata": lambda: [captured("/audit", "[{" + numbered(lambda n: f'"m{n}":1', 10**8) + "}]")],
    "audit: one event again and again": lambda: [captured("/audit", "[" + ",".join(['{"_id":"62b38b3c0000000000000001"}'] * min(100_000, text.SIZE // 40)) + "]")],
    "audit: modifications of long rows": lambda: audit(("write", '{"t":{"modifications":[' + filled('{"oldValue":{"id":1,"a":"' + "x" * 10_000 + '"},"newValue":{"a":"y"}}') + "]}}")),
    "audit: modifications without a change": lambda: audit(("write", '{"t":{"modifications":[' + numbered(lambda n: f'{{"oldValue":{{"id":{n},"a":1}},"newValue":{{"a":1}}}}') + "]}}")),
    "audit: insertions and deletions of the same rows": lambda: audit(("write", '{"t":{' + ",".join(f'"{kind}":[' + numbered(lambda n: f'{{"id":{n}}}', 10**8, share=0.5) + "]" for kind in ("insertions", "deletions")) + "}}")),
    "audit: columns of a region": lambda: audit(("read", '{"type":"t","value":null,"columns":[' + numbered(lambda n: f'"c{n}"', 10**8) + "]}")),
    "audit: long keys": lambda: audit(read(filled('{"id":"' + "k" * 100_000 + '"}'))),
    "audit: long names of tables": lambda: audit(("write", "{" + numbered(lambda n: '"' + "t" * 5_000 + f'{n}":{{"insertions":[{{"id":1}}]}}') + "}")),
    "audit: payload of escapes": lambda: audit(read(filled('{"a":"\\u0000\\ud83d\\ude42"}'))),
    "audit: payloads that are no JSON": lambda: audit(*[("write", "{" * 200) for _ in range(text.SIZE // 400)]),
    "audit: payload of combining characters": lambda: audit(read('{"id":"a' + "\u0301" * (text.SIZE // 6) + '"}')),
    "audit: long activity and type": lambda: [captured("/audit", '[{"_id":"62b38b3c0000000000000001","event":"' + "e" * (text.SIZE // 2) + '","activity":"' + "a" * (text.SIZE // 2) + '"}]')],
    "audit: names of combining marks": lambda: audit(("write", "{" + numbered(lambda n: '"t' + MARK * 100 + f'{n}":{{"insertions":[{{"id{MARK * 100}":"{n}"}}]}}') + "}")),
    "audit: columns of combining marks": lambda: audit(read("{" + numbered(lambda n: '"a' + MARK * 100 + f'{n}":1', 10**8) + "}")),
    "audit: names near to known ones": lambda: audit(*[(near("write", n), "{}") for n in range(min(100_000, text.SIZE // 150))]),
    "audit: many activities": lambda: [captured("/audit", "[" + numbered(lambda n: f'{{"_id":"62b38b3c{n:016x}","event":"read","activity":"{near("activity", n)}","data":null}}') + "]")],
    "audit: texts for patterns": lambda: [captured("/audit", "[" + numbered(lambda n: json.dumps({"_id": f"{n:x}" + "6" * 500, "event": "(a+)+" * 20, "activity": "[" * 100, "timestamp": "2024-01-31T10:11:12." + "3" * 500 + "Z", "data": '{"t":' * 20})) + "]")],
    "audit: long timestamp": lambda: [captured("/audit", '[{"_id":"62b38b3c0000000000000001","event":"read","activity":"a","data":null,"timestamp":"2024-01-31T10:11:12.' + "3" * (text.SIZE - 1_000) + 'Z"}]')],
}

TABLE = {
    "one long name": "audit: long activity and type",
    "many rows": "audit: many rows",
    "many columns": "audit: many columns",
    "combining marks": "audit: names of combining marks",
    "unplanned names": "audit: names near to known ones",
    "patterns": "audit: texts for patterns",
}
