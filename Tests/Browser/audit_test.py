"""Browser tests of the inspector's view of audit events."""

import csv
import io
import json
import re
import time

from playwright.sync_api import expect

from audit import Audit, back_office, product, update
from browser import BrowserTest

WIDE = "document.documentElement.scrollWidth > innerWidth || document.body.scrollWidth > innerWidth"
ROWS = 15
KINDS = ["inserted", "updated", "deleted", "read"]


class AuditTest(BrowserTest):
    def send(self, events, partition="audit-1"):
        self.assertEqual(self.collector.capture(f"audit?partition={partition}", events), 200)

    def office(self, address="#audit", **options):
        """A page on the events of a back office."""
        self.send(back_office())
        page = self.open(address, **options)
        if address == "#audit":
            self.tally(page, f"{ROWS} rows")
        return page

    def rows(self, page):
        """Kind and place of the visible rows, from top to bottom."""
        self.drawn(page)
        return page.evaluate("[...document.querySelectorAll('.audit-row')].sort((a, b) => a.index - b.index)"
                             ".map((row) => `${row.querySelector('.kind').textContent} ${row.querySelector('.name').textContent}`.trim())")

    def row(self, page, text):
        """Rows whose kind and place contain a text."""
        kind, _, location = text.partition(" ")
        if kind not in KINDS:
            return page.locator(".audit-row", has=page.locator(".name", has_text=text))
        rows = page.locator(".audit-row", has=page.locator(".kind", has_text=kind))
        return rows.filter(has=page.locator(".name", has_text=location)) if location else rows

    def test_without_audit_events_the_view_names_the_endpoint(self):
        page = self.open("#audit")
        empty = page.locator("#audit-empty")
        for text in ["Waiting for the first audit event", f"{self.collector.url}audit"]:
            expect(empty).to_contain_text(text)
        self.assertEqual(self.appearance(page), [])
        self.picture(page, "audit-empty")
        self.send(Audit().read("open", "product", product(1)).events)
        expect(empty).to_be_hidden()
        expect(page.locator(".audit-row")).to_have_count(1)

    def test_each_changed_or_read_row_is_listed_with_old_and_new_values(self):
        page = self.office()
        self.assertEqual(self.rows(page), [
            "read product 1", "read product 2", "read product 3", "updated product 2", "pressed save", "read orders",
            "inserted product 4", "inserted product 5", "inserted supplier 9", "updated product 2", "deleted product 5",
            "updated supplier 9", "user registration", "updated product 3", "updated product 3",
        ])
        first = self.row(page, "updated").first
        expect(first.locator(".old")).to_have_text('price "79.90" \u00b7 stock 12')
        expect(first.locator(".new")).to_have_text('price "69.90" \u00b7 stock 11')
        expect(first.locator(".activity")).to_have_text("edit price")
        expect(first.locator(".user")).to_have_text("ann")
        expect(self.row(page, "deleted").locator(".new")).to_have_text("")
        expect(self.row(page, "inserted product 4").locator(".old")).to_have_text("")
        # A value that was read is not a new one.
        expect(self.row(page, "read product 1").locator(".old")).to_have_text(re.compile("^id 1 "))
        expect(self.row(page, "read product 1").locator(".new")).to_have_text("")
        expect(self.row(page, "orders").locator(".old")).to_have_text("orders: read id, total")
        self.assertEqual(page.locator(".columns.audit span").all_text_contents()[4:6], ["old or read", "new"])
        expect(self.row(page, "pressed save").locator(".old")).to_have_text("pressed save: button: save")
        # No digit of a long integer is lost.
        expect(self.row(page, "supplier 9").last.locator(".new")).to_contain_text("9007199254740995")
        expect(page.locator("#counters")).to_contain_text("12audit".replace("12", "10"))
        self.assertEqual(self.appearance(page), [])
        self.picture(page, "audit")

    def test_an_update_opens_with_its_changed_columns_marked(self):
        page = self.office()
        self.row(page, "updated product 2").last.click()
        panel = page.locator("#audit-panel")
        expect(panel.locator("h2")).to_have_text("product 2 updated")
        expect(panel.locator(".badge")).to_have_count(0)
        values = panel.locator("section[aria-label='Old and new values']")
        self.assertEqual(values.locator("thead th").all_text_contents(), ["column", "old", "new"])
        self.assertEqual([text.replace(" (changed)", "") for text in values.locator("tr.changed th").all_text_contents()], ["price"])
        self.assertEqual(values.locator("tr.changed td").all_text_contents(), ["69.90", "64.90"])
        expect(values.locator("tbody tr")).to_have_count(5)
        for text in ["carl", "edit price", "audit-1"]:
            expect(panel.locator(".facts")).to_contain_text(text)
        expect(panel.locator("section[aria-label='History of the row'] tbody tr")).to_have_count(3)
        expect(panel).to_contain_text("Payload")
        self.assertEqual(self.appearance(page), [])
        self.picture(page, "audit-update")
        page.keyboard.press("Escape")
        expect(panel).to_be_hidden()

    def test_the_history_of_a_row_has_its_changes_in_order(self):
        page = self.office()
        self.row(page, "updated product 2").last.click()
        history = page.locator(".history tbody tr")
        expect(history).to_have_count(3)
        self.assertEqual(page.locator(".history .kind").all_text_contents(), ["read", "updated", "updated"])
        expect(history.nth(1)).to_contain_text('price "79.90"')
        expect(history.nth(2)).to_contain_text('price "64.90"')
        page.locator("#audit-panel button", has_text="History").click()
        self.tally(page, f"3 of {ROWS} rows")
        self.assertEqual(self.rows(page), ["read product 2", "updated product 2", "updated product 2"])
        self.assertIn("table=product&key=2", page.url)
        # A row that is removed and inserted again, and one whose key was changed, keep their history.
        more = Audit("eve", first=500)
        more.write("rename", product={"modifications": [update(product(2), id=77)]})
        self.send(more.events)
        self.tally(page, f"4 of {ROWS + 1} rows")

    def test_a_key_is_that_of_a_row_before_or_after_a_change_and_no_other_value(self):
        self.send(Audit(first=500).write("rename", product={"modifications": [update(product(2), id=77)]}).events)
        page = self.office("#audit?key=77")
        self.tally(page, f"1 of {ROWS + 1} rows")
        expect(page.locator(".audit-row .name")).to_have_text("product 2")
        # The first changed column is no key.
        page.locator("#audit-key").fill("69.90")
        self.tally(page, f"0 of {ROWS + 1} rows")

    def test_activity_table_key_kind_and_name_filter_and_are_part_of_the_address(self):
        page = self.office()
        page.locator("#audit-activity").select_option("edit price")
        self.tally(page, f"3 of {ROWS} rows")
        page.locator("#audit-kind").select_option("update")
        self.tally(page, f"2 of {ROWS} rows")
        page.locator("#audit-activity").select_option("")
        page.locator("#audit-kind").select_option("")
        page.locator("#audit-table").select_option("supplier")
        self.tally(page, f"2 of {ROWS} rows")
        page.locator("#audit-key").fill("9")
        page.locator("#filter-name").fill("write")
        self.assertIn("table=supplier&key=9", page.url)
        address = page.url
        again = self.open(address.removeprefix(self.collector.url))
        self.tally(again, f"2 of {ROWS} rows")
        expect(again.locator("#audit-table")).to_have_value("supplier")
        expect(again.locator("#audit-key")).to_have_value("9")
        again.locator("#audit-key").fill("nothing")
        expect(again.locator("#audit-state")).to_contain_text("No row matches the filter")
        again.locator("#audit-state button").click()
        self.tally(again, f"{ROWS} rows")
        again.keyboard.press("b")
        self.tally(again, f"1 of {ROWS} rows")

    def test_bad_events_are_visible_with_their_findings(self):
        page = self.office()
        bad = page.locator(".audit-row.bad")
        expect(bad).to_have_count(1)
        bad.click()
        expect(page.locator("#audit-panel .badge")).to_have_text("bad")
        expect(page.locator("#audit-panel .violation")).to_contain_text("audit_unchanged")
        expect(page.locator("#audit-panel .violation details")).to_contain_text("Unchanged")
        self.assertEqual(self.appearance(page), [])

    def test_a_selected_event_is_part_of_the_address(self):
        page = self.office()
        self.row(page, "deleted").click()
        address = page.url.removeprefix(self.collector.url)
        self.assertIn("event=", address)
        again = self.open(address)
        expect(again.locator("#audit-panel h2")).to_have_text("product 5 deleted")
        gone = self.open("#audit?event=999")
        expect(gone.locator("#audit-panel")).to_contain_text("The store has no such event")

    def test_new_events_appear_and_wait_while_paused(self):
        page = self.office()
        page.keyboard.press("p")
        self.send(Audit(first=300).write("late", product={"deletions": [product(1)]}).events)
        self.tally(page, f"{ROWS} rows, 1 waiting")
        page.keyboard.press("p")
        self.tally(page, f"{ROWS + 1} rows")
        expect(self.row(page, "deleted product 1")).to_have_count(1)

    def test_an_event_beyond_the_excerpt_is_loaded_when_it_is_opened(self):
        page = self.open("#audit")
        rows = [product(number, text="x" * 200) for number in range(1, 601)]
        self.send(Audit().write("import", product={"insertions": rows}).events)
        self.tally(page, "1 row")
        row = page.locator(".audit-row")
        expect(row).to_contain_text("KiB: open to load")
        row.click()
        self.tally(page, "600 rows")
        expect(page.locator("#audit-panel h2")).to_have_text("product 1 inserted")

    def test_the_audit_view_is_operated_by_keys_alone(self):
        page = self.open()
        self.send(back_office())
        page.keyboard.press("6")
        self.tally(page, f"{ROWS} rows")
        page.keyboard.press("g")
        expect(page.locator("#audit-panel h2")).to_have_text("product 1 read")
        page.keyboard.press("j")
        expect(page.locator("#audit-panel h2")).to_have_text("product 2 read")
        page.keyboard.press("G")
        expect(page.locator("#audit-panel h2")).to_have_text("product 3 updated")
        page.keyboard.press("Escape")
        expect(page.locator("#audit-panel")).to_be_hidden()
        self.assertTrue(page.evaluate("document.activeElement.classList.contains('audit-list')"))
        page.keyboard.press("?")
        expect(page.locator("#dialog")).to_contain_text("Audit")

    def test_filtered_audit_events_are_exported_as_sent(self):
        page = self.office()
        page.locator("#audit-table").select_option("supplier")
        self.tally(page, f"2 of {ROWS} rows")
        page.keyboard.press("x")
        with page.expect_download() as download:
            page.locator("#export-ndjson").click()
        lines = self.saved(download).strip().split("\n")
        self.assertEqual([json.loads(line) for line in lines], [event for event in back_office_like(lines)])
        page.keyboard.press("x")
        with page.expect_download() as download:
            page.locator("#export-csv").click()
        rows = list(csv.DictReader(io.StringIO(self.saved(download))))
        self.assertEqual([row["activity"] for row in rows], ["import", "clean up"])
        self.assertEqual([row["user"] for row in rows], ["carl", "carl"])

    def test_a_reset_empties_the_view(self):
        page = self.office()
        self.row(page, "deleted").click()
        page.locator("#reset").click()
        expect(page.locator("#dialog")).to_contain_text("10 audit events")
        page.locator("#reset-confirm").click()
        expect(page.locator("#audit-empty")).to_be_visible()
        expect(page.locator("#audit-panel")).to_be_hidden()

    def test_light_and_dark_have_contrast_and_names(self):
        for scheme in ["light", "dark"]:
            page = self.office(color_scheme=scheme) if scheme == "light" else self.open("#audit", color_scheme=scheme)
            self.tally(page, f"{ROWS} rows")
            self.row(page, "updated product 2").last.click()
            expect(page.locator(".history tbody tr")).to_have_count(3)
            self.assertEqual(self.appearance(page), [])
            self.picture(page, f"audit-{scheme}")

    def test_the_view_fits_at_every_width(self):
        for width, height in [(360, 700), (390, 844), (800, 700), (1180, 800), (1920, 1000)]:
            page = self.open("#audit", width=width, height=height) if width != 360 else self.office(width=width, height=height)
            self.tally(page, f"{ROWS} rows") if width > 760 else expect(page.locator(".audit-row").first).to_be_visible()
            self.assertFalse(page.evaluate(WIDE), width)
            self.row(page, "updated product 2").last.click()
            expect(page.locator(".history tbody tr")).to_have_count(3)
            self.assertFalse(page.evaluate(WIDE), width)
            self.picture(page, f"audit-{width}")
            if width <= 760:
                page.locator("#audit-panel button", has_text="Close").click()
                expect(page.locator("#audit-panel")).to_be_hidden()

    def test_a_phone_shows_activity_and_user(self):
        page = self.office("", width=390, height=844)
        page.locator("#tab-audit").click()
        row = self.row(page, "updated product 2").first
        for part, text in [(".name", "product 2"), (".activity", "edit price"), (".user", "ann"), (".old", 'price "79.90"'), (".new", 'price "69.90"')]:
            expect(row.locator(part)).to_be_visible()
            expect(row.locator(part)).to_contain_text(text)
        boxes = {part: row.locator(part).bounding_box() for part in [".name", ".activity", ".user", ".old", ".new"]}
        lines = [boxes[".name"]["y"], boxes[".activity"]["y"], boxes[".old"]["y"]]
        self.assertEqual(lines, sorted(lines))
        self.assertEqual(boxes[".activity"]["y"], boxes[".user"]["y"])
        self.assertLess(boxes[".new"]["y"] + boxes[".new"]["height"], row.bounding_box()["y"] + row.bounding_box()["height"])
        self.assertFalse(page.evaluate(WIDE))
        self.assertEqual(self.appearance(page), [])
        self.picture(page, "audit-phone")

    def test_ten_thousand_audit_events_stay_responsive(self):
        for batch in range(20):
            audit = Audit(first=batch * 500)
            for number in range(500):
                key = batch * 500 + number
                if number % 2:
                    audit.write("edit", product={"modifications": [update(product(key % 700), stock=key)], "insertions": [product(key + 10_000)]})
                else:
                    audit.read("open", "product", product(key % 700))
            self.send(audit.events)
        began = time.monotonic()
        page = self.open("#audit")
        expect(page.locator("#tally")).to_have_text("15,000 rows")
        drawn = time.monotonic() - began
        frames, work = self.frames(page, """
            const list = document.querySelector(".audit-list");
            list.scrollTop = (index * 7919 * 28) % (list.scrollHeight - list.clientHeight);
        """)
        began = time.monotonic()
        page.locator("#audit-key").fill("42")
        expect(page.locator("#tally")).to_contain_text(" of 15,000 rows")
        filtered = time.monotonic() - began
        began = time.monotonic()
        page.locator("#audit-key").fill("")
        page.locator("#filter-text").fill("Trail Runner 99")
        expect(page.locator("#tally")).to_contain_text(" of 15,000 rows")
        searched = time.monotonic() - began
        print(f"\n10 000 audit events, 15 000 rows: read and drawn in {drawn:.1f} s, a frame while scrolling {frames[57]:.0f} ms (95 %), "
              f"{work:.1f} ms of processor time, "
              f"filter by key {filtered:.1f} s, text search {searched:.1f} s")
        self.assertLess(drawn, 12)
        self.assertLess(work, 40)
        self.assertLess(filtered, 3)

    def test_hostile_audit_events_run_nothing(self):
        bad = '<img src=x onerror="window.broken=1">\u202e\u0000'
        audit = Audit(bad)
        audit.read(bad, bad, {"id": bad, bad: bad, "__proto__": 1, "constructor": {"a": [bad]}})
        audit.write(bad, **{bad: {"modifications": [update({"id": 1, bad: bad}, **{bad: 7})], "insertions": [7, None, [bad], {}]}})
        audit.write("deep", t={"insertions": [json.loads("[" * 100 + "]" * 100)]})
        audit.add(bad, bad, bad)
        audit.add("write", "broken", "{\"T\":{\"insertions\":[{\"id\":1}")
        self.send(audit.events)
        self.send([7, None, {"_id": 7, "event": {"a": 1}, "data": {"x": 1}, "activity": [], "timestamp": "x"}])
        page = self.open("#audit")
        expect(page.locator(".audit-row").first).to_be_visible()
        count = page.locator(".audit-row").count()
        self.assertGreater(count, 8)
        page.keyboard.press("g")
        for _ in range(count):
            expect(page.locator("#audit-panel")).to_be_visible()
            page.keyboard.press("j")
        self.assertIsNone(page.evaluate("window.broken ?? null"))
        self.assertNotIn("\u202e", page.locator("body").inner_text())
        self.assertEqual(self.appearance(page), [])


def back_office_like(lines):
    """The events of the back office with the ids of some lines, with their times: those depend on the clock."""
    times = {json.loads(line)["_id"]: json.loads(line)["timestamp"] for line in lines}
    for event in back_office():
        if event["_id"] in times:
            yield {**event, "timestamp": times[event["_id"]]}
