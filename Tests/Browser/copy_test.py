"""Tests of "Copy as…": each copied text is run, and gives the event that was copied.

The events are those of Tests/Fixtures/CopiedEvents.ndjson. Numbers whose names begin with "long_" have more digits than a double or an integer
of 64 bits. COPIED_CALLS=write writes the Swift calls, which Tests/ClickstreamAnalyticsTests runs.
"""

import decimal
import json
import os
import re
import shutil
import subprocess
import textwrap
import uuid

from playwright.sync_api import expect

from audit import back_office
from browser import BrowserTest
from collector import CLI, ROOT, Collector, event
from formats import FORMATS

FORMS = ["json", "curl", "record", "replay", "assert", "swift"]
CALLS = os.path.join(ROOT, "Tests/ClickstreamAnalyticsTests/CopiedCalls.swift")
with open(os.path.join(ROOT, "Tests/Fixtures/CopiedEvents.ndjson"), newline="") as file:
    EVENTS = file.read().strip("\n").split("\n")

# Attributes that the SDK adds; a screen view names its screen.
ADDED = {"_session_id", "_session_start_timestamp", "_session_duration", "_session_number", "_entrances", "_previous_screen_name", "_engagement_time_msec"}
SCREEN = {"_screen_name", "_screen_id", "_screen_unique_id"}

# Names of values that a script cannot have: long numbers, and a text that begins with a byte order mark.
UNSCRIPTED = ["long_", "bom"]
# Those that no condition compares: long numbers, and an identifier that differs in each run.
UNEXPECTED = ["long_", "_screen_unique_id"]

NAME, KANJI = "n" * 50, "\u6771"
# The attributes of an item that do not count as its own.
ITEM = dict.fromkeys(["id", "name", "brand", "currency", "price", "quantity", "creative_name", "creative_slot", "location_id", "category", *(f"category{level}" for level in range(2, 6))], "x")


def numbered(count):
    return {f"k{index}": index for index in range(count)}


def items(*values):
    return event("purchase") | {"items": values}


def user(values, **attributes):
    return event("purchase", **attributes) | {"user": {name: {"value": value} for name, value in values.items()}}


# Events at the limits of the SDK and beyond them, with the values that a copy leaves out. The SDK adds four attributes to an event. A text that
# begins with @ is a number.
LIMITS = [
    (event(NAME, **{NAME: KANJI * 1024, "_previous_timestamp": "+5", "_engagement_time_msec": 2**63 - 1, "long_digits": 10**127}, **numbered(492)), []),
    (event("purchase", **{NAME + "n": 1, "text": "x" * 1025, "list": [1], "_previous_timestamp": "5.0", "_engagement_time_msec": 1.5}), [NAME + "n", "text", "list", "_previous_timestamp", "_engagement_time_msec"]),
    (event("purchase", **{"a b": 1, "digits": 10**128, "small": "@1e-400", "infinite": "@1e400"}, **numbered(497)), ["a b", "digits", "small", "infinite", "k496"]),
    (items(ITEM | {NAME: KANJI * 256} | numbered(9), *({"id": index} for index in range(99))), []),
    (items({"id": 1} | numbered(11), {"id": 2, NAME + "n": 1, "text": "x" * 257}, {"id": 3, "item_category2": "x", "a b": 1}), ["items[0].k10", f"items[1].{NAME}n", "items[1].text", "items[2].item_category2", "items[2].a b"]),
    (items("1", {"id": ""}, {"id": True}, {"name": "x"}, *({"id": index} for index in range(101))), ["items[0]", "items[1]", "items[2]", "items[3]", "items[104]"]),
    (user({"_user_id": KANJI * 256, "_user_age": 2**31 - 1, NAME: KANJI * 256} | numbered(98)), []),
    (user({"_user_id": "x" * 257, "_user_age": 2**31, NAME + "n": 1, "text": "x" * 257} | numbered(101)), ["user._user_id", "user._user_age", f"user.{NAME}n", "user.text", "user.k100"]),
    (user({"_user_id": 5, "plan": "free"}, session="s" * 1025), ["user._user_id"]),
    (event("_screen_view", _screen_name="Home", _screen_unique_id="7", _screen_id=5), ["_screen_id"]),
    (event("purchase", **{"": 1}), [""]),
]

