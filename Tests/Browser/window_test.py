"""Browser tests of the windows: the newest events of each list, and older ones on demand."""

import itertools
import json
import re
import urllib.request

from playwright.sync_api import expect

from audit import Audit, product
from browser import BrowserTest
from collector import event
from formats.pulse import Pulse

# In place of the limits of the page.
WINDOWS = {"events": 100, "captured": 20, "audit": 10}
# The first 50 are shown at once, and the older ones read in five parts.
LONG = {"events": 5000, "captured": 100, "audit": 100}
LOADING = ", loading older events\u2026"
# Requests for older events of a list: the others have no newest ones.
OLDER = r"stream\?.*newest_\w+=0.*"


class WindowTest(BrowserTest):
    sent = 0

    def send(self, count):
        """Sends events with increasing numbers as their names."""
        self.collector.send([event(f"e{number}") for number in range(self.sent, self.sent + count)])
        self.sent += count

    def fill(self):
        """250 clickstream events, then 60 captured ones, then 40 audit events."""
        self.send(250)
        app = Pulse().show("Home")
        while len(app.events) < 60:
            app.wait(10).tap(1, 1)
        self.assertEqual(self.collector.capture("pulse", app.events[:60]), 200)
        audit = Audit()
        for number in range(40):
            audit.read("open", "product", product(number))
        self.assertEqual(self.collector.capture("audit?partition=p", audit.events), 200)

    def names(self, page):
        """Names of the events that the page keeps, in their order."""
        page.locator("#export").click()
        with page.expect_download() as download:
            page.locator("#export-ndjson").click()
        return [json.loads(line)["event_type"] for line in self.saved(download).splitlines()]

    def newest(self, count):
        return [f"e{number}" for number in range(self.sent - count, self.sent)]

    def test_each_list_keeps_its_newest_events_and_counts_all(self):
        self.fill()
        page = self.open(windows=WINDOWS)
        self.tally(page, "100 of 250 events")
        self.assertEqual(self.names(page), self.newest(100))
        page.locator("#filter-name").fill("e249")
        self.tally(page, "1 of 100 loaded, 250 in all")
        page.locator("#export").click()
        expect(page.locator("dialog")).to_contain_text("150 older events are not loaded")
        page.keyboard.press("Escape")
        page.locator("#clear").click()
        page.locator("#tab-captured").click()
        self.tally(page, "20 of 60 events")
        expect(page.locator(".captured-row").first).to_be_visible()
        page.locator("#tab-audit").click()
        self.tally(page, "10 rows, 10 of 40 events")
        page.locator("#audit-key").fill("39")
        self.tally(page, "1 of 10 rows, 10 of 40 events")
        page.reload()
        self.tally(page, "1 of 10 rows, 10 of 40 events")

    def test_older_events_of_each_list_are_loaded_on_demand(self):
        self.fill()
        page = self.open(windows=WINDOWS)
        self.tally(page, "100 of 250 events")
        page.locator(".event-list").focus()
        page.keyboard.press("g")
        older = page.locator("#older")
        older.click()
        self.tally(page, "200 of 250 events")
        # The first row is still visible.
        expect(page.locator(".event-row[aria-selected=true]")).to_contain_text("e150")
        older.click()
        self.tally(page, "250 events")
        expect(older).to_be_hidden()
        self.assertEqual(self.names(page), self.newest(250))
        self.send(1)
        self.tally(page, "251 events")
        page.locator("#tab-captured").click()
        for tally in ["40 of 60 events", "60 events"]:
            older.click()
            self.tally(page, tally)
        expect(page.locator(".captured-list .session-row")).to_have_count(1)
        expect(older).to_be_hidden()
        page.locator("#tab-audit").click()
        older.click()
        self.tally(page, "20 rows, 20 of 40 events")
        expect(older).to_be_enabled()

    def test_events_that_arrive_while_older_ones_are_read_are_neither_lost_nor_doubled(self):
        self.send(250)
        page = self.open(windows=WINDOWS)
        self.tally(page, "100 of 250 events")
        self.hold(page, "stream")
        page.locator("#older").click()
        expect(page.locator("#older")).to_be_disabled()
        # Fewer than would drop the oldest.
        self.send(3)
        self.tally(page, "103 of 253 events")
        self.release(page)
        self.tally(page, "200 of 253 events")
        self.assertEqual(self.names(page), self.newest(200))

    def test_after_a_lost_connection_the_page_continues_with_the_newest_events(self):
        self.send(150)
        page = self.open(windows=WINDOWS)
        self.tally(page, "100 of 150 events")
        self.hold(page, "stream")
        self.collector.stop()
        expect(page.locator("#connection")).to_have_attribute("data-state", "lost")
        self.collector.start()
        self.send(99)
        self.release(page)
        self.tally(page, "100 of 249 events")
        self.assertEqual(self.names(page), self.newest(100))
        self.hold(page, "stream")
        self.collector.stop()
        expect(page.locator("#connection")).to_have_attribute("data-state", "lost")
        self.collector.start()
        self.send(300)
        self.release(page)
        self.tally(page, "100 of 549 events")
        self.assertEqual(self.names(page), self.newest(100))

    def test_a_paused_page_resumes_with_the_newest_events(self):
        self.send(50)
        page = self.open(windows=WINDOWS)
        self.tally(page, "50 events")
        page.locator("#pause").click()
        self.send(40)
        self.tally(page, "50 events, 40 waiting")
        self.send(200)
        self.tally(page, "50 of 290 events, 100 waiting")
        page.locator("#pause").click()
        self.tally(page, "100 of 290 events")
        self.assertEqual(self.names(page), self.newest(100))

    def test_an_emptied_store_begins_again(self):
        self.fill()
        page = self.open(windows=WINDOWS)
        self.tally(page, "100 of 250 events")
        self.collector.get("/micro/reset")
        expect(page.locator("#event-empty")).to_be_visible()
        self.send(1)
        self.tally(page, "1 event")
        expect(page.locator("#older")).to_be_hidden()

    def test_an_event_of_a_timeline_that_the_page_does_not_keep_is_read(self):
        self.send(150)
        page = self.open("#sessions", windows=WINDOWS)
        page.locator(".entries button").first.click()
        expect(page.locator("#session-event h2")).to_contain_text("e0")

    def test_an_event_of_a_timeline_opens_although_the_timeline_is_read_again_meanwhile(self):
        self.send(150)
        page = self.open("#sessions", windows=WINDOWS)
        self.tally(page, "100 of 150 events")
        self.hold(page, r"events/\d+")
        page.locator(".entries button").first.click()
        self.send(1)
        expect(page.locator(".entries button")).to_have_count(151)
        self.release(page)
        expect(page.locator("#session-event h2")).to_contain_text("e0")

    def test_a_click_on_an_event_of_a_timeline_that_is_read_again_during_the_press_opens_it(self):
        self.send(10)
        page = self.open("#sessions", windows=WINDOWS)
        page.locator(".entries button", has_text="e3").hover()
        self.hold(page, "sessions/.*")
        self.send(1)
        self.wait_for_held(page)
        page.mouse.down()
        with page.expect_response(re.compile("/api/sessions/")) as reply:
            self.release(page)
        reply.value.finished()
        page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        page.mouse.up()
        expect(page.locator("#session-event h2")).to_contain_text("e3")
        expect(page.locator(".entries button")).to_have_count(11)

    # MARK: the first view

    def open_partly(self, address="", windows=LONG):
        """A page with the newest events whose requests for older ones are held."""
        page = self.open(windows=windows)
        self.hold(page, OLDER)
        page.goto("about:blank")
        page.goto(self.collector.url + address)
        self.wait_for_held(page)
        return page

    def open_loading(self):
        """A page with the newest 50 of 6,000 events."""
        for _ in range(6):
            self.send(1000)
        page = self.open_partly()
        self.tally(page, f"50 of 6,000 events{LOADING}")
        return page

    def test_the_newest_events_are_shown_and_followed_before_older_ones_are_read(self):
        page = self.open_loading()
        expect(page.locator(".event-row", has_text="e5999")).to_be_visible()
        expect(page.locator("#older")).to_be_hidden()
        self.send(1)
        self.tally(page, f"51 of 6,001 events{LOADING}")
        expect(page.locator(".event-row", has_text="e6000")).to_be_visible()
        page.locator("#filter-name").fill("e5990")
        self.tally(page, f"1 of 51 loaded, 6,001 in all{LOADING}")
        page.locator("#filter-name").fill("e2000")
        expect(page.locator("#event-state")).to_contain_text("No event matches")
        self.release(page)
        self.tally(page, "1 of 5,000 loaded, 6,001 in all")
        expect(page.locator(".event-row")).to_have_count(1)
        page.locator("#clear").click()
        self.tally(page, "5,000 of 6,001 events")
        expect(page.locator("#older")).to_be_visible()
        # The list is still at its end.
        expect(page.locator(".event-row", has_text="e6000")).to_be_visible()
        self.assertEqual(self.names(page), self.newest(5000))

    def test_a_scrolled_list_does_not_move_when_older_events_are_added(self):
        page = self.open_loading()
        page.locator(".event-list").evaluate("(list) => { list.scrollTop = 145; }")
        expect(page.locator("#follow")).to_be_visible()
        row = page.locator(".event-row", has_text="e5960")
        box = row.bounding_box()
        self.release(page)
        self.tally(page, "5,000 of 6,000 events")
        self.assertEqual(row.bounding_box(), box)
        # The same while another view is shown.
        page.locator("#tab-screens").click()
        page.locator("#older").click()
        self.tally(page, "6,000 events")
        page.locator("#tab-events").click()
        expect(row).to_be_visible()
        self.assertEqual(row.bounding_box(), box)
        self.assertEqual(self.names(page), self.newest(6000))

    def test_a_reset_while_older_events_are_read_leaves_an_empty_page(self):
        page = self.open_loading()
        self.collector.get("/micro/reset")
        expect(page.locator("#event-empty")).to_be_visible()
        self.release(page)
        self.tally(page, "0 events")
        self.send(1)
        self.tally(page, "1 event")
        self.assertEqual(self.names(page), ["e6000"])
        expect(page.locator("#older")).to_be_hidden()

    def test_a_connection_lost_while_older_events_are_read_leaves_no_gap(self):
        page = self.open_loading()
        self.collector.stop()
        expect(page.locator("#connection")).to_have_attribute("data-state", "lost")
        self.release(page)
        self.collector.start()
        self.send(70)
        self.tally(page, "5,000 of 6,070 events")
        self.assertEqual(self.names(page), self.newest(5000))

    def test_a_part_of_the_older_events_that_ends_early_is_read_again(self):
        page = self.open_loading()
        with urllib.request.urlopen(page.held[0].request.url) as response:
            frames = b"".join(itertools.islice(response, 400))
        page.held.pop().fulfill(body=frames, content_type="text/event-stream")
        self.release(page)
        self.tally(page, "5,000 of 6,000 events")
        self.assertEqual(self.names(page), self.newest(5000))

    def test_a_paused_page_reads_older_events(self):
        page = self.open_loading()
        page.locator("#pause").click()
        self.send(20)
        self.tally(page, f"50 of 6,020 events, 20 waiting{LOADING}")
        self.release(page)
        self.tally(page, "4,980 of 6,020 events, 20 waiting")
        page.locator("#pause").click()
        self.tally(page, "5,000 of 6,020 events")
        self.assertEqual(self.names(page), self.newest(5000))

    def test_a_paused_page_without_events_does_not_show_the_start_while_some_wait(self):
        page = self.open()
        expect(page.locator("#event-empty")).to_be_visible()
        page.locator("#pause").click()
        self.send(3)
        self.tally(page, "0 events, 3 waiting")
        expect(page.locator("#event-empty")).to_be_hidden()
        expect(page.locator("#event-state")).to_have_text("The page is paused.")
        page.locator("#pause").click()
        self.tally(page, "3 events")

    def test_an_address_of_an_older_event_opens_it_once_it_is_read(self):
        self.fill()
        seqs = {name: [row["seq"] for row in json.loads(self.collector.get(f"api/{name}?limit=1000")[1])["events"]] for name in ["events", "captured", "audit"]}
        for view, row, panel in [("events", ".event-row", "#event-panel"), ("captured", ".captured-row", "#captured-event"), ("audit", ".audit-row", "#audit-panel")]:
            older = sorted(seqs[view])[-5]
            with self.subTest(view=view):
                page = self.open_partly(f"#{view}?event={older}", WINDOWS)
                expect(page.locator("#tally")).to_contain_text(LOADING)
                # The summary of the page is read after the event of the address.
                expect(page.locator("#counters strong").first).to_be_attached()
                expect(page.locator("#notice")).not_to_have_class("shown")
                expect(page.locator(f"{row}[aria-selected=true]")).to_have_count(0)
                self.release(page)
                expect(page.locator(f"{row}[aria-selected=true]")).to_have_count(1)
                expect(page.locator(f"{panel} h2")).to_be_visible()
                self.assertTrue(page.url.endswith(f"#{view}?event={older}"), page.url)
        with self.subTest("older than the filled list"):
            page = self.open_partly(f"#captured?event={min(seqs['captured'])}", WINDOWS)
            expect(page.locator("#tally")).to_contain_text(LOADING)
            expect(page.locator("#notice")).not_to_have_class("shown")
            self.release(page)
            expect(page.locator("#notice")).to_have_text("The event of the address is older than those of the list: Load older reads more.")
            self.tally(page, "20 of 60 events")
            for tally in ["40 of 60 events", "60 events"]:
                page.locator("#older").click()
                self.tally(page, tally)
            expect(page.locator(".captured-row[aria-selected=true]")).to_have_count(1)

    def test_the_requests_of_older_events_are_in_the_order_of_their_bundles(self):
        for bundle in range(1, 31):
            self.collector.send([event(f"e{bundle}-{number}") for number in range(50)], {"event_bundle_sequence_id": bundle})
        page = self.open("#requests", windows={"events": 1000})
        self.tally(page, "1,000 of 1,500 events")
        # Bundle 10 follows the last event that is not read.
        expect(page.locator(".request-row")).to_have_count(21)
        numbers = page.locator(".request-row").evaluate_all("(rows) => rows.map((row) => [row.children[2].textContent, row.children[10].textContent])")
        self.assertEqual(sorted(numbers, key=lambda row: int(row[0])), [[str(bundle), ""] for bundle in range(10, 31)])
