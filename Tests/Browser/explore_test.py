"""Browser tests of the inspector's questions: how often, where users drop out, and what a person has done."""

import json
import re
import shlex
import subprocess
from urllib.parse import quote

from playwright.sync_api import expect

from browser import BrowserTest
from collector import CLI, event

START = 1_796_000_000_000
STEPS = ["view_item", "add_to_cart", "purchase"]
HOSTILE = ["<img src=x onerror=alert(1)>", "\u202egnp.exe", "a'; rm -rf / #'", "-x", "$(date)", "(absent)", "__proto__", "tab\there"]
SHAPE = """[...document.querySelectorAll("#view-explore table tbody tr")].filter((row) => row.checkVisibility()).map((row) =>
    [row.querySelector(".value, th").innerText.trim(), ...[...row.querySelectorAll("td")].map((cell) => cell.innerText.trim())])"""


def shop(users=12):
    """Users of a shop: each views an item, each second one adds it to the cart, each fourth one buys it."""
    events = []
    for index in range(users):
        start = START + index * 3_600_000
        for step, name in enumerate(STEPS):
            if index % 2**step == 0:
                known = {"user": f"user-{index}", "unique": f"u-{index}", "session": f"s-{index}"}
                events.append(event(name, time_ms=start + step * (4_000 + 1_000 * index), screen="Item" if step else None, price=index / 4, channel="web" if index % 3 else "app", **known))
    return events


class QuestionTest(BrowserTest):
    def report(self, *arguments):
        """The JSON of `clickstream-cli report`."""
        return json.loads(subprocess.run([CLI, "report", *arguments, "--url", self.collector.url, "--format", "json"], check=True, capture_output=True, text=True, timeout=60).stdout)

    def copied(self, page, click):
        """Arguments of a command that is copied, as a shell reads them."""
        page.evaluate("() => { window.copied = null; Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: async (text) => { window.copied = text; } } }); }")
        page.locator(click).click()
        self.until(page, "window.copied !== null")
        command = page.evaluate("window.copied")
        self.assertTrue(command.isprintable(), command)
        words = subprocess.run(["bash", "-c", f"clickstream-cli() {{ printf '%s\\0' \"$@\"; }}; {command}"], check=True, capture_output=True, text=True).stdout.split("\0")[:-1]
        if "$'" not in command:
            self.assertEqual(words, shlex.split(command)[1:])
        return words

    def answered(self, page):
        expect(page.locator(f"#view-{page.evaluate('location.hash').split('?')[0][1:]}")).to_have_attribute("aria-busy", "false")

    def fits(self, page):
        self.assertFalse(page.evaluate("document.documentElement.scrollWidth > innerWidth"))

    def check_themes(self, page, name, row):
        """Both themes have their contrast and no finding of axe-core; also on a phone."""
        for width, height in [(1440, 900), (1280, 800), (390, 844)]:
            page.set_viewport_size({"width": width, "height": height})
            for scheme in ["light", "dark"]:
                page.emulate_media(color_scheme=scheme)
                expect(page.locator(row).first).to_be_visible()
                self.assertEqual(self.appearance(page), [], (name, width, scheme))
                if width != 1280:
                    self.assertEqual(self.axe(page), [], (name, width, scheme))
                self.picture(page, f"{name}-{width}-{scheme}")
            self.fits(page)


