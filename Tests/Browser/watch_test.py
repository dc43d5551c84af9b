"""Browser tests of the views Watch and Crashes: questions that the collector answers about all of its events."""

import json
import re
import subprocess
import time
import urllib.error
import urllib.parse

from playwright.sync_api import expect

from browser import BrowserTest
from collector import CLI, event

# Attributes as JSON texts, in the spellings that an app may send, each with conditions that hold for some of them.
SENT = [
    "{}", '{"value":99.9}', '{"value":99.90}', '{"value":"99.9"}', '{"value":"99.90"}', '{"value":999e-1}', '{"value":1}', '{"value":1.0}', '{"value":-0}', '{"value":0}',
    '{"value":9007199254740993}', '{"value":9007199254740992}', '{"value":9223372036854775808}', '{"value":18446744073709551616}', '{"value":1e400}', '{"value":0.00001}', '{"value":1e-05}',
    '{"value":true}', '{"value":"true"}', '{"value":null}', '{"value":"null"}', '{"value":""}', '{"value":"caf\\u00e9"}', '{"value":"café"}', '{"value":"cafe\u0301"}',
    '{"value":"\\ud800"}', '{"value":"\\n\\"\\\\"}', '{"value":[1,2]}', '{"value":[2,1]}', '{"value":[1.0,2e0]}', '{"value":{"a":1,"b":2}}', '{"value":{"b":2,"a":1}}',
    '{"value":{"a":0,"a":1}}', '{"value":[]}', '{"value":{}}', '{"value":1,"value":2}', '{"value":[{"id":"a"},{"id":"b"}]}', '{"value":[[1],[2]]}', '{"a.b":1}', '{"*":1}', '{"":1}', '{"value":1E3}', '{"value":1000}',
]
CONDITIONS = [
    "attributes.value == 99.9", "attributes.value == 99.90", 'attributes.value == "99.9"', "attributes.value != 99.9", "attributes.value==1", "$.attributes.value == 1.0", " attributes.value  !=  1 ",
    "attributes.value == 0", "attributes.value == -0", "attributes.value == -0.0", "attributes.value == 0.0", "attributes.value == 9007199254740992", "attributes.value == 9007199254740993",
    "attributes.value == 9.007199254740992e+15", "attributes.value == 9007199254740992.0", "attributes.value == 1.8446744073709552e+19", "attributes.value == 18446744073709551616", "attributes.value == 9223372036854775808", "attributes.value == 9223372036854775807",
    "attributes.value == 1e-05", "attributes.value == 0.00001", "attributes.value == 0.0001", "attributes.value == 1e400", "attributes.value == 1e3", "attributes.value == 1000", "attributes.value == 1000.0",
    "attributes.value == true", "attributes.value == null", "attributes.value != null", 'attributes.value == "null"', 'attributes.value == ""', 'attributes.value == "café"', 'attributes.value == "\\u00e9"', 'attributes.value == "\\ufffd"',
    'attributes.value == "\\n\\"\\\\"', "attributes.value == [1,2]", "attributes.value == [1.0, 2]", "attributes.value == [99.90]", 'attributes.value == {"b":2,"a":1}', 'attributes.value == {"a":1}', 'attributes.value == {"a":0,"a":1}', "attributes.value == []", "attributes.value == {}",
    "attributes.value[0] == 1", "attributes.value[+0] == 1", "attributes.value[*] == 2", "attributes.value.* == 2", "attributes.value[*][*] == 2", 'attributes.value[*].id == "b"', 'attributes.value[1].id == "b"', 'attributes["a.b"] == 1', "attributes['a.b'] != 1", 'attributes["*"] == 1', 'attributes[""] == 1',
    "attributes.value.x == 1", "attributes[0] == 1", '["attributes"].value == 2', "attributes == 1", '*.value == 1', "$[*].value == 1",
]
# Texts that are no conditions.
ERRORS = ["attributes.value", "attributes.value = 1", "attributes.value ==", "attributes.value == shoes", "attributes.value == 01", "attributes. == 1", "attributes[ == 1", 'attributes["a] == 1', 'attributes["a"b"] == 1', "attributes[-1] == 1", "attributes[1.5] == 1", "$ == 1", "== 1", "attributes.value == 1 2", "attributes.value === 1", "attributes.value == {a:1}", "attributes value == 1"]


