"""Browser tests of the filter: whole values, a range of time, and the form that has them."""

import re
import time
from datetime import datetime, timedelta, timezone

from playwright.sync_api import expect

from audit import back_office
from browser import BrowserTest
from collector import event
from formats.contentsquare import Contentsquare

# Values of an event by the field that has them, and a longer value that contains each.
VALUES = {"app": ("app_id", "shop", "shop-beta"), "device": ("device_id", "d-1", "d-10"),
          "platform": ("platform", "iOS", "iOS Simulator"), "version": ("app_version", "1.2", "1.2.3")}


class FilterTest(BrowserTest):
    def fill(self):
        """An event with the first value of every field, and for each field one with its second value instead."""
        first = {field: short for field, short, _ in VALUES.values()}
        others = [event(name) | first | {field: long} for name, (field, _, long) in VALUES.items()]
        self.collector.send([event("first") | first, *others, event("bare") | {"app_id": "other", "platform": "Web"}])

    def names(self, page):
        self.drawn(page)
        return page.evaluate("[...document.querySelectorAll('.event-row')].sort((a, b) => a.index - b.index)"
                             ".map((row) => row.querySelector('.name').textContent)")

    def test_a_whole_value_is_compared_and_is_part_of_the_address(self):
        self.fill()
        page = self.open()
        self.tally(page, "6 events")
        page.locator("#more").press("Enter")
        for name, (_, short, long) in VALUES.items():
            page.locator(f"#filter-{name}").fill(long)
            self.tally(page, "1 of 6 events")
            self.assertEqual(self.names(page), [name])
            expect(page.locator("#more")).to_have_text("More (1)")
            expect(page.locator("#chips .chip")).to_have_text(f"\u00d7 {name} {long}")
            page.locator(f"#filter-{name}").fill(short)
            self.tally(page, "4 of 6 events")
            page.locator(f"#filter-{name}").fill("")
            self.tally(page, "6 events")
        for name, (_, short, _) in VALUES.items():
            page.locator(f"#filter-{name}").fill(short)
        self.tally(page, "1 of 6 events")
        self.assertTrue(page.url.endswith("#events?app=shop&device=d-1&platform=iOS&version=1.2"), page.url)
        self.assertEqual(self.appearance(page), [])
        self.picture(page, "filter-more")
        page.keyboard.press("Escape")
        expect(page.locator("#more-fields")).to_be_hidden()
        expect(page.locator("#more")).to_be_focused()
        page.reload()
        self.tally(page, "1 of 6 events")
        expect(page.locator("#more")).to_have_text("More (4)")
        expect(page.locator("#chips .chip")).to_have_text(["\u00d7 app shop", "+3"])
        page.locator("#chips .others").click()
        expect(page.locator("#filter-version")).to_have_value("1.2")
        page.locator("#all-chips .chip", has_text="app").click()
        self.tally(page, "2 of 6 events")
        self.assertEqual(self.names(page), ["first", "app"])
        page.locator("#clear").click()
        self.tally(page, "6 events")
        expect(page.locator("#more")).to_have_text("More")

    def test_the_values_of_the_loaded_events_are_offered(self):
        self.fill()
        page = self.open()
        self.until(page, "document.querySelectorAll('#apps option').length === 3")
        for name, (_, short, long) in VALUES.items():
            offered = page.evaluate(f"[...document.getElementById('filter-{name}').list.options].map(({{ value }}) => value)")
            self.assertLessEqual({short, long}, set(offered), name)

    def test_the_panel_of_an_event_filters_by_its_values(self):
        self.fill()
        page = self.open()
        self.tally(page, "6 events")
        for name, (_, short, _) in VALUES.items():
            page.locator(".event-row", has_text="first").click()
            link = page.locator("#event-panel").get_by_title(f"Filter by this {name}", exact=True)
            expect(link).to_have_text(short)
            link.press("Enter")
            self.tally(page, "4 of 6 events")
            self.assertIn(f"{name}={short}", page.url)
            page.locator("#clear").click()

    def test_a_request_leads_to_the_events_of_its_device(self):
        self.collector.send([event("own", unique="u-1") | {"device_id": "d-1"}])
        self.collector.send([event("web", unique="web-1")])
        page = self.open("#requests")
        for row, parameter in [(0, "device=d-1"), (1, "user=web-1")]:
            page.locator("#tab-requests").click()
            page.locator(".request-row").nth(row).click()
            # The panel has the request before until this one is read.
            page.get_by_title("Filter by this device").and_(page.get_by_text(parameter.split("=")[1], exact=True)).click()
            self.tally(page, "1 of 2 events")
            self.assertIn(f"#events?{parameter}", page.url)
            page.locator("#clear").click()

    def test_events_of_other_forms_match_by_the_values_that_they_have(self):
        self.collector.send([event("own", session="s-1", screen="Home")])
        square = Contentsquare().show("Home").tap("[root]")
        for request in square.requests:
            self.assertEqual(self.collector.capture(square.form, request), 200)
        self.collector.capture("audit?partition=a", back_office())
        for view, query, tally in [
            ("events", "app=shop", "1 of 1 event"), ("sessions", "app=shop", "1 of 1 event"), ("screens", "app=other", "0 of 1 event"),
            ("captured", "platform=sdk-ios", "4 events"), ("captured", "app=shop", "0 of 4 events"), ("captured", "version=1", "0 of 4 events"),
            ("audit", "device=d-1", "0 of 15 rows"),
        ]:
            with self.subTest(view=view, query=query):
                page = self.open(f"#{view}?{query}")
                self.tally(page, tally)

    def spread(self):
        """Two events, 500 seconds apart. Returns the time of the first, in whole seconds."""
        first = int(time.time()) * 1000 - 3_600_000
        self.collector.send([event("old", time_ms=first), event("new", time_ms=first + 500_000)])
        return first

    def test_a_range_of_time_is_part_of_the_address(self):
        first = self.spread()
        page = self.open()
        self.tally(page, "2 events")
        page.locator(".axis select").select_option("time")
        expect(page).to_have_url(re.compile("#events[?]by=time$"))
        page.locator(".bin[aria-label*=': 1 good'], .bin[aria-label*=', 1 bad']").last.click()
        self.tally(page, "1 of 2 events")
        since, until = (int(part) for part in re.search(r"since=(\d+)&until=(\d+)&by=time$", page.url).groups())
        self.assertTrue(since <= first + 500_000 < until)
        text = page.locator("#chips .chip").text_content()
        page.reload()
        self.tally(page, "1 of 2 events")
        self.assertEqual(self.names(page), ["new"])
        expect(page.locator("#chips .chip")).to_have_text(text)
        expect(page.locator(".axis select")).to_have_value("time")
        expect(page.locator(".bin[aria-pressed=true]")).to_have_count(1)
        page.locator(".chip").click()
        self.tally(page, "2 events")
        date = datetime.fromtimestamp(first / 1000, timezone.utc).isoformat().replace("+00:00", "Z")
        for query, found in [(f"since={first + 1}", ["new"]), (f"until={first + 500_000}", ["old"]), (f"since={date}", ["old", "new"]),
                             ("since=0&until=1", []), ("since=soon", ["old", "new"])]:
            with self.subTest(query):
                page.goto(f"{self.collector.url}#events?{query}&by=time")
                # The numbers may be those of the query before.
                self.drawn(page)
                self.tally(page, "2 events" if "soon" in query else f"{len(found)} of 2 events")
                self.assertEqual(self.names(page), found)

    def test_a_range_is_typed_in_local_time(self):
        first = self.spread()

        def local(milliseconds):
            """The time as a field has it, in Tokyo."""
            return datetime.fromtimestamp(milliseconds / 1000, timezone(timedelta(hours=9))).isoformat(timespec="milliseconds")[:23]

        page = self.open("#events?by=time", timezone_id="Asia/Tokyo")
        self.tally(page, "2 events")
        page.locator("#more").click()
        page.locator("#filter-since").fill(local(first + 1))
        self.tally(page, "1 of 2 events")
        self.assertIn(f"since={first + 1}", page.url)
        expect(page.locator("#chips .chip")).to_contain_text("from ")
        page.locator("#filter-until").fill(local(first + 1_000))
        self.tally(page, "0 of 2 events")
        page.reload()
        page.locator("#more").click()
        expect(page.locator("#filter-since")).to_have_value(local(first + 1))
        page.locator("#filter-since").fill("")
        self.tally(page, "1 of 2 events")
        page.locator("#filter-until").fill("")
        self.tally(page, "2 events")
        self.assertNotIn("until=", page.url)

    # MARK: counters and findings

    def test_each_counter_opens_what_it_counts(self):
        self.collector.replay()
        twice = event("twice")
        for _ in range(2):
            self.collector.send([twice])
        self.collector.send("this is no JSON", encode=False)
        self.collector.capture("audit?partition=a", back_office())
        page = self.open("#screens?name=login&since=0")
        expect(page.locator("#counters")).to_contain_text("10audit".replace("10", str(len(back_office()))))
        link = lambda label: page.locator(f"#counters [data-counter={label}] a")
        expect(link("captured")).to_be_hidden()
        counts = {}
        for label, address, view in [
            ("events", "#events", "events"), ("bad", "#events?status=bad", "events"), ("duplicates", "#requests?remark=duplicates", "requests"),
            ("sessions", "#sessions", "sessions"), ("users", "#person", "person"), ("requests", "#requests", "requests"),
            ("unreadable", "#requests?remark=unreadable", "requests"), ("audit", "#audit", "audit"),
        ]:
            with self.subTest(label):
                page.goto(self.collector.url + "#screens?name=login&since=0")
                expect(page.locator("#view-screens")).to_be_visible()
                self.assertTrue(link(label).get_attribute("href") == address)
                expect(link(label)).to_have_attribute("aria-label", re.compile(r"^\d+ \w+$"))
                link(label).focus()
                page.keyboard.press("Enter")
                expect(page).to_have_url(self.collector.url + address)
                expect(page.locator(f"#view-{view}")).to_be_visible()
                row = "#person-users tbody tr" if label == "users" else f"#view-{view} .row"
                expect(page.locator(row).first).to_be_visible()
                number = int(link(label).locator("strong").text_content())
                if label in ("duplicates", "sessions", "unreadable"):
                    expect(page.locator(row)).to_have_count(number)
                elif label in ("events", "bad"):
                    self.tally(page, f"{number} events" if label == "events" else f"{number} of {counts['events']} events")
                counts[label] = number
        self.assertEqual((counts["duplicates"], counts["unreadable"]), (1, 1))
        page.go_back()
        expect(page.locator("#view-screens")).to_be_visible()

    def test_a_counter_keeps_the_focus_while_events_arrive(self):
        page = self.open()
        link = page.locator("#counters [data-counter=events] a")
        link.focus()
        self.collector.send([event()])
        expect(link).to_have_attribute("aria-label", "1 event")
        expect(link).to_be_focused()

    def test_a_finding_leads_to_all_events_with_its_code(self):
        long = "n" * 60
        self.collector.send([event(name, **{long: 1}) for name in ["one", "two", "three"]] + [event("four", **{long: 1, "x-": 1})])
        self.collector.send([event("good")])
        page = self.open("#events?name=one")
        self.tally(page, "1 of 5 events")
        page.locator(".event-row").click()
        link = page.locator("#event-panel .violation").get_by_role("button")
        expect(link).to_have_text("Show all 4")
        self.collector.send([event("five", **{long: 1})])
        expect(link).to_have_text("Show all 5")
        expect(link).to_have_attribute("aria-label", "Show all 5 events with 2001")
        link.press("Enter")
        self.tally(page, "5 of 6 events")
        self.assertIn("#events?code=2001&event=", page.url)
        page.go_back()
        self.tally(page, "1 of 6 events")
        # The numbers are those of the loaded events also if the event is shown before them.
        page.reload()
        expect(link).to_have_text("Show all 5")
        # An audit event has those of its list.
        self.collector.capture("audit?partition=a", [{"activity": "a"}, {"activity": "b"}])
        page.locator("#tab-audit").click()
        page.locator("#clear").click()
        page.locator(".audit-row").first.click()
        found = page.locator("#audit-panel .violation button.all").first
        expect(found).to_have_text("Show all 2")
        found.click()
        self.tally(page, "2 rows")
        self.assertIn("#audit?code=", page.url)

    def test_on_a_phone_all_fields_are_in_the_unfolded_form(self):
        self.fill()
        page = self.open("#events?app=shop&version=1.2", width=390, height=844, color_scheme="dark")
        self.tally(page, "3 of 6 events")
        expect(page.locator("#unfold")).to_have_text("Filter (2)")
        expect(page.locator("#filter-app")).to_be_hidden()
        page.locator("#chips .others").click()
        for name in [*VALUES, "since", "until"]:
            expect(page.locator(f"#filter-{name}")).to_be_visible()
            self.assertGreater(page.locator(f"#filter-{name}").bounding_box()["width"], 80, name)
        self.assertEqual(self.appearance(page), [])
        self.assertFalse(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
        self.picture(page, "filter-phone")
        page.locator("#filter-version").fill("1.2.3")
        self.tally(page, "1 of 6 events")

    def test_an_invisible_character_is_compared_as_its_escape(self):
        self.collector.send([event("hidden") | {"app_version": "1\u202e2"}, event("plain") | {"app_version": "12"}])
        page = self.open()
        page.locator(".event-row", has_text="hidden").click()
        page.get_by_title("Filter by this version").click()
        self.tally(page, "1 of 2 events")
        self.assertEqual(self.names(page), ["hidden"])
        page.reload()
        self.tally(page, "1 of 2 events")