HEAD = '''// swift-format-ignore-file
// Tests/Browser/copy_test.py writes this file.

import Clickstream
import Foundation

/// Calls that the inspector page copies for the events of Tests/Fixtures/CopiedEvents.ndjson.
enum CopiedCalls {
    /// Records an event again by its name. Returns false for a name without a call.
    static func record(_ name: String) -> Bool {
        switch name {
CASES
        default: return false
        }
        return true
    }
'''


def parsed(text):
    """A JSON text; numbers keep their type and all digits."""
    return json.loads(text, parse_float=decimal.Decimal)


def typed(value):
    kind = type(value).__name__
    # An integer beyond 64 bits is a decimal number, as one with a fraction is.
    if kind == "int" and not -2**63 <= value < 2**63:
        kind = "Decimal"
    return kind, decimal.Decimal(value) if kind == "Decimal" else value


def content(event, without=()):
    """What an app determines of an event: name, attributes with types, items, user."""
    added = ADDED if event["event_type"] == "_screen_view" else ADDED | SCREEN

    def values(members):
        return {name: typed(value) for name, value in members.items() if not name.startswith(tuple(without))}

    return {
        "name": event["event_type"],
        "attributes": values({name: value for name, value in event["attributes"].items() if name not in added}),
        "items": [values(item) for item in event.get("items", [])],
        "user": values({name: entry["value"] for name, entry in event["user"].items() if name != "_user_first_touch_timestamp"}),
    }


def remaining(event, paths):
    """An event without the values at the paths of a note."""

    def left(members, path=""):
        return {name: value for name, value in members.items() if path + name not in paths}

    items = [left(item, f"items[{index}].") for index, item in enumerate(event.get("items", [])) if f"items[{index}]" not in paths]
    return event | {"attributes": left(event["attributes"]), "items": items, "user": left(event["user"], "user.")}


def other(value):
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    return value + ("x" if isinstance(value, str) else 1 if isinstance(value, int) else max(1, abs(value) / 4))


def variants(event, without=()):
    """Copies of an event with one value changed in each: of the attributes, the items, and the user."""
    values = [*content(event, without)["attributes"]]
    references = [lambda copy, name=name: (copy["attributes"], name) for name in values]
    references += [lambda copy, index=index, name=name: (copy["items"][index], name) for index, item in enumerate(event.get("items", [])) for name in item]
    references += [lambda copy, name=name: (copy["user"][name], "value") for name in event["user"] if name != "_user_first_touch_timestamp"]
    for reference in references:
        copy = json.loads(json.dumps(event, default=float)) | {"event_id": str(uuid.uuid4())}
        members, name = reference(copy)
        members[name] = other(members[name])
        yield copy