class ExploreCountTest(QuestionTest):
    def rows(self, page):
        self.answered(page)
        return page.evaluate(SHAPE)

    def test_the_number_by_name_is_there_after_one_key(self):
        self.collector.send(shop())
        page = self.open()
        page.keyboard.press("e")
        expect(page.locator("#view-explore tbody tr")).to_have_count(3)
        self.assertEqual(self.rows(page), [["view_item", "12", "57.1 %", "12"], ["add_to_cart", "6", "28.6 %", "6"], ["purchase", "3", "14.3 %", "3"]])
        expect(page.locator("#view-explore .answer-summary")).to_have_text("21 events of 12 users")
        expect(page.locator("#tab-explore")).to_have_attribute("aria-selected", "true")
        self.check_themes(page, "explore-count", ".report .gauge")
        page.reload()
        expect(page.locator("#view-explore tbody tr")).to_have_count(3)

    def test_two_clicks_lead_to_it(self):
        self.collector.send(shop())
        page = self.open()
        page.keyboard.press("8")
        page.locator("#tab-explore").click()
        expect(page.locator("#view-explore tbody tr")).to_have_count(3)

    def test_each_field_has_the_numbers_of_the_command(self):
        self.collector.send([*shop(), event("text", price="3"), event("none", session=None)])
        page = self.open("#explore")
        field = page.locator("#explore-by")
        for by in ["", "app", "platform", "version", "screen", "user", "session", "status", "device", "attributes.price", "attributes.channel", "user._user_id", "unique_id"]:
            with self.subTest(by=by):
                field.fill(by)
                report = self.report("count", "--by", by or "name", "--limit", "100")
                expect(page.locator("#view-explore thead th").first).to_have_text(by or "name")
                rows = self.rows(page)
                self.assertEqual([(row[1], row[3]) for row in rows], [(str(value["events"]), str(value["users"])) for value in report["values"]])
                texts = [(json.dumps(value["value"]) if by == "attributes.price" and value["value"] == "3" else "(absent)" if value["value"] is None else str(value["value"])) for value in report["values"]]
                self.assertEqual([row[0] for row in rows], [text.removesuffix(".0") if by == "attributes.price" else text for text in texts])
                self.assertEqual(self.copied(page, "#explore-head button:has-text('Copy command')"), ["report", "count", "--url", self.collector.url.rstrip("/"), "--by", by or "name", "--limit", "100"])
        field.fill("attributes.price")
        page.keyboard.press("Tab")
        self.assertIn("by=attributes.price", page.url)
        page.reload()
        expect(page.locator("#explore-by")).to_have_value("attributes.price")
        expect(page.locator("#view-explore tbody .absent")).to_have_text("(absent)")

    def test_fields_that_were_seen_are_offered(self):
        self.collector.send(shop())
        page = self.open()
        self.tally(page, "21 events")
        page.keyboard.press("e")
        page.keyboard.press("/")
        expect(page.locator("#explore-by")).to_be_focused()
        offered = page.locator("#fields-seen option").evaluate_all("(options) => options.map(({ value }) => value)")
        self.assertEqual(offered[:3], ["name", "app", "platform"])
        for field in ["attributes.price", "attributes._session_id", "user._user_id"]:
            self.assertIn(field, offered)

    def test_a_value_opens_its_events_or_narrows_the_question(self):
        self.collector.send(shop())
        page = self.open("#explore")
        page.locator(".report .link", has_text="purchase").click()
        self.tally(page, "3 of 21 events")
        expect(page.locator("#filter-name")).to_have_value("purchase")
        page.goto(self.collector.url + "#explore?by=screen")
        expect(page.locator("#view-explore thead")).to_contain_text("screen")
        page.locator(".report .link", has_text="Item").click()
        expect(page.locator("#view-explore .answer-summary")).to_contain_text("9 events of 6 users")
        self.assertEqual(self.rows(page), [["add_to_cart", "6", "66.7 %", "6"], ["purchase", "3", "33.3 %", "3"]])
        expect(page.locator("#explore-conditions")).to_have_text("Filter (1)")
        self.assertEqual(self.report("count", "--screen", "Item")["events"], 9)
        page.reload()
        expect(page.locator(".answer-summary .chip")).to_have_text("\u00d7 screen Item")
        page.locator(".answer-summary .chip").click()
        expect(page.locator("#view-explore .answer-summary")).to_have_text("21 events of 12 users")
        page.goto(self.collector.url + "#explore?by=attributes.channel")
        page.locator(".report .link", has_text="app").click()
        self.tally(page, "7 of 21 events")
        page.goto(self.collector.url + "#explore?by=user&name=purchase")
        page.locator(".report .link", has_text="user-8").click()
        self.tally(page, "1 of 21 events")

    def test_the_events_of_a_value_have_the_conditions_of_the_question(self):
        self.collector.send([event("purchase", version=number) | {"app_version": f"1.{number}", "device_id": f"d-{number}"} for number in (1, 1, 2)])
        self.collector.send([event("purchase") | {"app_version": "1.1", "device_id": "d-1", "app_id": "other"}])
        page = self.open("#events?by=time")
        self.tally(page, "4 events")
        for conditions, number in [("version=1.1", 3), ("version=1.1&device=d-1", 3), ("version=1.2&platform=Linux&app=shop", 1), ("since=2020-01-01T00:00Z&version=1.2", 1), ("since=2020-01-01T00:00Z&until=2021-01-01T00:00Z", 0)]:
            with self.subTest(conditions):
                page.goto(f"{self.collector.url}#explore?{conditions}")
                self.answered(page)
                if not number:
                    expect(page.locator("#explore-state")).to_contain_text("No event matches.")
                    continue
                expect(page.locator("#view-explore tbody td").first).to_have_text(str(number))
                page.locator(".report .link", has_text="purchase").click()
                self.tally(page, f"{number} of 4 events")
                for name, value in re.findall(r"(version|device|platform|app)=([^&]+)", conditions):
                    expect(page.locator(f"#filter-{name}")).to_have_value(value)
                # The times of a question are those of receipt.
                self.assertEqual("since=" in page.url and "by=time" not in page.url, "since=" in conditions)

    def test_conditions_narrow_the_numbers_and_a_question_without_answer_can_be_cleared(self):
        self.collector.send(shop())
        page = self.open("#explore")
        page.locator("#explore-conditions").click()
        page.locator("#explore-user").fill("user-4")
        expect(page.locator("#view-explore .answer-summary")).to_contain_text("3 events of 1 user")
        page.locator("#explore-user").fill("nobody")
        state = page.locator("#explore-state")
        expect(state).to_contain_text("No event matches.")
        expect(page.locator(".report").first).to_be_hidden()
        state.get_by_role("button", name="Clear filter").click()
        expect(page.locator("#view-explore .answer-summary")).to_have_text("21 events of 12 users")
        page.locator("#explore-since").fill("yesterday")
        expect(page.locator("#explore-problem")).to_contain_text("since")
        expect(page.locator("#explore-problem button")).to_have_count(0)
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        expect(page.locator("#explore-problem")).to_be_hidden()
        expect(page.locator("#view-explore .answer-summary")).to_have_text("21 events of 12 users")

    def test_a_field_that_does_not_exist_is_reported_at_the_question(self):
        self.collector.send(shop())
        page = self.open("#explore?by=colour")
        problem = page.locator("#explore-problem")
        expect(problem).to_contain_text("attributes.NAME")
        expect(page.locator("#explore-state")).to_be_hidden()
        self.check_themes(page, "explore-refused", "#explore-problem")
        page.locator("#explore-by").fill("name")
        expect(problem).to_be_hidden()
        expect(page.locator("#view-explore tbody tr")).to_have_count(3)

    def test_events_are_counted_as_they_arrive_while_a_control_keeps_the_focus(self):
        self.collector.send(shop())
        page = self.open("#explore")
        link = page.locator(".report .link", has_text="purchase")
        link.focus()
        self.hold(page, "report/count")
        self.collector.send([event("purchase", user="user-1") for _ in range(20)])
        self.wait_for_held(page)
        # The answer stays until the next one is there.
        self.assertEqual(len(page.evaluate(SHAPE)), 3)
        expect(page.locator("#explore-state")).to_be_hidden()
        self.release(page)
        expect(page.locator("#view-explore tbody tr").first).to_contain_text("23")
        self.assertEqual(self.rows(page)[0], ["purchase", "23", "56.1 %", "4"])
        expect(link).to_be_focused()
        # A paused page keeps its answer.
        page.keyboard.press("p")
        self.collector.send([event("purchase")])
        expect(page.locator("#counters")).to_contain_text("42events")
        expect(page.locator("#view-explore tbody tr").first).to_contain_text("23")
        page.keyboard.press("p")
        expect(page.locator("#view-explore tbody tr").first).to_contain_text("24")

    def test_no_reading_begins_within_ten_times_the_last_one(self):
        self.collector.send(shop())
        page = self.open("#explore")
        expect(page.locator("#view-explore tbody tr")).to_have_count(3)
        self.stop_clock(page)
        began = []
        for number in "12":
            self.hold(page, "report/count")
            self.collector.send([event("tick")])
            self.wait(page, lambda: page.held or page.clock.run_for(100), lambda: "no answer was read")
            began.append(page.evaluate("performance.now()"))
            page.clock.run_for(400)
            self.release(page)
            self.wait(page, lambda: [row for row in page.evaluate(SHAPE) if row[:2] == ["tick", number]] or page.clock.run_for(100), lambda: "the answer was not drawn")
        self.assertGreater(began[1] - began[0], 4_000)
        page.clock.resume()

    def test_many_values_are_bounded_and_the_others_are_counted(self):
        self.collector.send([event("view", id=f"item-{index}") for index in range(3_000)])
        page = self.open("#explore?by=attributes.id")
        expect(page.locator("#view-explore tbody tr")).to_have_count(100)
        expect(page.locator("#view-explore tfoot")).to_contain_text("2,900 other values")
        expect(page.locator("#view-explore tfoot")).to_contain_text("2,900 events")
        page.get_by_role("button", name="Show 1,000").click()
        expect(page.locator("#view-explore tbody tr")).to_have_count(1_000)
        expect(page.locator("#view-explore tfoot")).to_contain_text("2,000 other values")
        self.assertIn("limit=1000", page.url)
        self.assertEqual(self.copied(page, "#explore-head button:has-text('Copy command')")[-1], "1000")
        self.collector.send([event("few", few=f"item-{index}") for index in range(101)])
        page.goto(self.collector.url + "#explore?by=attributes.few&name=few")
        expect(page.locator("#view-explore tfoot tr")).to_have_text("1 other value Show 1011 event, 1 %")

    def test_texts_of_an_attacker_stay_texts(self):
        self.collector.send([event(text, user=text, screen=text, **{"value": text, f"n {text}": 1}) | {"platform": text} for text in HOSTILE])
        page = self.open("#explore")
        expect(page.locator("#view-explore tbody tr")).to_have_count(len(HOSTILE))
        for by in ["name", "platform", "screen", "attributes.value", "user"]:
            page.locator("#explore-by").fill(by)
            expect(page.locator("#view-explore thead th").first).to_have_text(by)
            self.answered(page)
            shown = page.evaluate("document.body.innerText")
            self.assertIn("\\u202egnp.exe", shown)
            self.assertIn('"(absent)"', shown)
        page.locator("#explore-by").fill("platform")
        for text in HOSTILE:
            with self.subTest(text=text):
                page.goto(self.collector.url + "#explore?by=platform")
                self.answered(page)
                expect(page.locator("#view-explore thead th").first).to_have_text("platform")
                page.locator("#view-explore tbody tr").nth(texts_of_rows(page).index(text)).locator(".link").click()
                expect(page.locator("#view-explore thead th").first).to_have_text("name")
                self.answered(page)
                expect(page.locator("#view-explore tbody tr")).to_have_count(1)
                words = self.copied(page, "#explore-head button:has-text('Copy command')")
                joined = [f"--platform={text}"] if text.startswith("-") else ["--platform", text]
                self.assertEqual(words[6 + 2:], joined)
                self.assertEqual(self.report(*words[1:2], *words[4:])["events"], 1)
                everything = page.evaluate("[...document.querySelectorAll('*')].flatMap((each) => [...each.attributes].map(({ value }) => value).concat(each.value ?? [], each.textContent)).join('')")
                self.assertNotIn("\u202e", everything)
        self.assertEqual(page.locator("img").count(), 0)

    def test_a_collector_that_fails_is_reported_and_asked_again(self):
        self.collector.send(shop())
        page = self.open("#explore")
        expect(page.locator("#view-explore tbody tr")).to_have_count(3)
        page.route(re.compile(r"/api/report/"), lambda route: route.fulfill(status=503, body='{"error": "too many reports"}', content_type="application/json"))
        self.collector.send([event("late")])
        problem = page.locator("#explore-problem")
        expect(problem).to_contain_text("too many reports. The answer is the one before.")
        self.assertEqual(len(page.evaluate(SHAPE)), 3)
        self.assertEqual(self.appearance(page), [])
        page.locator("#explore-by").fill("app")
        state = page.locator("#explore-state")
        expect(state).to_contain_text("too many reports")
        expect(page.locator(".report").first).to_be_hidden()
        page.unroute_all()
        if page.locator("#explore-state button").count():
            state.get_by_role("button", name="Retry now").click()
        expect(page.locator("#view-explore tbody tr")).to_have_count(1)
        expect(state).to_be_hidden()

    def test_a_store_without_events_says_so(self):
        page = self.open("#explore")
        expect(page.locator("#explore-state")).to_contain_text("The store has no events yet.")
        self.assertEqual(self.appearance(page), [])
        self.collector.send([event("first")])
        expect(page.locator("#view-explore tbody tr")).to_have_count(1)
        self.hold(page, "report/count")
        page.locator("#reset").click()
        page.locator("#reset-confirm").click()
        # The answer of the store before is not shown meanwhile.
        expect(page.locator("#explore-state")).to_contain_text("Reading\u2026")
        expect(page.locator(".report").first).to_be_hidden()
        self.release(page)
        expect(page.locator("#explore-state")).to_contain_text("The store has no events yet.")