def shop(count=3, **attributes):
    """Purchases of a user, the last with other attributes."""
    return [event("purchase", user="carl", value=99.9, currency="EUR") for _ in range(count - 1)] + [event("purchase", user="eve", **{"value": 99.9, "currency": "EUR"} | attributes)]


def watched(*entries):
    """Address of a view on watched events."""
    return "#watch?" + urllib.parse.urlencode({"watch": json.dumps(entries)})


class WatchTest(BrowserTest):
    def row(self, page, name):
        return page.locator(".watch-row", has=page.locator(".name", has_text=re.compile(f"^{re.escape(name)}$")))

    def cells(self, page, name):
        """Texts of the cells of a row, without its sign and times."""
        return self.row(page, name).evaluate("(row) => [...row.children].slice(1, -1).map((cell) => cell.textContent)")

    def has(self, page, name, *cells):
        self.until(page, f"""[...document.querySelectorAll('.watch-row')].some((row) =>
            JSON.stringify([...row.children].slice(1, 8).map((cell) => cell.textContent)) === {json.dumps(json.dumps([name, *cells], ensure_ascii=False, separators=(",", ":")))})""")

    def add(self, page, name, expected=""):
        page.locator("#watch-name").fill(name)
        page.locator("#watch-expected").fill(expected)
        page.keyboard.press("Enter")

    def test_a_key_and_a_name_show_the_last_value_and_the_number(self):
        self.collector.send(shop(value=100))
        page = self.open()
        page.keyboard.press("8")
        page.keyboard.type("purchase: attributes.value == 99.9")
        page.keyboard.press("Enter")
        self.has(page, "purchase", "attributes.value == 99.9", "100attributes.value", "not expected", "good", "3", "eve")
        page.keyboard.type("purchase")
        page.keyboard.press("Enter")
        self.has(page, "purchase", "", "100 EUR", "received", "good", "3", "eve")
        self.assertEqual(self.appearance(page), [])
        self.picture(page, "watch")

    def test_conditions_hold_for_the_same_events_as_in_the_command(self):
        texts = [json.dumps(event("tried", unique=f"case {index}") | {"attributes": "sent"}).replace('"sent"', sent) for index, sent in enumerate(SENT)]
        self.assertEqual(self.collector.send("[" + ",".join(texts) + "]"), 200)
        page = self.open()
        script = self.collector.url + page.evaluate("JSON.parse(document.getElementById('facts').textContent).folder") + "/Condition.js"
        held = page.evaluate("""async ([script, texts, conditions]) => {
            const { Condition } = await import(script);
            return conditions.map((text) => texts.flatMap((json, index) => (new Condition(text).holds(json) ? [index] : [])));
        }""", [script, texts, CONDITIONS])
        for condition, cases in zip(CONDITIONS, held):
            with self.subTest(condition=condition):
                query = urllib.parse.urlencode({"step": f"tried:{condition}", "by": "unique_id", "limit": 1000})
                report = json.loads(self.collector.get(f"api/report/funnel?{query}")[1])
                self.assertEqual(cases, sorted(int(group["value"][5:]) for group in report["groups"] if group["steps"][0]["users"]))
        # The command reads the events itself.
        for condition in CONDITIONS[:2]:
            expected = f"tried:{len(held[CONDITIONS.index(condition)])}"
            subprocess.run([CLI, "assert", "--event", expected, "--where", condition, "--within", "1s", "--url", self.collector.url], check=True, capture_output=True, timeout=60)
        refused = page.evaluate("""async ([script, texts]) => {
            const { Condition } = await import(script);
            return texts.map((text) => { try { new Condition(text); return null; } catch (error) { return error.message; } });
        }""", [script, ERRORS])
        for text, reason in zip(ERRORS, refused):
            with self.subTest(text=text):
                self.assertTrue(reason)
                with self.assertRaises(urllib.error.HTTPError) as refusal:
                    self.collector.get("api/report/funnel?" + urllib.parse.urlencode({"step": f"tried:{text}"}))
                self.assertEqual(refusal.exception.code, 400)
