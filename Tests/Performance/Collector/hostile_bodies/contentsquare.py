"""Hostile bodies of the Contentsquare format."""
import hostile_text as text
from hostile_text import MARK, NOW, captured, filled, marked, numbered


def contentsquare(body):
    return [captured("/contentsquare", body)]


def screen(number, cv="{}"):
    return (f'{{"upt":1,"euid":"FD8AF18C-B0EA-430A-A701-{number:012X}","url":"app-ios://shop/H?title=H","scn":0,"c":1,"o":0,"vo":{{"sv":"1",'
            f'"sb":1,"av":"1","af":"release","ab":1}},"sn":1,"t":{NOW},"ea":4,"st":"H","sl":0,"cv":{cv}}}')


KINDS = {
    "contentsquare: long header": lambda: contentsquare('{"uid":"' + "x" * (text.SIZE - 1_000) + '","pl":[{}]}'),
    "contentsquare: long header of many events": lambda: contentsquare('{"uid":[' + ",".join(['"' + "x" * 1_000 + '"'] * (text.SIZE // 2_200)) + '],"pl":[' + ",".join(["{}"] * min(100_000, text.SIZE // 6)) + "]}"),
    "contentsquare: header of many members": lambda: contentsquare("{" + numbered(lambda n: f'"a{n}":1', 10**8) + ',"pl":[{},{}]}'),
    "contentsquare: many batches in one": lambda: contentsquare("{" + filled('"pl":[{}]') + "}"),
    "contentsquare: many events": lambda: contentsquare('{"pl":[' + numbered(screen) + "]}"),
    "contentsquare: many variables": lambda: contentsquare('{"pl":[' + screen(1, "{" + numbered(lambda n: f'"{n}":{{"a":1}}', 10**8) + "}") + "]}"),
    "contentsquare: one variable again and again": lambda: contentsquare('{"pl":[' + screen(1, filled('"1":{"a":"b"}', ("{", "}"))) + "]}"),
    "contentsquare: long name": lambda: contentsquare('{"pl":[' + screen(1).replace('"ea":4', '"ea":' + "9" * (text.SIZE - 1_000)) + "]}"),
    "contentsquare: long address": lambda: contentsquare('{"pl":[' + screen(1).replace("app-ios://shop/H?title=H", "app-ios://" + "%41/../" * (text.SIZE // 7 - 200)) + "]}"),
    "contentsquare: combining marks": lambda: contentsquare('{"pl":[' + screen(1).replace('"st":"H"', '"st":' + marked(2)).replace("title=H", "title=" + "a" + MARK * (text.SIZE // 8 - 200)) + "]}"),
    "contentsquare: header of combining marks": lambda: contentsquare("{" + numbered(lambda n: '"a' + MARK * 100 + f'{n}":1', 10**8) + ',"pl":[{},{}]}'),
    "contentsquare: unknown actions": lambda: contentsquare('{"pl":[' + numbered(lambda n: screen(n).replace('"ea":4', f'"ea":{n + 20}')) + "]}"),
    "contentsquare: texts for patterns": lambda: contentsquare('{"pl":[' + numbered(lambda n: screen(n).replace("app-ios://shop/H?title=H", "a" * 500 + "://" + "(a+)+" * 100).replace("FD8AF18C", "F" * 500)) + "]}"),
}

TABLE = {
    "one long name": "contentsquare: long name",
    "many rows": "contentsquare: many events",
    "many columns": "contentsquare: header of many members",
    "combining marks": "contentsquare: combining marks",
    "unplanned names": "contentsquare: unknown actions",
    "patterns": "contentsquare: texts for patterns",
}