def texts_of_rows(page):
    """The texts of the rows."""
    shown = page.evaluate("[...document.querySelectorAll('#view-explore tbody .value')].map((each) => each.innerText.trim())")
    label = {text: json.dumps(text) if text.startswith("(") else text.replace("\u202e", "\\u202e") for text in HOSTILE}
    return [next(text for text in HOSTILE if " ".join(label[text].split()) == " ".join(row.split())) for row in shown]


class PersonTest(QuestionTest):
    def person(self):
        """Two devices and two days of one person, and other people."""
        events = []
        for day in range(2):
            for session in range(2):
                start = START + day * 86_400_000 + session * 7_200_000
                for index, name in enumerate(["_session_start", "view_item", "add_to_cart", "_app_exception" if session else "purchase"]):
                    device = {"device_id": f"device-{session}", "platform": ["iOS", "Android"][session], "app_version": f"1.{day}"}
                    sent = event(name, user="ann", unique=f"u-{session}", session=f"s-{day}{session}", number=2 * day + session + 1, time_ms=start + index * 20_000, screen="Shop", price=index)
                    sent["user"]["tier"] = {"value": ["free", "paid"][day], "set_timestamp": start}
                    events.append(sent | device)
        # The later ones arrive first.
        self.collector.send(events[8:])
        self.collector.send(events[:8] + shop(4))
        return events

    def rows(self, page):
        return page.evaluate("[...document.querySelectorAll('.person-list .event-row')].sort((a, b) => a.index - b.index)"
                             ".map((row) => [0, 3, 7].map((index) => row.children[index].textContent))")

    def test_the_users_are_listed_after_one_key_and_one_opens_with_a_click(self):
        self.person()
        page = self.open()
        page.keyboard.press("u")
        expect(page.locator("#person-users tbody tr")).to_have_count(5)
        self.check_themes(page, "person-users", "#person-users .gauge")
        page.set_viewport_size({"width": 1440, "height": 900})
        page.locator("#person-users .link", has_text="ann").click()
        expect(page.locator("#person-about h2")).to_have_text("ann")
        self.assertIn("#person?user=ann", page.url)
        page.keyboard.press("Escape")
        expect(page.locator("#person-users tbody tr")).to_have_count(5)
        page.locator("#counters [data-counter=users] a").click()
        expect(page.locator("#person-users")).to_be_visible()

    def test_the_events_are_those_of_the_command_in_the_order_of_time(self):
        sent = self.person()
        page = self.open("#person?user=ann")
        report = self.report("user", "ann")
        self.assertEqual([each["event"]["event_id"] for each in report["events"]], [each["event_id"] for each in sorted(sent, key=lambda each: each["timestamp"])])
        rows = page.locator(".person-list .event-row")
        expect(rows).to_have_count(16)
        self.assertEqual([row[1] for row in self.rows(page)], [each["event"]["event_type"] for each in report["events"]])
        self.assertEqual([row[2] for row in self.rows(page)], [each["event"]["device_id"] for each in report["events"]])
        for index, each in enumerate(report["events"][:3]):
            page.keyboard.press("g" if index == 0 else "j")
            expect(page.locator("#person-panel .facts")).to_contain_text(each["event"]["event_id"])
        self.assertEqual(len(report["devices"]), page.locator("#person-about .devices li").count())
        # A unique id has its own events.
        page.goto(self.collector.url + "#person?user=u-1")
        expect(rows).to_have_count(len(self.report("user", "u-1")["events"]))

    def test_days_gaps_devices_sessions_and_attributes_are_shown(self):
        self.person()
        page = self.open("#person?user=ann")
        expect(page.locator(".person-list .event-row")).to_have_count(16)
        self.assertEqual([row[0] for row in self.rows(page)][:5], ["Mon 11-30", "+20 s", "+20 s", "+20 s", "1 h 59 min later"])
        self.assertEqual(self.rows(page)[8][0], "Tue 12-0121 h 59 min later")
        self.assertEqual([page.locator(f".person-list .{kind}").count() for kind in ["day", "pause", "crash"]], [2, 2, 2])
        about = page.locator("#person-about")
        self.assertEqual(about.locator(".figures dd").all_text_contents(), ["16", "4", "2", "2"])
        self.assertEqual(about.locator(".facts dd").all_text_contents(), ["ann", "u-0u-1"])
        self.assertEqual(about.locator(".sessions tbody tr").evaluate_all("(rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent))"),
                         [["4", "1 min", "4", "1"], ["3", "1 min", "4", ""], ["2", "1 min", "4", "1"], ["1", "1 min", "4", ""]])
        expect(about.locator(".devices li").first).to_contain_text("Android \u00b7 version 1.1 \u00b7 8 events")
        expect(about.locator("section[aria-label='User attributes'] tr", has_text="tier")).to_contain_text("paid")
        self.check_themes(page, "person", ".person-list .event-row")
        page.set_viewport_size({"width": 1440, "height": 900})
        about.locator(".sessions .link").last.click()
        expect(page.locator("#session-panel .session-id")).to_have_text("s-00")

    def test_an_event_of_a_person_is_part_of_the_address(self):
        self.person()
        page = self.open("#person?user=ann")
        page.locator(".person-list .event-row", has_text="purchase").first.click()
        expect(page.locator("#person-panel h2")).to_have_text("purchase")
        self.check_themes(page, "person-event", "#person-panel .facts")
        page.set_viewport_size({"width": 1440, "height": 900})
        page.reload()
        expect(page.locator("#person-panel h2")).to_have_text("purchase")
        expect(page.locator(".person-list .event-row[aria-selected=true] .name")).to_have_text("purchase")
        page.keyboard.press("Escape")
        expect(page.locator("#person-panel")).to_be_hidden()
        self.assertTrue(page.url.endswith("#person?user=ann"), page.url)

    def test_every_list_leads_to_the_person(self):
        self.person()
        self.collector.capture("audit?partition=a", [
            {"_id": f"{index:024x}", "event": "write", "activity": "edit", "timestamp": "2026-11-21T08:00:00.000Z", "username": name,
             "data": json.dumps({"product": {"insertions": [{"id": index}]}})} for index, name in enumerate(["ann", "stranger"])])
        page = self.open()
        about = page.locator("#person-about h2")
        self.tally(page, "23 events")

        def opens(steps):
            page.goto(self.collector.url + "#events")
            # The page takes a changed address after the navigation has ended: a key that is pressed before would be that of the last view.
            expect(page.locator("#view-events")).to_be_visible()
            steps()
            expect(about).to_have_text("ann")
            expect(page.locator("#view-person")).to_be_visible()

        row = page.locator(".event-row", has_text="ann").first
        expect(row.locator(".user .person")).to_have_attribute("title", "ann: show what this person has done (u)")
        opens(lambda: row.locator(".user .person").click())
        # A click beside the text selects the row.
        page.goto(self.collector.url + "#events")
        row.locator(".value").click()
        expect(page.locator("#event-panel .facts")).to_contain_text("ann")
        opens(lambda: (row.locator(".value").click(), page.locator("#event-panel .facts .link", has_text="person").first.click()))
        opens(lambda: (row.locator(".value").click(), page.keyboard.press("u")))
        opens(lambda: (page.keyboard.press("2"), page.locator(".session-row .person", has_text="ann").first.click()))
        opens(lambda: (page.keyboard.press("2"), page.locator(".session-row .what", has_text="crash").first.click(), page.keyboard.press("u")))
        opens(lambda: (page.keyboard.press("2"), page.locator(".session-row .what", has_text="crash").first.click(), page.locator("#session-panel .figures .link", has_text="ann").click()))
        opens(lambda: (page.keyboard.press("6"), page.locator(".audit-row .person", has_text="ann").click()))
        opens(lambda: (page.keyboard.press("6"), page.locator(".audit-row .name").first.click(), page.locator("#audit-panel .facts .link", has_text="person").click()))
        # Somebody of whom the page has no event is not a person.
        page.goto(self.collector.url + "#audit")
        page.locator(".audit-row .person", has_text="stranger").click()
        expect(page.locator("#audit-panel h2")).to_have_text("product 1 inserted")
        expect(page.locator("#audit-panel .facts .link", has_text="person")).to_have_count(0)

    def test_events_appear_as_they_arrive_in_the_order_of_time(self):
        self.person()
        page = self.open("#person?user=ann")
        rows = page.locator(".person-list .event-row")
        expect(rows).to_have_count(16)
        link = page.locator("#person-about .sessions .link").first
        link.focus()
        self.hold(page, "report/count")
        self.collector.send([event("between", user="ann", session="s-00", time_ms=START + 30_000)])
        self.wait_for_held(page)
        expect(rows).to_have_count(16)
        self.release(page)
        expect(rows).to_have_count(17)
        self.assertEqual([row[:2] for row in self.rows(page)][1:4], [["+20 s", "view_item"], ["+10 s", "between"], ["+10 s", "add_to_cart"]])
        expect(link).to_be_focused()
        # Only the new events are read.
        self.assertEqual(sum("order=desc" in url for url in page.requested), 1)

    def test_the_newest_events_are_listed_and_older_ones_read_on_demand(self):
        self.collector.send([event("tick", user="ann", session=f"s-{index // 100}", time_ms=START + index * 1_000) for index in range(2_500)])
        page = self.open("#person?user=ann")
        note = page.locator("#person-note")
        expect(note).to_contain_text("The newest 1,000 of 2,500 events.")
        expect(page.locator("#person-about .figures dd").nth(1)).to_have_text("10+")
        page.locator("#person-older").click()
        expect(note).to_contain_text("The newest 2,000 of 2,500 events.")
        self.assertEqual(self.appearance(page), [])
        self.assertEqual(len(self.report("user", "ann", "--limit", "2000")["events"]), 2_000)
        page.locator("#person-older").click()
        expect(note).to_be_hidden()
        expect(page.locator("#person-about .figures dd").nth(1)).to_have_text("25")
        expect(page.locator(".person-list .event-row").first).to_have_attribute("aria-setsize", "2500")

    def test_users_without_an_id_are_listed_by_their_unique_id_and_many_are_counted(self):
        self.collector.send([event("view", unique=f"u-{index}", user=f"user-{index}" if index % 2 else None) for index in range(3_000)])
        page = self.open("#person")
        users = page.locator("#person-users")
        expect(users.locator("tbody tr")).to_have_count(100)
        expect(users.locator("tfoot")).to_contain_text("2,900 other values")
        expect(users.locator("tbody .link").first).to_have_text("u-0")
        users.get_by_role("button", name="Show 1,000").click()
        expect(users.locator("tbody tr")).to_have_count(1_000)
        users.locator("tbody .link").first.click()
        expect(page.locator(".person-list .event-row")).to_have_count(1)

    def test_an_unknown_person_a_failure_and_an_empty_store_are_reported(self):
        page = self.open("#person")
        state = page.locator("#person-state")
        expect(state).to_contain_text("The store has no events yet.")
        self.assertEqual(self.appearance(page), [])
        self.person()
        expect(page.locator("#person-users tbody tr")).to_have_count(5)
        page.locator("#person-user").fill("nobody")
        expect(state).to_contain_text("No event of this person")
        self.assertEqual(self.appearance(page), [])
        page.route(re.compile(r"/api/events\?"), lambda route: route.fulfill(status=500, body='{"error": "the store is damaged"}', content_type="application/json"))
        page.locator("#person-user").fill("ann")
        expect(state).to_contain_text("the store is damaged")
        page.unroute_all()
        page.keyboard.press("Tab")
        expect(page.locator(".person-list .event-row")).to_have_count(16)
        page.locator("#reset").click()
        page.locator("#reset-confirm").click()
        expect(state).to_contain_text("No event of this person")

    def test_texts_of_an_attacker_stay_texts(self):
        self.collector.send([event(text, user=text, session=text, unique=text, screen=text) | {"device_id": text, "platform": text, "app_version": text} for text in HOSTILE])
        page = self.open()
        for text in HOSTILE:
            with self.subTest(text=text):
                page.goto(self.collector.url + f"#person?user={quote(text)}")
                expect(page.locator("#person-about h2")).to_have_text(text.replace("\u202e", "\\u202e"))
                expect(page.locator(".person-list .event-row")).to_have_count(1)
                self.assertNotIn("\u202e", page.evaluate("[...document.querySelectorAll('*')].flatMap((each) => [...each.attributes].map(({ value }) => value).concat(each.value ?? [], each.textContent)).join('')"))
        self.assertEqual(page.locator("img").count(), 0)


