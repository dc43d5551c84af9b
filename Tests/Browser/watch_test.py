"""Browser tests of the views Watch and Crashes: questions that the collector answers about all of its events."""

import contextlib
import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from playwright.sync_api import Error as PlaywrightError
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
    '{"value":9007199254740994}', '{"value":9007199254740994.0}', '{"value":"9007199254740994.0"}', '{"value":1e16}',
]
CONDITIONS = [
    "attributes.value == 99.9", "attributes.value == 99.90", 'attributes.value == "99.9"', "attributes.value != 99.9", "attributes.value==1", "$.attributes.value == 1.0", " attributes.value  !=  1 ",
    "attributes.value == 0", "attributes.value == -0", "attributes.value == -0.0", "attributes.value == 0.0", "attributes.value == 9007199254740992", "attributes.value == 9007199254740993",
    "attributes.value == 9.007199254740992e+15", "attributes.value == 9007199254740992.0", "attributes.value == 9007199254740994.0", "attributes.value == 9.007199254740994e+15", "attributes.value == 10000000000000000.0", "attributes.value == 1e+16", "attributes.value == 1.8446744073709552e+19", "attributes.value == 18446744073709551616", "attributes.value == 9223372036854775808", "attributes.value == 9223372036854775807",
    "attributes.value == 1e-05", "attributes.value == 0.00001", "attributes.value == 0.0001", "attributes.value == 1e400", "attributes.value == 1e3", "attributes.value == 1000", "attributes.value == 1000.0",
    "attributes.value == true", "attributes.value == null", "attributes.value != null", 'attributes.value == "null"', 'attributes.value == ""', 'attributes.value == "café"', 'attributes.value == "\\u00e9"', 'attributes.value == "\\ufffd"',
    'attributes.value == "\\n\\"\\\\"', "attributes.value == [1,2]", "attributes.value == [1.0, 2]", "attributes.value == [99.90]", 'attributes.value == {"b":2,"a":1}', 'attributes.value == {"a":1}', 'attributes.value == {"a":0,"a":1}', "attributes.value == []", "attributes.value == {}",
    "attributes.value[0] == 1", "attributes.value[+0] == 1", "attributes.value[*] == 2", "attributes.value.* == 2", "attributes.value[*][*] == 2", 'attributes.value[*].id == "b"', 'attributes.value[1].id == "b"', 'attributes["a.b"] == 1', "attributes['a.b'] != 1", 'attributes["*"] == 1', 'attributes[""] == 1',
    "attributes.value.x == 1", "attributes[0] == 1", '["attributes"].value == 2', "attributes == 1", '*.value == 1', "$[*].value == 1",
]
# Texts that are no conditions.
INVALID = ["attributes.value", "attributes.value = 1", "attributes.value ==", "attributes.value == shoes", "attributes.value == 01", "attributes. == 1", "attributes[ == 1", 'attributes["a] == 1', 'attributes["a"b"] == 1', "attributes[-1] == 1", "attributes[1.5] == 1", "$ == 1", "== 1", "attributes.value == 1 2", "attributes.value === 1", "attributes.value == {a:1}", "attributes value == 1"]


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
        held = self.call(page, "Condition", """({ Condition }, [texts, conditions]) =>
            conditions.map((text) => texts.flatMap((json, index) => (new Condition(text).holds(json) ? [index] : [])))""", [texts, CONDITIONS])
        for condition, cases in zip(CONDITIONS, held):
            with self.subTest(condition=condition):
                query = urllib.parse.urlencode({"step": f"tried:{condition}", "by": "unique_id", "limit": 1000})
                report = json.loads(self.collector.get(f"api/report/funnel?{query}")[1])
                self.assertEqual(cases, sorted(int(group["value"][5:]) for group in report["groups"] if group["steps"][0]["users"]))
        # The command reads the events itself.
        for condition in CONDITIONS[:2]:
            expected = f"tried:{len(held[CONDITIONS.index(condition)])}"
            subprocess.run([CLI, "assert", "--event", expected, "--where", condition, "--within", "1s"], env=os.environ | {"CLICKSTREAM_COLLECTOR": self.collector.url}, check=True, capture_output=True, timeout=60)
        refused = self.call(page, "Condition", """({ Condition }, texts) =>
            texts.map((text) => { try { new Condition(text); return null; } catch (error) { return error.message; } })""", INVALID)
        for text, reason in zip(INVALID, refused):
            with self.subTest(text=text):
                self.assertTrue(reason)
                with self.assertRaises(urllib.error.HTTPError) as refusal:
                    self.collector.get("api/report/funnel?" + urllib.parse.urlencode({"step": f"tried:{text}"}))
                self.assertEqual(refusal.exception.code, 400)

    def test_a_new_event_updates_its_row_and_reads_no_other(self):
        self.collector.send([*shop(), event("login", user="carl", method="password")])
        page = self.open()
        # What is read before the first events of the stream is read again after them.
        self.tally(page, "4 events")
        page.goto(self.collector.url + watched(["purchase", "attributes.value == 99.9"], ["login"], ["logout"]))
        self.has(page, "purchase", "attributes.value == 99.9", "99.9attributes.value", "as expected", "good", "3", "eve")
        self.has(page, "logout", "", "", "not received", "", "0", "")
        page.requested.clear()
        self.collector.send([event("purchase", user="mallory", value="99.9")])
        self.has(page, "purchase", "attributes.value == 99.9", '"99.9"attributes.value', "not expected", "good", "4", "mallory")
        self.collector.send([event("logout", user="mallory", **{"a b": 1})])
        expect(self.row(page, "logout").locator(".state-of")).to_have_text("received")
        expect(self.row(page, "logout").locator(".codes")).not_to_have_text("good")
        expect(self.row(page, "logout")).to_have_class(re.compile(r"\bbad\b"))
        expect(self.row(page, "logout").locator(".figure")).to_have_text("1")
        read = [urllib.parse.unquote(url) for url in page.requested if "/api/events?" in url or "/api/report/" in url]
        self.assertEqual(len(read), 4, read)
        self.assertFalse([url for url in read if "name=login" in url], read)

    def test_a_new_event_of_other_conditions_leaves_the_row(self):
        self.collector.send(shop())
        page = self.open("#watch?" + urllib.parse.urlencode({"watch": json.dumps([["purchase"]]), "user": "carl"}))
        self.has(page, "purchase", "", "99.9 EUR", "received", "good", "2", "carl")
        expect(page.locator("#watch-conditions")).to_have_text("Filter (1)")
        self.collector.send(shop(1, value=5))
        self.collector.send([event("purchase", user="carl", value=6)])
        self.has(page, "purchase", "", "6", "received", "good", "3", "carl")
        page.locator("#watch-conditions").click()
        page.locator("#watch-user").fill("eve")
        self.has(page, "purchase", "", "5 EUR", "received", "good", "2", "eve")

    def test_an_entry_flashes_if_motion_is_allowed(self):
        self.collector.send(shop())
        for motion, animations in [("no-preference", 1), ("reduce", 0)]:
            page = self.open(watched(["purchase"]), reduced_motion=motion)
            expect(self.row(page, "purchase").locator(".figure")).not_to_have_text("\u2026")
            expect(page.locator(".watch-row.fresh")).to_have_count(0)
            self.collector.send(shop(1))
            expect(page.locator(".watch-row.fresh")).to_have_count(1)
            self.assertEqual(page.evaluate("document.getAnimations().filter(({ animationName }) => animationName === 'fresh').length"), animations)

    def test_frequent_names_are_offered_while_none_is_watched(self):
        self.collector.send([*shop(), event("login"), event("login"), *[event("_app_start") for _ in range(5)]])
        page = self.open("#watch")
        offered = page.locator(".suggestions button")
        expect(offered).to_have_text(["purchase 3", "login 2", "_app_start 5"])
        self.assertEqual(self.appearance(page), [])
        offered.first.click()
        self.has(page, "purchase", "", "99.9 EUR", "received", "good", "3", "eve")
        expect(page.locator("#watch-state")).to_be_hidden()

    def test_a_store_without_events_waits_for_the_first(self):
        page = self.open("#watch")
        expect(page.locator("#watch-state")).to_contain_text("Enter the name of an event that your app sends")
        self.add(page, "purchase")
        expect(self.row(page, "purchase").locator(".state-of")).to_have_text("not received")
        self.row(page, "purchase").click()
        expect(page.locator("#watch-panel")).to_contain_text("It is shown here as soon as it arrives")
        self.collector.send(shop(1))
        self.has(page, "purchase", "", "99.9 EUR", "received", "good", "1", "eve")

    def test_an_entry_opens_its_last_event_and_is_removed(self):
        self.collector.send(shop(value=100))
        page = self.open(watched(["purchase", "attributes.value == 99.9"], ["login"]))
        expect(self.row(page, "purchase").locator(".figure")).to_have_text("3")
        page.locator(".watch-list").focus()
        page.keyboard.press("ArrowDown")
        panel = page.locator("#watch-panel")
        expect(panel.locator("h2")).to_have_text("purchase")
        expect(panel.locator(".facts")).to_contain_text("expectedattributes.value == 99.9found100")
        self.assertEqual(self.appearance(page), [])
        self.picture(page, "watch-event")
        address = page.url.removeprefix(self.collector.url)
        again = self.open(address)
        expect(again.locator("#watch-panel .facts")).to_contain_text("found100")
        expect(again.locator(".watch-row[aria-selected=true] .name")).to_have_text("purchase")
        page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Delete")
        expect(page.locator(".watch-row .name")).to_have_text(["login"])
        expect(panel).to_be_hidden()
        page.keyboard.press("j")
        panel.locator("button", has_text="Remove").click()
        expect(page.locator(".watch-row")).to_have_count(0)
        expect(page.locator("#watch-name")).to_be_focused()
        self.assertNotIn("watch=", page.url)

    def test_a_reload_restores_the_entries_and_leaves_out_what_is_none(self):
        self.collector.send(shop())
        page = self.open("#watch")
        self.add(page, "purchase", "attributes.value == 99.9")
        self.add(page, "purchase", "attributes.currency != \"USD\"")
        self.add(page, "purchase", "attributes.value == 99.9")
        expect(page.locator(".watch-row")).to_have_count(2)
        page.reload()
        expect(page.locator(".watch-row .expected")).to_have_text(["attributes.value == 99.9", 'attributes.currency != "USD"'])
        expect(page.locator(".watch-row .state-of")).to_have_text(["as expected", "as expected"])
        for list_, names in [("nothing", []), ("{}", []), ('[["a","b"],["c"],[1],"d",[""]]', ["c"]), (json.dumps([[f"n{index}"] for index in range(60)]), 50)]:
            other = self.open("#watch?" + urllib.parse.urlencode({"watch": list_}))
            if names == 50:
                self.until(other, "document.querySelector('.watch-list .space').style.height === `${50 * 28}px`")
            else:
                expect(other.locator(".watch-row .name")).to_have_text(names)

    def test_an_invalid_expected_value_is_reported_beside_the_field(self):
        page = self.open("#watch")
        page.locator("#watch-expected").fill("attributes.value = 1")
        page.keyboard.press("Enter")
        expect(page.locator("#watch-error")).to_contain_text("name of an event is missing")
        expect(page.locator("#watch-name")).to_be_focused()
        page.keyboard.type("purchase")
        page.keyboard.press("Enter")
        expect(page.locator("#watch-error")).to_contain_text("use == for equality")
        expect(page.locator("#watch-expected")).to_have_attribute("aria-invalid", "true")
        self.assertEqual(self.appearance(page), [])
        page.locator("#watch-expected").fill("attributes.value == 99.90")
        expect(page.locator("#watch-error")).to_be_empty()
        page.locator("#watch-add").click()
        expect(page.locator("#notice")).to_contain_text("99.90 is not the shortest spelling")
        expect(page.locator(".watch-row .expected")).to_have_text('attributes.value == "99.90"')

    def test_a_failure_of_the_collector_is_shown_and_read_again(self):
        self.collector.send(shop())
        page = self.open("")
        fail = lambda route: route.fulfill(status=503, body='{"error":"too many <b>reports</b> are being computed"}')
        page.route(re.compile("/api/report/count"), fail)
        page.keyboard.press("8")
        expect(page.locator("#watch-problem")).to_contain_text("too many <b>reports</b> are being computed")
        self.assertEqual(self.appearance(page), [])
        page.unroute(re.compile("/api/report/count"))
        page.locator("#watch-problem button").click()
        expect(page.locator(".suggestions button")).to_have_text(["purchase 3"])
        expect(page.locator("#watch-problem")).to_be_hidden()
        self.add(page, "purchase")
        self.has(page, "purchase", "", "99.9 EUR", "received", "good", "3", "eve")
        page.route(re.compile("/api/report/count"), fail)
        self.collector.send(shop(1, value=1))
        expect(page.locator("#watch-problem")).to_contain_text("too many")
        expect(self.row(page, "purchase").locator(".value")).to_have_text("1 EUR")
        page.unroute(re.compile("/api/report/count"))
        self.has(page, "purchase", "", "1 EUR", "received", "good", "4", "eve")
        expect(page.locator("#watch-problem")).to_be_hidden()

    def test_a_reset_of_the_store_leaves_the_entries(self):
        self.collector.send(shop())
        page = self.open(watched(["purchase"]))
        expect(self.row(page, "purchase").locator(".figure")).to_have_text("3")
        page.locator("#reset").click()
        page.locator("#reset-confirm").click()
        expect(self.row(page, "purchase").locator(".state-of")).to_have_text("not received")
        self.collector.send(shop(1))
        expect(self.row(page, "purchase").locator(".figure")).to_have_text("1")

    def test_a_reply_from_before_a_reset_is_no_event_of_the_store_after_it(self):
        self.collector.send(shop(5, value=5))
        page = self.open("#watch")
        late = []
        page.route(re.compile("/api/events[?].*name=purchase"), lambda route: route.continue_() if late else late.append((route, route.fetch())))
        self.add(page, "purchase")
        self.until(page, "document.querySelectorAll('.watch-row').length === 1")
        self.wait(page, lambda: late, lambda: "the event was not read")
        urllib.request.urlopen(urllib.request.Request(self.collector.url + "api/reset", method="POST")).close()
        expect(page.locator("#counters [data-counter=events] strong")).to_have_text("0")
        self.collector.send([event("purchase", user="new", value=1)])
        expect(page.locator("#counters [data-counter=events] strong")).to_have_text("1")
        page.unroute(re.compile("/api/events[?].*name=purchase"))
        for route, response in late:
            with contextlib.suppress(PlaywrightError):
                # The page may have given the request up.
                route.fulfill(response=response)
        self.has(page, "purchase", "", "1", "received", "good", "1", "new")

    def test_an_event_added_while_another_is_read_is_read_at_once(self):
        self.collector.send(shop() + [event("refund", value=1)])
        page = self.open("#watch")
        expect(page.locator(".suggestions button")).to_have_count(2)
        # The names are read again, or the first event is.
        self.collector.send([event("other")])
        self.hold(page, "report/count")
        self.add(page, "purchase")
        self.wait_for_held(page)
        self.add(page, "refund")
        expect(page.locator(".watch-row")).to_have_count(2)
        # A reading that takes two seconds is not repeated within 20.
        began = page.evaluate("performance.now()")
        self.until(page, f"performance.now() > {began} + 2000")
        self.release(page)
        self.has(page, "refund", "", "1", "received", "good", "1", "u-1")

    def test_keys_leave_the_filter_of_other_views(self):
        self.collector.send(shop())
        page = self.open("#events?name=purch")
        self.tally(page, "3 of 3 events")
        for view in ["watch", "explore", "requests"]:
            page.locator("h1").click()
            page.keyboard.press("8" if view == "watch" else "e" if view == "explore" else "4")
            expect(page.locator(f"#view-{view}")).to_be_visible()
            for key in ["Escape", "Escape", "b", "Escape"]:
                page.keyboard.press(key)
        page.locator("#tab-events").click()
        self.tally(page, "3 of 3 events")
        expect(page.locator("#filter-name")).to_have_value("purch")
        expect(page.locator("#filters input[value='']")).to_be_checked()
        page.keyboard.press("Escape")
        self.tally(page, "3 events")

    def test_the_entries_remain_while_another_view_has_the_address(self):
        self.collector.send(shop())
        page = self.open("#events")
        self.tally(page, "3 events")
        page.keyboard.press("8")
        page.locator(".suggestions button").click()
        expect(page.locator(".watch-row")).to_have_count(1)
        self.add(page, "refund")
        expect(page.locator(".watch-row")).to_have_count(2)
        # Adding is a step, however it is done.
        page.go_back()
        expect(page.locator(".watch-row")).to_have_count(1)
        page.go_back()
        expect(page.locator(".suggestions button")).to_have_count(1)
        page.go_forward()
        page.go_forward()
        expect(page.locator(".watch-row")).to_have_count(2)
        page.locator("#tab-events").click()
        expect(page.locator("#view-events")).to_be_visible()
        page.go_back()
        expect(page.locator(".watch-row")).to_have_count(2)
        page.go_forward()
        expect(page.locator("#view-events")).to_be_visible()
        page.locator("#tab-questions").click()
        expect(page.locator(".watch-row .name")).to_have_text(["purchase", "refund"])
        self.assertIn("refund", page.url)

    def test_texts_of_an_attacker_stay_text(self):
        script = "<img src=x onerror=alert(1)>"
        name = script + "\u202e\"]['"
        self.collector.send([event(name, user=script, value=script + "\u202e", **{script: script})])
        page = self.open("#watch")
        page.locator(".suggestions button").click()
        expect(page.locator(".watch-row .name")).to_contain_text("\\u202e")
        expect(page.locator(".watch-row .figure")).to_have_text("1")
        page.reload()
        expect(page.locator(".watch-row .figure")).to_have_text("1")
        page.locator(".watch-row").click()
        expect(page.locator("#watch-panel h2")).to_contain_text(script)
        self.add(page, script, f'attributes["{script}"] == "{script}"')
        expect(page.locator(".watch-row .state-of")).to_have_text(["received", "not received"])
        self.assertEqual(page.locator("img").count(), 0)

    def test_a_long_event_is_compared_as_a_whole_or_not(self):
        self.collector.send([event("small", text="x" * 100_000), event("large", text="x" * 400_000)])
        page = self.open(watched(["small", f'attributes.text != "{"x" * 1000}"'], ["small", 'attributes.text == "y"'], ["large", 'attributes.text == "y"']))
        expect(page.locator(".watch-row .state-of")).to_have_text(["as expected", "not expected", "not compared"])

    def test_on_a_phone_and_in_dark_the_view_is_readable(self):
        self.collector.send([*shop(), event("login")])
        for scheme in ["light", "dark"]:
            page = self.open(watched(["purchase", "attributes.value == 100"], ["login"], ["never"]), width=390, height=844, has_touch=True, color_scheme=scheme)
            expect(page.locator(".watch-row .state-of")).to_have_text(["not expected", "received", "not received"])
            self.assertFalse(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
            self.assertEqual(self.appearance(page), [])
            self.picture(page, f"watch-phone-{scheme}")
            page.locator(".watch-row").first.click()
            expect(page.locator("#watch-panel h2")).to_be_focused()
            self.assertEqual(self.appearance(page), [])
            page.locator("#watch-panel button", has_text="Close").click()
            expect(page.locator("#watch-panel")).to_be_hidden()


STACK = """SIGILL at 0x559f10 (illegal instruction), main thread
0 Shop 0x0000559f5f3c1a20 Shop.Basket.total() -> Swift.Double + 412
1 Shop 0x0000559f5f3c2b10 Shop.Checkout.pay() -> () + 96
2 libc.so.6 0x00007f1a2b3c4d5e __libc_start_main + 128"""
CRUMBS = """2026-11-21T08:25:10.000Z info shop: cart opened {"items": "3"}
2026-11-21T08:25:11.500Z warning payment: slow reply <b>"""
MESSAGE = "Shop/Basket.swift:42: Fatal error: the coffee is cold"


def crash(time_ms, message=MESSAGE, stack=STACK, **attributes):
    return event("_app_exception", time_ms=time_ms, **{"user": "carl", "screen": "Checkout"} | attributes,
                 _exception_message=message, _exception_stack=stack, _exception_breadcrumbs=CRUMBS) | {"app_version": "2.1.0"}


def story(now):
    """Requests of an app that crashes: events at, after and long before the crash, of other sessions and of another person in the session."""
    at = lambda name, seconds, **attributes: event(name, time_ms=now - int(seconds * 1000), **{"user": "carl"} | attributes)
    return [
        [at("too_early", 30.001), at("earliest", 30, screen="Home"), at("_screen_view", 20.5, screen="Basket"), at("add_to_cart", 12.345, screen="Basket", value=9.5, currency="EUR"),
         at("other_session", 5, session="s-2"), at("other_person", 4, unique="u-2"), at("later", -5)],
        [crash(now), at("same_time", 0), at("pay", 1.5, screen="Checkout", **{"a b": 1}), at("next_start", -60, session="s-3")],
        [crash(now - 100_000, session="s-4", user="eve", unique="u-4"), crash(now - 200_000, "SIGSEGV at 0x10 (no memory there)", "", session="s-5"), crash(now - 300_000, "SIGSEGV at 0x18 (no memory there)", "", session="s-6")],
    ]


class CrashesTest(BrowserTest):
    def setUp(self):
        super().setUp()
        self.now = int(time.time() * 1000) - 400_000

    def send(self):
        for body in story(self.now):
            self.assertEqual(self.collector.send(body), 200)

    def rows(self, page):
        return page.locator(".before button").evaluate_all("(rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent))")

    def command(self, *options):
        command = [CLI, "report", "crashes", "--url", self.collector.url, "--format", "json", *options]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout)["crashes"]

    def test_a_counter_leads_to_the_latest_crash_with_what_came_before(self):
        self.send()
        page = self.open()
        counter = page.locator("#counters [data-counter=crashes] a")
        expect(counter).to_have_text("4crashes")
        counter.focus()
        page.keyboard.press("Enter")
        # The latest that arrived.
        expect(page.locator(".crash-row .flaws")).to_have_text(["2 similar", "2 similar", "2 similar", "2 similar"])
        expect(page.locator(".crash-row[aria-selected=true] strong")).to_have_text("SIGSEGV at 0x18 (no memory there)")
        expect(page.locator("#crashes-report")).to_contain_text("Its session has no event in this time.")
        page.keyboard.press("G")
        expect(page.locator("#crashes-report .crash-message")).to_have_text(MESSAGE)
        self.assertEqual(self.rows(page), [
            ["-30 s", "earliest", "", "Home"], ["-20.5 s", "_screen_view", "screen_view Basket", "Basket"], ["-12.3 s", "add_to_cart", "9.5 EUR", "Basket"], ["-1.5 s", "! pay", "a b=1", "Checkout"],
            ["0 s", "same_time", "", ""], ["crash", "\u00d7 _app_exception", "Shop.Basket.total() -> Swift.Double", "Checkout"],
        ])
        expect(page.locator("#crashes-report pre[aria-label=Breadcrumbs]")).to_have_text(CRUMBS)
        expect(page.locator("#crashes-report pre[aria-label=Stack]")).to_have_text(STACK)
        self.assertEqual(self.appearance(page), [])
        self.picture(page, "crashes")

    def test_each_crash_has_the_events_and_texts_of_the_command(self):
        self.send()
        expected = self.command()
        self.assertEqual([len(found["before"]) for found in expected], [0, 0, 0, 5])
        page = self.open("#crashes")
        for index, found in enumerate(expected):
            page.locator(".crash-row").nth(index).click()
            self.until(page, f"document.querySelector('.before li:last-child button')?.dataset.sequence === '{found['crash']['seq']}'")
            shown = page.locator(".before button").evaluate_all("(rows) => rows.map((row) => Number(row.dataset.sequence))")
            self.assertEqual(shown, [*[before["seq"] for before in found["before"]], found["crash"]["seq"]])
            attributes = found["crash"]["event"]["attributes"]
            expect(page.locator("#crashes-report .crash-message")).to_have_text(attributes["_exception_message"])
            for title, name in [("Breadcrumbs", "_exception_breadcrumbs"), ("Stack", "_exception_stack")]:
                texts = page.locator(f"#crashes-report pre[aria-label={title}]").all_text_contents()
                self.assertEqual(texts, [attributes[name]] if attributes[name] else [])

    def test_a_session_with_many_events_has_the_latest_ones_of_the_command(self):
        events = [event(f"e{index}", time_ms=self.now - 20_000 + index * 10) for index in range(1_500)]
        later = [event("later", time_ms=self.now + 1 + index) for index in range(1_200)]
        self.collector.send(events[700:] + later)
        self.collector.send([crash(self.now), *events[:700]])
        [found] = self.command()
        self.assertEqual((len(found["before"]), found["omitted"]), (1_000, 500))
        page = self.open("#crashes")
        expect(page.locator(".before button")).to_have_count(1_001)
        expect(page.locator("#crashes-report")).to_contain_text("Only the latest 1,000 events")
        shown = page.locator(".before button").evaluate_all("(rows) => rows.map((row) => Number(row.dataset.sequence))")
        self.assertEqual(shown[:-1], [before["seq"] for before in found["before"]])

    def test_an_event_before_the_crash_opens_and_a_reload_restores_it(self):
        self.send()
        page = self.open("#crashes")
        page.locator(".crash-row").last.click()
        page.locator(".before button").first.focus()
        for _ in range(2):
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        panel = page.locator("#crashes-panel")
        expect(panel.locator("h2")).to_have_text("add_to_cart")
        self.assertEqual(self.appearance(page), [])
        self.picture(page, "crashes-event")
        again = self.open(page.url.removeprefix(self.collector.url))
        expect(again.locator("#crashes-panel h2")).to_have_text("add_to_cart")
        expect(again.locator(".crash-message")).to_have_text(MESSAGE)
        expect(again.locator(".crash-row[aria-selected=true] .who")).to_contain_text("carl \u00b7 2.1.0 \u00b7 Linux")
        page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        expect(page.locator(".crash-message")).to_have_text(MESSAGE)

    def test_the_event_and_the_timeline_of_a_crash_lead_to_its_report(self):
        self.send()
        page = self.open("#crashes?user=nobody")
        expect(page.locator("#crashes-state")).to_contain_text("No crash matches.")
        page.keyboard.press("1")
        page.locator(".event-row.crash").first.click()
        page.locator("#event-panel button", has_text="Before the crash").click()
        expect(page.locator("#crashes-report .crash-message")).to_have_text(MESSAGE)
        expect(page.locator(".crash-row")).to_have_count(4)
        expect(page.locator("#crashes-conditions")).to_have_text("Filter")
        page.locator("#crashes-report button", has_text="Timeline").click()
        expect(page.locator("#session-panel .timeline")).to_be_visible()
        page.locator("#session-panel button", has_text="Before the crash").click()
        expect(page.locator("#view-crashes")).to_be_visible()
        expect(page.locator("#crashes-report .crash-message")).to_have_text(MESSAGE)

    def test_conditions_narrow_the_crashes_and_are_in_the_address(self):
        self.send()
        page = self.open("#crashes")
        expect(page.locator(".crash-row")).to_have_count(4)
        page.locator("#crashes-conditions").click()
        page.locator("#crashes-user").fill("eve")
        expect(page.locator(".crash-row")).to_have_count(1)
        expect(page.locator("#crashes-report .figures")).to_contain_text("eve")
        page.reload()
        expect(page.locator(".crash-row .who")).to_contain_text("eve")
        expect(page.locator(".crash-row")).to_have_count(1)
        page.locator("#crashes-conditions").click()
        page.locator("#crashes-version").fill("9")
        expect(page.locator("#crashes-state")).to_contain_text("No crash matches.")
        page.locator("#crashes-state button").click()
        expect(page.locator(".crash-row")).to_have_count(4)
        # An address can name another event.
        page.goto(self.collector.url + "#crashes?crash=1")
        expect(page.locator("#crashes-report")).to_contain_text("The crash could not be read: event 1 is")
        # The counter is without a filter.
        page.locator("#crashes-version").fill("9")
        expect(page.locator("#crashes-state")).to_contain_text("No crash matches.")
        page.locator("#counters [data-counter=crashes] a").click()
        expect(page.locator(".crash-row")).to_have_count(4)
        self.assertNotIn("version", page.url)

    def test_new_crashes_and_late_events_appear_and_other_events_read_nothing(self):
        self.collector.send([event("home")])
        page = self.open("#crashes")
        expect(page.locator("#crashes-state")).to_contain_text("No crash yet.")
        expect(page.locator("#counters [data-counter=crashes]")).to_be_hidden()
        self.assertEqual(self.appearance(page), [])
        self.collector.send([crash(self.now)])
        expect(page.locator(".crash-row")).to_have_count(1)
        expect(page.locator("#counters")).to_contain_text("1crash")
        expect(page.locator(".before button")).to_have_count(1)
        self.collector.send([event("late", time_ms=self.now - 100)])
        expect(page.locator(".before button")).to_have_count(2)
        page.requested.clear()
        self.collector.send([event("other", session="s-9")])
        expect(page.locator("#counters")).to_contain_text("4events")
        self.drawn(page)
        self.assertEqual([url for url in page.requested if "/api/events" in url], [])
        page.locator("#reset").click()
        page.locator("#reset-confirm").click()
        expect(page.locator("#crashes-state")).to_contain_text("No crash yet.")
        expect(page.locator("#crashes-report")).to_be_empty()

    def test_of_many_crashes_the_latest_are_listed(self):
        self.collector.send([crash(self.now + index, session=f"s-{index}") for index in range(230)])
        page = self.open("#crashes", windows={"events": 100})
        expect(page.locator("#crashes-more")).to_have_text("The latest 200 of 230 crashes. \u201cSimilar\u201d counts these.")
        expect(page.locator(".crash-row .flaws").first).to_have_text("200 similar")
        expect(page.locator("#counters")).to_contain_text("100+crashes")
        self.assertEqual(self.appearance(page), [])

    def test_a_crash_without_a_session_leads_to_the_events_of_its_sender(self):
        self.collector.send([event("home", time_ms=self.now - 10), crash(self.now, session=None)])
        self.assertEqual(self.command()[0]["before"], [])
        page = self.open("#crashes")
        expect(page.locator("#crashes-report")).to_contain_text("The crash has no session")
        page.locator("#crashes-report button", has_text="Events of the same sender").click()
        self.tally(page, "2 of 2 events")

    def test_a_failure_is_shown_and_read_again(self):
        self.send()
        page = self.open()
        fail = lambda route: route.fulfill(status=503, body='{"error":"busy"}')
        page.route(re.compile("/api/events"), fail)
        page.goto(self.collector.url + "#crashes")
        expect(page.locator("#crashes-state")).to_contain_text("busy")
        page.unroute(re.compile("/api/events"))
        page.locator("#crashes-state button").click()
        expect(page.locator(".crash-row")).to_have_count(4)
        page.route(re.compile("/api/events"), fail)
        page.locator(".crash-row").last.click()
        expect(page.locator("#crashes-report")).to_contain_text("The crash could not be read: busy.")
        self.assertEqual(self.appearance(page), [])
        page.unroute(re.compile("/api/events"))
        page.locator("#crashes-report button", has_text="Retry now").click()
        expect(page.locator(".crash-message")).to_have_text(MESSAGE)
        missing = self.open("#crashes?crash=999999")
        expect(missing.locator("#crashes-report")).to_contain_text("The crash could not be read")

    def test_texts_of_an_attacker_stay_text(self):
        script = "<img src=x onerror=alert(1)>\u202e"
        self.collector.send([event(script, time_ms=self.now - 5, screen=script, user=script, value=script), crash(self.now, script, f"0 a 0x1 {script}\n{script}", user=script, screen=script) | {"app_version": script, "platform": script}])
        page = self.open("#crashes")
        expect(page.locator(".crash-message")).to_contain_text("\\u202e")
        expect(page.locator(".before button")).to_have_count(2)
        expect(page.locator("#crashes-report pre[aria-label=Stack]")).to_contain_text("\\u202e")
        self.assertEqual(page.locator("img").count(), 0)

    def test_on_a_phone_and_in_dark_the_report_covers_the_list(self):
        self.send()
        for scheme in ["light", "dark"]:
            page = self.open("#crashes", width=390, height=844, has_touch=True, color_scheme=scheme)
            expect(page.locator(".crash-row")).to_have_count(4)
            self.assertFalse(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
            self.assertEqual(self.appearance(page), [])
            self.picture(page, f"crashes-phone-list-{scheme}")
            page.locator(".crash-row").last.click()
            expect(page.locator("#crashes-report h2")).to_be_focused()
            expect(page.locator(".before button")).to_have_count(6)
            self.assertEqual(self.appearance(page), [])
            self.picture(page, f"crashes-phone-{scheme}")
            page.locator(".before button").nth(2).click()
            expect(page.locator("#crashes-panel h2")).to_have_text("add_to_cart")
            page.locator("#crashes-panel button", has_text="Close").click()
            page.locator("#crashes-report button", has_text="Close").click()
            expect(page.locator(".crash-row").first).to_be_visible()
            page = self.open("#crashes", color_scheme=scheme)
            expect(page.locator(".before button")).to_have_count(1)
            self.assertEqual(self.appearance(page), [])
