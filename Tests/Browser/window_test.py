"""Browser tests of the windows: the newest events of each list, and older ones on demand."""

import json

from playwright.sync_api import expect

from audit import Audit, product
from browser import BrowserTest
from collector import event
from formats.pulse import Pulse

# In place of the limits of the page.
WINDOWS = {"events": 100, "captured": 20, "audit": 10}


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
        expect(page.locator("#empty")).to_be_visible()
        self.send(1)
        self.tally(page, "1 event")
        expect(page.locator("#older")).to_be_hidden()

    def test_an_event_of_a_timeline_that_the_page_does_not_keep_is_read(self):
        self.send(150)
        page = self.open("#sessions", windows=WINDOWS)
        page.locator(".entries button").first.click()
        expect(page.locator("#session-event h2")).to_contain_text("e0")