class ExploreFunnelTest(QuestionTest):
    address = "#explore?question=funnel&steps=" + quote("\n".join(STEPS))

    def rows(self, page):
        self.answered(page)
        return page.evaluate(SHAPE)

    def test_steps_are_named_by_keyboard(self):
        self.collector.send(shop())
        page = self.open()
        self.tally(page, "21 events")
        page.keyboard.press("e")
        page.keyboard.press("e")
        expect(page.locator("#explore-state")).to_contain_text("Name the steps")
        self.check_themes(page, "explore-hint", "#explore-state")
        page.set_viewport_size({"width": 1440, "height": 900})
        page.locator("#explore-state button", has_text="view_item").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_label("Step 2", exact=True)).to_be_focused()
        page.keyboard.type("purchase")
        expect(page.locator(".funnel tbody tr")).to_have_count(2)
        expect(page.locator(".funnel tbody tr").last).to_contain_text("\u22129 (75 %)")
        expect(page.get_by_label("Step 2", exact=True)).to_be_focused()
        page.get_by_role("button", name="Add step").click()
        expect(page.get_by_label("Step 3", exact=True)).to_be_focused()
        page.get_by_role("button", name="Remove step 1").click()
        expect(page.locator(".funnel tbody tr")).to_have_count(1)
        expect(page.locator("#explore-head").get_by_label("Step 1", exact=True)).to_be_focused()

    def test_the_numbers_are_those_of_the_command(self):
        self.collector.send(shop())
        page = self.open(self.address)
        for question, arguments in [("", []), ("&within=5s", ["--within", "5s"]), ("&within=9000&per=session", ["--within", "9000ms", "--per", "session"]), ("&by=attributes.channel", ["--by", "attributes.channel"]), ("&name=view_item", ["--name", "view_item"])]:
            with self.subTest(question=question):
                page.goto(self.collector.url + self.address + question)
                self.assertEqual(self.copied(page, "#explore-head button:has-text('Copy command')"), ["report", "funnel", "--url", self.collector.url.rstrip("/"), *arguments, "--", *STEPS])
                report = self.report("funnel", *arguments, *STEPS)
                expect(page.locator(".funnel tbody td:nth-child(2)")).to_have_text([str(step["users"]) for step in report["steps"]])
                rows = [[text.replace(" ", "") for text in row] for row in self.rows(page)][:3]
                percent = lambda share: "" if share is None else f"{share * 100:.1f}".removesuffix(".0") + "%"
                for row, step in zip(rows, report["steps"]):
                    self.assertEqual([row[3], row[4]], [percent(step["of_first"]), percent(step["of_previous"])])
                    self.assertEqual([row[5] == "", row[6] == ""], [step["median_ms"] is None, step["p90_ms"] is None])
        self.assertEqual(self.report("funnel", *STEPS)["steps"][1]["median_ms"], 8_000)

    def test_steps_groups_and_the_drop_out_are_drawn(self):
        self.collector.send(shop())
        page = self.open(self.address + "&by=attributes.channel&within=1h")
        expect(page.locator(".funnel tbody tr")).to_have_count(3)
        expect(page.locator("#view-explore section tbody tr")).to_have_count(2)
        self.assertEqual(self.rows(page), [
            ["1 view_item", "12", "", "100 %", "", "", ""],
            ["2 add_to_cart", "6", "\u22126 (50 %)", "50 %", "50 %", "8 s", "14 s"],
            ["3 purchase", "3", "\u22123 (50 %)", "25 %", "50 %", "8 s", "12 s"],
            ["web", "8", "4 50 %", "2 25 %"], ["app", "4", "2 50 %", "1 25 %"],
        ])
        widths = page.locator(".funnel .reached").evaluate_all("(bars) => bars.map((bar) => Math.round(100 * bar.clientWidth / bar.parentElement.clientWidth))")
        self.assertEqual(widths, [100, 50, 25])
        self.check_themes(page, "explore-funnel", ".funnel td.lost")
        page.reload()
        expect(page.locator(".funnel tbody tr")).to_have_count(3)
        expect(page.get_by_label("Step 3", exact=True)).to_have_value("purchase")

    def test_a_condition_that_does_not_parse_is_reported_at_the_question(self):
        self.collector.send(shop())
        page = self.open(self.address)
        expect(page.locator(".funnel tbody tr")).to_have_count(3)
        step = page.get_by_label("Step 3", exact=True)
        step.fill("purchase:attributes.price ==")
        problem = page.locator("#explore-problem")
        expect(problem).to_contain_text("step 'purchase:attributes.price =='")
        expect(page.locator(".funnel")).to_be_hidden()
        self.assertEqual(self.appearance(page), [])
        asked = sum("/api/report/funnel" in url for url in page.requested)
        step.fill("purchase:attributes.price == 2")
        expect(page.locator(".funnel tbody td:nth-child(2)")).to_have_text(["12", "6", "1"])
        expect(problem).to_be_hidden()
        # The refused question was asked once.
        self.assertLessEqual(sum("/api/report/funnel" in url for url in page.requested) - asked, 1)

    def test_pasted_lines_are_steps(self):
        self.collector.send(shop())
        page = self.open("#explore?question=funnel")
        page.get_by_label("Step 1", exact=True).evaluate("""(field) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", "view_item\\r\\n\\n purchase \\n");
            field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
        }""")
        expect(page.locator(".funnel tbody td:nth-child(2)")).to_have_text(["12", "3"])
        expect(page.locator(".steps input")).to_have_count(2)

    def test_a_step_that_is_not_reached_is_explained(self):
        self.collector.send(shop())
        page = self.open("#explore?question=funnel&steps=" + quote("purchase\nview_item") + "&within=1h")
        expect(page.locator("#explore-answer .hint").first).to_contain_text("None of the users reach step 2, view_item")
        page.goto(self.collector.url + "#explore?question=funnel&steps=nothing")
        expect(page.locator("#explore-answer .hint").first).to_have_text("No event matches step 1, nothing.")
        self.assertEqual(self.appearance(page), [])

    def test_users_are_counted_as_they_arrive_and_a_field_keeps_the_focus(self):
        self.collector.send(shop())
        page = self.open(self.address)
        expect(page.locator(".funnel tbody td:nth-child(2)")).to_have_text(["12", "6", "3"])
        step = page.get_by_label("Step 2", exact=True)
        step.focus()
        self.collector.send([event("view_item", user="new", unique="new")])
        expect(page.locator(".funnel tbody td:nth-child(2)")).to_have_text(["13", "6", "3"])
        expect(step).to_be_focused()

    def test_names_of_an_attacker_stay_texts(self):
        texts = [text for text in HOSTILE if ":" not in text]
        self.collector.send([event(text, user="u", time_ms=START + index) for index, text in enumerate(texts)])
        page = self.open("#explore?question=funnel&steps=" + quote("\n".join(texts)))
        expect(page.locator(".funnel tbody td:nth-child(2)")).to_have_text(["1"] * len(texts))
        self.assertEqual(self.copied(page, "#explore-head button:has-text('Copy command')")[5:], texts)
        self.assertNotIn("\u202e", page.evaluate("[...document.querySelectorAll('*')].flatMap((each) => [each.value ?? '', each.textContent]).join('')"))
        self.assertEqual(page.locator("img").count(), 0)