class CopyTest(BrowserTest):
    def setUp(self):
        super().setUp()
        folder = self.collector.folder.name
        self.home = os.path.join(folder, "home")
        os.makedirs(os.path.join(folder, "bin"))
        os.mkdir(self.home)
        os.symlink(os.path.abspath(CLI), os.path.join(folder, "bin/clickstream-cli"))
        # A store without the events that are copied.
        self.other = Collector().__enter__()
        self.addCleanup(self.other.__exit__)
        self.environment = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": self.home, "LC_ALL": "C.UTF-8"}

    def run_text(self, text, status=0):
        """Runs a text in a shell. Nothing that it contains runs, so that no file is made."""
        command = ["bash", "-c", text]
        if len(text) > 100_000:
            file = os.path.join(self.collector.folder.name, "command.sh")
            with open(file, "w", newline="") as script:
                script.write(text)
            command = ["bash", file]
        done = subprocess.run(command, cwd=self.home, env=self.environment, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, status, (text, done.stdout, done.stderr))
        self.assertEqual(set(os.listdir(self.home)) - {".local"}, set(), text)
        return done

    def record(self, command):
        """Runs a command without the session and the events that another one stored."""
        shutil.rmtree(os.path.join(self.home, ".local"), ignore_errors=True)
        self.run_text(command)

    def open_page(self, **options):
        return self.open(permissions=["clipboard-read", "clipboard-write"], **options)

    def rows(self, form="events", collector=None):
        return json.loads((collector or self.collector).get(f"/api/{form}?limit=1000")[1])["events"]

    def last(self, form="events", collector=None):
        """Position of the newest event."""
        return max((row["seq"] for row in self.rows(form, collector)), default=0)

    def stored(self, after, form="events", collector=None):
        """The stored events after a position, each as its JSON text."""
        return [(collector or self.collector).get(f"/api/{form}/{row['seq']}")[1].decode() for row in self.rows(form, collector) if row["seq"] > after]

    def send(self, line):
        """Sends an event. Returns its position; the collector does not store one that is nested too deeply."""
        before = self.last()
        self.assertEqual(self.collector.send(f"[{line}]"), 200)
        self.assertGreater(self.last(), before, line[:80])
        return self.last()

    def send_again(self, command, form="events"):
        """The JSON text of the event that a command sends to the other store."""
        after = self.last(form, self.other)
        self.run_text(self.elsewhere(command))
        [text] = self.stored(after, form, self.other)
        return text

    def elsewhere(self, command):
        """A command for the other store."""
        self.assertIn(self.collector.url[:-1], command)
        return command.replace(self.collector.url[:-1], self.other.url[:-1])

    def show(self, page, sequence, view="events", panel="#event-panel"):
        # Without the panel of another event, whose button would be clicked.
        page.goto(f"{self.collector.url}#{view}")
        expect(page.locator(panel)).to_be_hidden()
        page.goto(f"{self.collector.url}#{view}?event={sequence}")
        button = page.locator(panel).get_by_role("button", name="Copy as")
        expect(button).to_be_visible()
        return button

    def offered(self, page, button):
        """Names of the forms that the dialog offers, and its texts."""
        button.click()
        expect(page.locator("#copy-json")).to_be_visible()
        forms = page.locator("dialog [id^=copy-]").evaluate_all("(buttons) => buttons.map(({ id }) => id.slice(5))")
        texts = page.locator("dialog dd").all_inner_texts()
        page.locator("dialog").get_by_role("button", name="Close").click()
        return forms, texts

    def copies(self, page, button, forms=FORMS):
        """The texts of forms, by their names."""
        texts = {}
        for form in forms:
            page.evaluate("navigator.clipboard.writeText('')")
            button.click()
            page.locator(f"#copy-{form}").click()
            self.until(page, "navigator.clipboard.readText()")
            texts[form] = page.evaluate("navigator.clipboard.readText()")
        return texts

    def replay(self, steps, before=("launch",)):
        script = os.path.join(self.collector.folder.name, "script.yaml")
        with open(script, "w") as file:
            file.write("clickstream: 1\nconfig: { appId: shop }\nsteps:\n" + "".join(f"  - {step}\n" for step in before) + steps + "\n")
        done = subprocess.run([CLI, "replay", script, "--endpoint", self.collector.endpoint], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, (steps, done.stderr))

    def newest(self, after, name):
        found = [parsed(row)["event"] for row in self.stored(after)]
        return [event for event in found if event["event_type"] == name][-1]

    def test_each_copy_gives_the_same_event(self):
        page = self.open_page()
        calls = {}
        for line in EVENTS:
            original = parsed(line)
            name = original["event_type"]
            with self.subTest(event=name):
                copies = self.copies(page, self.show(page, self.send(line)))
                calls[name] = copies["swift"]

                self.assertEqual(copies["json"], line)

                after = self.last()
                self.record(copies["record"])
                self.assertEqual(content(self.newest(after, name)), content(original))

                after = self.last()
                self.replay(copies["replay"])
                self.assertEqual(content(self.newest(after, name)), content(original, UNSCRIPTED))

                self.run_text(copies["assert"])
                self.assertEqual(self.other.send([event("another"), *variants(original, UNEXPECTED)]), 200)
                self.run_text(self.elsewhere(copies["assert"]), status=1)

                self.assertTrue(self.send_again(copies["curl"]).startswith(f'{{"event":{line},"'))
        self.compare_calls(calls)

    def compare_calls(self, calls):
        """The file with the Swift calls has exactly the copied ones."""
        functions = {name: re.sub(r"_(\w)", lambda match: match[1].upper(), name.strip("_")) for name in calls}
        text = HEAD.replace("CASES", "\n".join(f'        case "{name}": {function}()' for name, function in functions.items()))
        for name, function in functions.items():
            text += f"\n    static func {function}() {{\n{textwrap.indent(calls[name], ' ' * 8)}\n    }}\n"
        text += "}\n"
        if os.environ.get("COPIED_CALLS") == "write":
            with open(CALLS, "w") as file:
                file.write(text)
        with open(CALLS) as file:
            self.assertEqual(file.read(), text)

    def test_hostile_texts_run_nothing_in_any_form(self):
        names = ["a b", "x'y\"z", "it's", 'say "hi"', "$(touch x)", "`touch x`", "; touch x", "a=b", "a:=1", "]", "", "'", "\\", "é", "\u0301", "-rf", "a.b", "\x7f", "\u2028", "long" * 20]
        hostile = event("purchase", **{name: name for name in names})
        hostile["attributes"] |= {"nested": {"a": [1, "'$(touch x)"]}, "list": [1], "nothing": None, "text": "x" * 2000, "kept": 1}
        hostile["items"] = [5, {"name": "without id"}, {"id": "1", "$(touch x)": 1, "nested": {}}, {"id": {}}]
        hostile["user"] |= {"$(touch x)": {"value": "'$(touch x)'"}, "plain": "no object", "kept": {"value": "'; touch x"}}
        # White space between the tokens, raw control characters, and half of a surrogate pair.
        line = json.dumps(hostile, ensure_ascii=False, indent="\t").replace("\n", "\r\n").replace('"kept": 1', '"kept": 1, "half": "\\ud800", "huge": 1e400, "twice": 1, "twice": 2')
        lines = [line, *[json.dumps(event(name)) for name in ["2nd $(touch x)", "-rf", "a:2", "it's", "name\u0301", "n" * 60]], '{"event_type":5}', "{}"]
        page = self.open_page()
        for line in lines:
            with self.subTest(line=line[:80]):
                button = self.show(page, self.send(line))
                forms, texts = self.offered(page, button)
                copies = self.copies(page, button, forms)
                # An event of the stream has spaces in place of the line ends between tokens; one that was read alone is as it was sent.
                on_one_line = lambda text: text.replace("\r\n", "  ")
                self.assertEqual(on_one_line(copies["json"]), on_one_line(line))
                self.assertTrue(on_one_line(self.send_again(copies["curl"])).startswith(f'{{"event":{on_one_line(line)},"'))
                if "assert" in copies:
                    self.run_text(copies["assert"])
                is_recorded = "purchase" in line
                self.assertEqual([form for form in ("record", "replay", "swift") if form in forms], ["record", "replay", "swift"] if is_recorded else [])
                if is_recorded:
                    self.assertIn("Without a b, ", texts[2])
                    self.assertIn(": 1", copies["swift"])
                    expected = ("purchase", {"kept": 1, "half": "\ufffd", "twice": 2}, [{"id": "1"}], "'; touch x")
                    for run in [lambda: self.record(copies["record"]), lambda: self.replay(copies["replay"])]:
                        after = self.last()
                        run()
                        found = self.newest(after, "purchase")
                        own = {name: value for name, value in found["attributes"].items() if not name.startswith("_")}
                        self.assertEqual((found["event_type"], own, found["items"], found["user"]["kept"]["value"]), expected)
                        self.assertNotIn("_error_code", found["attributes"])

    def test_values_that_a_command_cannot_have_are_left_out(self):
        """Commands run for events in which a part has another type, that are nested too deeply for a condition, and with long texts and numbers."""
        lines = [
            json.dumps(event("purchase") | {"items": {"a b": {"id": "1"}}}), json.dumps(event("purchase") | {"attributes": [1, {"a": 2}]}), json.dumps(event("purchase", user="ann") | {"user": [{"value": 1}]}),
            json.dumps(event("purchase", text="x" * 200_000)), json.dumps(event("purchase", **{"n" * 200_000: 1})), json.dumps(event("n" * 200_000)),
            json.dumps(event("purchase", user="a\nb") | {"app_id": "a\nb"}),
            json.dumps(items(*({"id": str(index)} | {name: "\u200b" * 200 for name in numbered(10)} for index in range(30)))),
            # The collector stores up to 128 levels.
            *(json.dumps(event("purchase", nested="@")).replace('"@"', text) for text in ["[" * 120 + "]" * 120, '{"a": 1, "a": 2}', f"0.1{'0' * 200_000}1"]),
        ]
        page = self.open_page()
        for line in lines:
            with self.subTest(line=line[:80], end=line[-80:]):
                button = self.show(page, self.send(line))
                forms = [form for form in ("record", "assert") if form in self.offered(page, button)[0]]
                self.assertEqual(forms, [] if '"event_type": "nn' in line else ["record", "assert"])
                copies = self.copies(page, button, forms)
                if forms:
                    self.run_text(copies["assert"])
                    after = self.last()
                    self.record(copies["record"])
                    found = self.newest(after, "purchase")
                    self.assertEqual(found.get("user", {}).get("_user_id", {}).get("value"), "a\nb" if "a\\nb" in line else None)
                    self.assertEqual(len(found.get("items", [])), 30 if "k9" in line else 0)

    def test_values_beyond_a_limit_are_left_out_and_listed(self):
        page = self.open_page()
        for sent, left_out in LIMITS:
            with self.subTest(left_out=left_out, event=str(sent)[-80:]):
                line = re.sub(r'"@([^"]*)"', r"\1", json.dumps(sent))
                button = self.show(page, self.send(line))
                texts = self.offered(page, button)[1]
                copies = self.copies(page, button, ["record", "replay"])
                unscripted = [name for name in sent["attributes"] if name.startswith("long_")]
                for text, run, paths in [
                    ("Queues and sends it. ", lambda: self.record(copies["record"]), left_out),
                    ("For a script. ", lambda: self.replay(copies["replay"]), left_out + unscripted),
                ]:
                    listed = ", ".join(path or '""' for path in paths)
                    self.assertIn(f"{text}Without {' and '.join(filter(None, [listed, 'what the SDK adds']))}.", texts)
                    after = self.last()
                    run()
                    self.assertEqual(content(self.newest(after, sent["event_type"])), content(remaining(parsed(line), paths)))

    def test_events_of_the_sdk_have_the_steps_that_give_them(self):
        steps = {
            "_app_start": (["launch", "background"], None), "_app_end": (["launch"], None),
            "_profile_set": (["launch"], "ClickstreamAnalytics.setUserId(\"carl\")"), "_app_exception": (["launch"], None), "_session_start": (None, None),
        }
        page = self.open_page()
        for name, (before, swift) in steps.items():
            with self.subTest(event=name):
                sent = event(name, user="carl", **({"_exception_message": "it's null", "_exception_stack": "at a\nat b"} if name == "_app_exception" else {}))
                sent["user"]["a b"] = {"value": 1}
                self.assertEqual(self.collector.send([sent]), 200)
                button = self.show(page, self.last())
                forms, texts = self.offered(page, button)
                self.assertEqual(forms, ["json", "curl", *(["replay"] if before else []), "assert", *(["swift"] if swift else [])])
                self.assertEqual(texts[2], f"Only the SDK records {name}.")
                copies = self.copies(page, button, forms[2:])
                self.assertEqual(copies.get("swift"), swift)
                if before:
                    self.assertEqual(texts[3], "For a script. Without user.a b.")
                    after = self.last()
                    self.replay(copies["replay"], before)
                    found = self.newest(after, name)
                    self.assertEqual(found["user"]["_user_id"]["value"], "carl")
                    for attribute in ("_exception_message", "_exception_stack"):
                        self.assertEqual(found["attributes"].get(attribute), sent["attributes"].get(attribute))

    def test_captured_and_audit_events_are_sent_to_their_endpoints(self):
        for form in FORMATS.values():
            for body in form.shopping().requests:
                self.assertEqual(self.collector.capture(form.shopping().form, body), 200)
        self.assertEqual(self.collector.capture("audit?partition=audit-1", back_office()), 200)
        page = self.open_page()
        firsts = [("captured", next(row for row in self.rows("captured") if row["form"] == form), "#captured-event") for form in FORMATS]
        firsts.append(("audit", self.rows("audit")[1], "#audit-panel"))
        for view, row, panel in firsts:
            with self.subTest(view=view, form=row["form"]):
                button = self.show(page, row["seq"], view, panel)
                self.assertEqual(self.offered(page, button)[0], ["json", "curl"])
                copies = self.copies(page, button, ["json", "curl"])
                self.assertEqual(parsed(copies["json"]), parsed(json.dumps(row["event"])))
                copy = json.loads(self.send_again(copies["curl"], view))
                for member in ("form", "event", "header", "partition"):
                    self.assertEqual(copy.get(member), row.get(member))

    def test_a_long_event_is_copied_whole(self):
        line = json.dumps(event("page", text="it's long " * 30_000, kept="yes"))
        page = self.open_page()
        copies = self.copies(page, self.show(page, self.send(line)), ["json", "curl", "record"])
        self.assertEqual(copies["json"], line)
        self.assertTrue(self.send_again(copies["curl"]).startswith(f'{{"event":{line},"'))
        after = self.last()
        self.record(copies["record"])
        self.assertEqual(self.newest(after, "page")["attributes"]["kept"], "yes")

    def test_the_dialog_is_operated_by_keys_and_on_a_phone(self):
        self.assertEqual(self.collector.send([event("purchase", session="s", price=699.0)]), 200)
        page = self.open_page()
        button = self.show(page, self.last())
        page.keyboard.press("y")
        expect(page.locator("#copy-json")).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.locator("#copy-curl")).to_be_focused()
        expect(page.locator("#dialog")).to_contain_text("Without what the SDK adds.")
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_be_hidden()
        button.focus()
        page.keyboard.press("Enter")
        page.locator("#copy-record").press("Enter")
        expect(button).to_be_focused()
        expect(page.locator("#notice")).to_have_text("record command copied.")
        self.assertIn("price:=699.0", page.evaluate("navigator.clipboard.readText()"))
        page.keyboard.press("Escape")
        page.keyboard.press("y")
        expect(page.locator("dialog")).to_be_hidden()

        phone = self.open_page(width=390, height=844, has_touch=True)
        self.show(phone, self.last()).tap()
        phone.locator("#copy-swift").tap()
        expect(phone.locator("#notice")).to_have_text("Swift call copied.")
        self.assertIn('"price": 699.0', phone.evaluate("navigator.clipboard.readText()"))
        self.assertFalse(phone.evaluate("document.documentElement.scrollWidth > innerWidth"))
