"""Hostile bodies of the Pulse format."""
import json

import hostile_text as text
from hostile_text import MARK, NOW, captured, filled, near, numbered


def pulse(body):
    return [captured("/pulse", body)]


def click(number, **changes):
    data = {"metadata": {"auto_generated": True, "event_id_source": "sdk"}, "connection_type": "WIFI", "element": {"type": "button"},
            "previous_events": [], "sources_info": []}
    return json.dumps({"event_type": "click", "event_id": f"FD8AF18C-B0EA-430A-A701-{number:012X}", "timestamp": NOW,
                       "is_background": False, "data": {**data, **changes}})


KINDS = {
    "pulse: array of numbers": lambda: pulse("[" + ",".join(["1"] * 100_000) + "]"),
    "pulse: empty events": lambda: pulse("[" + ",".join(["{}"] * 100_000) + "]"),
    "pulse: good events": lambda: pulse("[" + numbered(click) + "]"),
    "pulse: one event again and again": lambda: pulse("[" + ",".join([click(1)] * min(100_000, text.SIZE // 400)) + "]"),
    "pulse: many sources": lambda: pulse("[" + click(1).replace('"sources_info": []', filled("{}", ('"sources_info": [', "]"))) + "]"),
    "pulse: many events of many sources": lambda: pulse("[" + numbered(lambda n: click(n, sources_info=[7] * 100, previous_events=[7] * 100)) + "]"),
    "pulse: many members": lambda: pulse("[" + click(1)[:-2] + "," + numbered(lambda n: f'"a{n}":1', 10**8) + "}}]"),
    "pulse: one member again and again": lambda: pulse("[" + filled('"data":{}', ("{", "}")) + "]"),
    "pulse: many navigation paths": lambda: pulse("[" + click(1)[:-1] + ',"sub_sids":{' + numbered(lambda n: f'"p{n}":1', 10**8) + "}}]"),
    "pulse: many names": lambda: pulse("[" + numbered(lambda n: click(n).replace("click", f"n{n}")) + "]"),
    "pulse: long name": lambda: pulse("[" + click(1).replace("click", "x" * (text.SIZE - 1_000)) + "]"),
    "pulse: long id": lambda: pulse("[" + click(1).replace("FD8AF18C", "F" * (text.SIZE - 1_000)) + "]"),
    "pulse: bomb": lambda: pulse(" " * 700_000_000),
    "pulse: name of combining marks": lambda: pulse("[" + click(1).replace("click", "a" + MARK * (text.SIZE // 4 - 200)) + "]"),
    "pulse: members of combining marks": lambda: pulse("[" + click(1)[:-2] + "," + numbered(lambda n: '"a' + MARK * 100 + f'{n}":1', 10**8) + "}}]"),
    "pulse: names near to known ones": lambda: pulse("[" + numbered(lambda n: click(n).replace("click", near("items_impression", n))) + "]"),
    "pulse: texts for patterns": lambda: pulse("[" + numbered(lambda n: click(n, connection_type="(a+)+" * 200, element={"type": "(" * 1_000}).replace("FD8AF18C", "F" * 1_000)) + "]"),
}

TABLE = {
    "one long name": "pulse: long name",
    "many rows": "pulse: good events",
    "many columns": "pulse: many members",
    "combining marks": "pulse: name of combining marks",
    "unplanned names": "pulse: names near to known ones",
    "patterns": "pulse: texts for patterns",
}
