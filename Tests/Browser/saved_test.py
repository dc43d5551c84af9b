"""Browser tests of saved files: a page that opens from disk and answers questions, NDJSON that is read back, and files that are dropped on the page."""

import base64
import json
import os
import random
import re
import time
from urllib.parse import urlencode

from playwright.sync_api import expect

from browser import MODULES, SCREENSHOTS, TIMEOUT, WATCH
from captured import CapturedBrowserTest, fill
from collector import Collector, event
from explore_test import STEPS, shop
from formats import FORMATS
from plan_test import PLAN, traffic
from watch_test import story

# Texts of the rows of each list that is shown, from top to bottom, of the graph of the screens, and of what is shown in place of rows.
ROWS = """[...document.querySelectorAll('.view:not([hidden]) .list')].map((list) =>
    [...list.querySelectorAll('[role=option]')].filter((row) => row.offsetParent).sort((a, b) => a.index - b.index).map((row) => row.textContent))
    .concat([[...document.querySelectorAll('.view:not([hidden]) :is(.flow, .state:not([hidden]) .title)')].map((element) => element.textContent)])"""
# The same of a question, with its conditions, tables and texts; nothing while an answer is read.
ANSWER = """(() => {
    const view = document.querySelector('.view:not([hidden])'), textsOf = (selector) => [...view.querySelectorAll(selector)].filter((element) => element.checkVisibility()).map((element) => element.innerText);
    const rows = [...view.querySelectorAll('[role=option]')].filter((row) => row.checkVisibility()).sort((a, b) => a.index - b.index).map((row) => [...row.children].map((cell) => cell.textContent));
    const texts = textsOf('table, .answer-summary, .state, .about, #crashes-report, .listing-note, .listing-head:not(.question-head), .problem, .answer .hint');
    const isRead = view.getAttribute('aria-busy') === 'false' && !texts.some((text) => /Reading\u2026|Loading\u2026/.test(text)) && !rows.flat().includes('\u2026');
    return isRead ? [[...view.querySelectorAll('.question-head :is(input, select)')].map(({ value }) => value), rows, texts] : [[], []];
})()"""
VIEWS = ["events", "sessions", "screens", "requests", "captured", "audit"]


class SavedBrowserTest(CapturedBrowserTest):
    def save(self, page, id="html"):
        """Saves what the page shows. Returns the path of the file."""
        page.locator("#export").click()
        return self.download(page, id)

    def download(self, page, id):
        with page.expect_download() as download:
            page.locator(f"#export-{id}").click()
        path = os.path.join(self.collector.folder.name, download.value.suggested_filename)
        download.value.save_as(path)
        return path

    def open_file(self, path, address="", width=1440, height=900, **options):
        """A page of the file, without a network. A request fails the test at its end."""
        context = self.browser.new_context(viewport={"width": width, "height": height}, **options)
        self.addCleanup(context.close)
        context.set_offline(True)
        context.add_init_script(WATCH)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: request.url.startswith(("file:", "blob:", "data:")) or self.errors.append(request.url))
        page.goto(f"file://{path}{address}")
        expect(page.locator("#connection")).to_contain_text("saved file, 2")
        self.addCleanup(self.check, page)
        return page

    def content(self, path):
        with open(path) as file:
            return json.loads(re.search(r'id="saved">(.*?)</script>', file.read(), re.S)[1])

    def drop(self, page, *paths):
        for path in paths:
            with open(path, "rb") as file:
                data = base64.b64encode(file.read()).decode()
            page.evaluate("""([name, data]) => {
                const transfer = new DataTransfer();
                transfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name));
                for (const type of ["dragover", "drop"]) document.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
            }""", [os.path.basename(path), data])

    def everything(self):
        fill(self.collector)
        page = self.open()
        self.tally(page, "82 events")
        return page

    def same(self, page, file, message, content=ROWS):
        """Waits until two pages have the same rows."""
        rows = []

        def is_same():
            rows[:] = [each.evaluate(content) for each in (page, file)]
            return rows[0] == rows[1] and any(map(any, rows[0][-2:]))

        self.wait(page, is_same, lambda: f"{message}: {str(rows)[:4000]}")

    def limited(self, address, **values):
        """A page of which saved files have other limits."""
        def serve(route):
            text = self.module(route.request.url) if MODULES else route.fetch().text()
            for name, value in values.items():
                text, found = re.subn(rf"(const limits = .*\b{name}: )\d+", rf"\g<1>{value}", text)
                self.assertEqual(found, 1, name)
            route.fulfill(body=text, content_type="text/javascript")

        page = self.open()
        page.context.route(re.compile(r"/SavedFile\.js$"), serve)
        page.goto("about:blank")
        page.goto(self.collector.url + address)
        return page


class SavedTest(SavedBrowserTest):
    # MARK: page

    def test_a_saved_page_shows_the_same_rows_without_a_network(self):
        page = self.everything()
        for query, tally in [("", "82 events"), ("?status=bad", "3 of 82 events")]:
            page.goto(f"{self.collector.url}#events{query}")
            self.tally(page, tally)
            file = self.open_file(self.save(page))
            self.assertTrue(file.url.endswith(f"#events{query}"))
            # A page with a filter has the requests of its events only, and the others' remarks.
            for view in VIEWS if not query else [view for view in VIEWS if view != "requests"]:
                page.goto(f"{self.collector.url}#{view}{query}")
                file.goto(f"{file.url.split('#')[0]}#{view}{query}")
                self.same(page, file, f"{view}{query}")

    def test_a_saved_page_opens_events_sessions_requests_and_rows(self):
        page = self.everything()
        file = self.open_file(self.save(page))
        for control in ["pause", "faults", "reset", "older"]:
            expect(file.locator(f"#{control}")).to_be_hidden()
        for key in "pf":
            file.keyboard.press(key)
        expect(file.locator("#dialog")).to_be_hidden()
        expect(file.locator("#counters")).to_have_text(re.compile(r"^82events3bad0duplicates4sessions"))
        file.locator(".event-row", has_text="purchase").first.click()
        expect(file.locator("#event-panel .json")).to_contain_text('"price": 699.0')
        panel = file.locator("#event-panel .facts").text_content()
        page.goto(f"{self.collector.url}#events?event={file.url.split('event=')[1]}")
        expect(page.locator("#event-panel .facts")).to_have_text(panel)
        file.reload()
        expect(file.locator("#event-panel .facts")).to_have_text(panel)
        file.keyboard.press("s")
        expect(file.locator("#session-panel .timeline")).to_be_visible()
        expect(file.locator("#session-panel .entries")).to_contain_text("purchase")
        file.goto(f"{file.url.split('#')[0]}#requests")
        file.locator(".request-row").first.click()
        expect(file.locator("#request-panel .json")).to_contain_text("event_type")
        file.goto(f"{file.url.split('#')[0]}#captured")
        file.locator(".captured-list .session-row").first.click()
        expect(file.locator(".page-card")).to_have_count(4)
        file.locator(".touch-mark").first.dispatch_event("click")
        expect(file.locator("#captured-event .facts")).to_be_visible()
        file.goto(f"{file.url.split('#')[0]}#audit")
        file.locator(".audit-row", has_text="updated").first.click()
        expect(file.locator("#audit-panel .history tbody tr")).not_to_have_count(0)
        file.goto(f"{file.url.split('#')[0]}#events?event=999999")
        expect(file.locator("#event-panel .hint")).to_have_text("This file has no such event.")
        file.keyboard.press("x")
        expect(file.locator("#dialog")).to_contain_text(f"from {self.collector.url}")
        expect(file.locator("#export-html")).to_have_count(0)
        self.picture(file, "saved-dialog")

    def test_the_shell_of_the_collector_is_that_of_the_folder(self):
        if MODULES:
            self.skipTest("the shell is made by the test")
        folder = json.loads(re.search(r'id="facts">(.*?)</script>', self.collector.get("/")[1].decode(), re.S)[1])["folder"]
        self.assertEqual(self.collector.get(f"{folder}/saved.html")[1].decode(), self.shell())

    def test_a_session_is_saved_with_its_captured_events_and_nothing_else(self):
        changes = {}
        for format in FORMATS.values():
            changes |= format.script(self.collector.url)
        self.collector.replay(self.collector.script("storefront.yaml", changes))
        self.assertEqual(self.collector.send([event("of_another", session="s-9", user="zoe")]), 200)
        page = self.open("#sessions")
        page.locator(".session-row", has_text="#1").last.click()
        page.locator("#session-panel").get_by_role("button", name="Save").click()
        expect(page.locator("#dialog")).to_contain_text(" of this session; in all lists also")
        path = self.download(page, "html")
        content = self.content(path)
        self.assertFalse("zoe" in json.dumps(content))
        events = [json.loads(row)["event"] for row in content["lists"]["events"]["rows"]]
        self.assertEqual(len({found["attributes"]["_session_id"] for found in events}), 1)
        captured = {json.loads(row)["form"] for row in content["lists"]["captured"]["rows"]}
        self.assertEqual(captured, set(FORMATS))
        file = self.open_file(path)
        self.tally(file, f"{len(events)} events")
        expect(file.locator("#session-panel .timeline")).to_be_visible()
        file.locator("#tab-captured").click()
        expect(file.locator(".captured-list .session-row")).to_have_count(len(FORMATS))
        # The captured session leads to the same.
        page.locator("#tab-captured").click()
        page.locator("#captured-panel").get_by_role("button", name="Save").click()
        again = self.content(self.download(page, "html"))
        self.assertEqual(again["lists"], content["lists"])

    def test_a_filtered_page_has_no_body_with_other_events(self):
        self.assertEqual(self.collector.send([event("mine", user="ann"), event("other", user="zoe", session="s-2")]), 200)
        self.assertEqual(self.collector.send([event("mine_too", user="ann")], {"event_bundle_sequence_id": 2}), 200)
        page = self.open("#events?user=ann")
        self.tally(page, "2 of 3 events")
        path = self.save(page)
        self.assertFalse("zoe" in json.dumps(self.content(path)))
        bodies = [key for key in self.content(path)["answers"] if "/requests/" in key]
        self.assertEqual(len(bodies), 1)
        file = self.open_file(path, "#requests")
        file.locator(".request-row").first.click()
        expect(file.locator("#request-panel")).to_contain_text("This file does not have the body.")
        expect(file.locator("#request-panel .facts")).to_contain_text("2, 0 bad")
        file.locator(".request-row").last.click()
        expect(file.locator("#request-panel .json")).to_contain_text("mine_too")
        file.keyboard.press("x")
        expect(file.locator("#dialog")).to_contain_text("The bodies of 1 request are left out")

    def test_a_filtered_page_has_no_body_with_a_duplicate(self):
        other = event("other", user="zoe", session="s-2")
        self.assertEqual(self.collector.send([other]), 200)
        self.assertEqual(self.collector.send([event("mine", user="ann"), other], {"event_bundle_sequence_id": 2}), 200)
        page = self.open("#events?user=ann")
        self.tally(page, "1 of 2 events")
        self.assertEqual([key for key in self.content(self.save(page))["answers"] if "/requests/" in key], [])

    def test_a_file_has_the_events_of_the_dialog_while_others_arrive(self):
        self.assertEqual(self.collector.send([event("first"), event("second")]), 200)
        for address in ["#events", "#events?session=s-1"]:
            page = self.open(address)
            page.locator("#export").click()
            expect(page.locator("#export-html")).to_be_visible()
            self.assertEqual(self.collector.send([event("late")], {"event_bundle_sequence_id": 2}), 200)
            expect(page.locator(".event-row", has_text="late").last).to_be_attached()
            with self.subTest(address=address):
                events = self.content(self.download(page, "html"))["lists"]["events"]
                self.assertEqual((events["total"], len(events["rows"])), (len(events["rows"]), 2 if address == "#events" else 3))

    def test_commands_copied_from_a_saved_page_are_for_its_collector(self):
        self.assertEqual(self.collector.send([event("first")]), 200)
        page = self.open()
        file = self.open_file(self.save(page))
        # A page from disk has no access to the clipboard in this test.
        file.evaluate("Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } })")
        file.locator(".event-row").click()
        file.keyboard.press("y")
        file.locator("#copy-curl").click()
        expect(file.locator("#notice")).to_have_text("curl copied.")
        self.assertIn(f"'{self.collector.endpoint}?", file.evaluate("copied"))

    def test_hostile_texts_do_nothing(self):
        texts = ["</script><script>window.hit = 1</script>", "<!--<script>", "\u2028\u2029\0", "<img src=x onerror=window.hit=1>", "@facts", "$&$`", "]]>"]
        self.assertEqual(self.collector.send([event(f"hostile_{index}", user=text, screen=text, session=text, **{"a": text, f"k{text}": 1}) for index, text in enumerate(texts)], app=texts[0]), 200)
        page = self.open()
        self.tally(page, f"{len(texts)} events")
        path = self.save(page)
        file = self.open_file(path)
        self.tally(file, f"{len(texts)} events")
        for view in VIEWS:
            file.locator(f"#tab-{view}").click()
        file.locator("#tab-events").click()
        for index in range(len(texts)):
            file.locator(".event-row", has_text=f"hostile_{index}").click()
            expect(file.locator("#event-panel h2")).to_have_text(f"hostile_{index}")
        self.assertIsNone(file.evaluate("window.hit ?? null"))
        rows = self.content(path)["lists"]["events"]["rows"]
        self.assertEqual([json.loads(row)["event"]["attributes"]["a"] for row in rows], texts)

    def test_a_file_is_bounded_and_names_what_it_leaves_out(self):
        for number in range(3):
            self.assertEqual(self.collector.send([event(f"e{number}_{index}", session=f"s{number}_{index}") for index in range(40)]), 200)
        self.assertEqual(self.collector.send([event("large", big="x" * 100_000), event("larger", big="x" * 300_000)]), 200)
        page = self.limited("#events", events=50, characters=260_000, sessions=10)
        self.tally(page, "122 events")
        page.locator("#export").click()
        expect(page.locator("#dialog")).to_contain_text("the newest 50 of 122 events")
        file = self.open_file(self.download(page, "html"))
        self.tally(file, "50 of 122 events are in this file")
        file.locator("#filter-name").fill("e2_39")
        self.tally(file, "1 of 50 in this file, 122 in all")
        # The numbers are the same: the list has another row.
        file.locator("#filter-name").fill("larger")
        file.locator(".event-row", has_text="larger").click()
        self.tally(file, "1 of 50 in this file, 122 in all")
        expect(file.locator("#event-panel .note")).to_contain_text("293.3 KiB")
        file.locator("#show-whole").click()
        expect(file.locator("#notice")).to_contain_text("this file has no such event")
        file.locator("h1").click()
        file.keyboard.press("x")
        for text in ["72 older events are left out.", "1 large event is an excerpt.", "The timelines of 39 older sessions are left out.", "72 older events are not in this file."]:
            expect(file.locator("#dialog")).to_contain_text(text)
        file.keyboard.press("Escape")
        file.locator("#clear").click()
        file.locator("#tab-sessions").click()
        file.locator("#session-sort").select_option("oldest")
        file.locator(".session-row").first.click()
        expect(file.locator("#session-panel")).to_contain_text("this file has no timeline of this session")

    # MARK: NDJSON

    def test_saved_lines_are_imported_with_all_that_was_received(self):
        page = self.everything()
        path = self.save(page, "rows")
        with Collector("--import", path) as other:
            for list in ["events", "captured", "audit"]:
                rows = [json.loads(each.get(f"/api/{list}?limit=10000")[1], parse_float=str) for each in (self.collector, other)]
                for row in rows:
                    for found in row["events"]:
                        del found["seq"], found["request_id"]
                self.assertEqual(rows[0]["events"], rows[1]["events"], list)

    def test_saved_files_are_sent_to_a_collector_when_they_are_dropped_on_its_page(self):
        page = self.everything()
        for id in ["rows", "html"]:
            path = self.save(page, id)
            with Collector() as other:
                target = self.open(url=other.url)
                self.drop(target, path)
                expect(target.locator("#dialog")).to_contain_text(f"{other.url}")
                self.picture(target, "saved-send")
                target.locator("#send-events").click()
                expect(target.locator("#notice")).to_contain_text("were stored")
                count = re.fullmatch(r"(\d+) of \1 events were stored\.", target.locator("#notice").text_content())
                self.assertIsNotNone(count)
                self.tally(target, "82 events")
                for list in ["events", "captured", "audit"]:
                    events = [[(row["event"], row.get("header"), row.get("partition")) for row in json.loads(each.get(f"/api/{list}?limit=10000")[1], parse_float=str)["events"]] for each in (self.collector, other)]
                    self.assertEqual(events[0], events[1], list)

    def written(self, name, *lines):
        path = os.path.join(self.collector.folder.name, name)
        with open(path, "w") as file:
            file.write("\n".join(lines))
        return path

    def lines(self):
        """Lines of a file: five with an event, five without, empty ones."""
        rows = json.loads(self.collector.get("/api/events?limit=2")[1])["events"]
        bare = json.dumps(event("bare", price=699.0))
        return [
            json.dumps(rows[0]), "{", "", "7", '{"name":"short","attributes":{}}', json.dumps(rows[1] | {"cut": True}), json.dumps(rows[1]),
            '{"event":{},"form":"</script>","received_at":1}', bare, " ",
            '{"event":{"_id":"1","event":"read","data":null},"form":"audit","partition":"p/1","request_id":"r","received_at":1,"status":"good","violations":[],"seq":9}',
            '{"event":{"event_type":"page_view"},"form":"pulse","request_id":"r","received_at":1,"status":"good","violations":[],"seq":10}\r',
        ]

    REASONS = [
        "Line 2: not JSON.", "Line 4: not a JSON object.", "Line 5: neither an event of a saved file nor one of the library as sent.",
        "Line 6: an excerpt of a large event.", "Line 8: the format </script> is unknown.",
    ]

    def test_bad_lines_are_listed_and_the_others_sent(self):
        self.assertEqual(self.collector.send([event("first", user="ann"), event("second")]), 200)
        path = self.written("mixed.ndjson", *self.lines())
        with Collector() as other:
            page = self.open(url=other.url)
            page.keyboard.press("x")
            # A button in place of the drop.
            page.locator("#read-file").set_input_files(path)
            dialog = page.locator("#dialog")
            expect(dialog.locator(".bad-lines li")).to_have_text(self.REASONS)
            for text in [f"3 events to {other.endpoint}", f"1 event to {other.url}pulse", f"1 event to {other.url}audit"]:
                expect(dialog).to_contain_text(text)
            self.assertEqual(self.axe(page) + self.appearance(page), [])
            self.picture(page, "saved-bad-lines")
            page.keyboard.press("Escape")
            self.assertEqual(json.loads(other.get("/api/summary")[1])["events"], 0)
            self.drop(page, path)
            page.locator("#send-events").press("Enter")
            expect(page.locator("#notice")).to_have_text("5 of 5 events were stored.")
            self.tally(page, "3 events")
            [audit] = json.loads(other.get("/api/audit")[1])["events"]
            self.assertEqual(audit["partition"], "p/1")
            self.drop(page, path)
            page.locator("#send-events").click()
            expect(page.locator("#notice")).to_contain_text("of 5 events were stored; ")
            expect(page.locator("#notice")).to_contain_text("duplicate")
            page.evaluate("fetch('api/faults', { method: 'POST', body: '[{\"status\":503}]', headers: { 'Content-Type': 'application/json' } })")
            self.drop(page, path)
            page.locator("#send-events").click()
            expect(dialog).to_contain_text("0 of 5 events were stored.")
            expect(dialog.locator(".bad-lines li")).to_have_text(["From line 1, 3 events: status 503.", "From line 11, 1 event: status 503.", "From line 12, 1 event: status 503."])
            page.keyboard.press("Escape")
            other.stop()
            self.drop(page, path)
            page.locator("#send-events").click()
            expect(dialog.locator(".bad-lines li").last).to_contain_text("not sent")

    def test_a_file_without_events_or_of_another_kind_is_refused(self):
        page = self.open()
        for path, text in [
            (self.written("other.html", "<!doctype html><p>x</p>"), "The file other.html could not be read: it is an HTML page that was not saved by the inspector."),
            (self.written("broken.html", '<!doctype html><script type="application/json" id="saved">{</script>'), "The file broken.html could not be read: "),
        ]:
            self.drop(page, path)
            expect(page.locator("#notice")).to_contain_text(text)
        self.drop(page, self.written("empty.ndjson", "", ""))
        expect(page.locator("#dialog")).to_contain_text("empty.ndjson has no event.")
        expect(page.locator("#send-events")).to_have_count(0)

    def test_a_dropped_file_is_shown_by_a_saved_page(self):
        self.assertEqual(self.collector.send([event("first", user="ann", session="s-1"), event("second")]), 200)
        page = self.open()
        self.tally(page, "2 events")
        file = self.open_file(self.save(page))
        self.drop(file, self.written("mixed.ndjson", *self.lines()))
        expect(file.locator("#dialog")).to_contain_text("5 events of mixed.ndjson are shown.")
        expect(file.locator(".bad-lines li")).to_have_text(self.REASONS)
        file.keyboard.press("Escape")
        self.tally(file, "3 events")
        file.locator(".event-row", has_text="bare").click()
        expect(file.locator("#event-panel .json")).to_contain_text('"price": 699.0')
        expect(file.locator("#counters")).to_contain_text("3events")
        file.locator("#tab-audit").click()
        self.tally(file, "1 row")
        file.locator("#tab-captured").click()
        self.tally(file, "1 event")
        file.locator("#tab-sessions").click()
        expect(file.locator("#session-panel")).to_contain_text("this file has no timeline of this session")
        with open(self.save(file, "rows")) as saved:
            self.assertEqual(len(saved.readlines()), 5)

    def test_hostile_lines_do_not_break_a_page(self):
        self.assertEqual(self.collector.send([event("first")]), 200)
        row = json.loads(self.collector.get("/api/events?limit=1")[1])["events"][0]
        missing = "its findings, request or time of reception are missing"
        changes = [
            ({"violations": None}, missing), ({"violations": [None]}, missing), ({"violations": [{"code": 1}]}, missing), ({"request_id": 5}, missing),
            ({"received_at": 1e300}, missing), ({"received_at": "x"}, missing), ({"form": "contentsquare", "header": None}, "the header of its batch is missing"),
            ({"form": "contentsquare", "header": {}, "header_cut": True}, "an excerpt of a large header"),
        ]
        odd = [row | {"seq": "9"}, row | {"seq": -1}, row | {"event": None}, row | {"event": {"app_id": {"toString": 1}, "event_type": "odd", "attributes": [1]}}, event("bare", time_ms=int(1e300))]
        path = self.written("hostile.ndjson", *[json.dumps(row | change) for change, _ in changes], *map(json.dumps, odd))
        page = self.open()
        self.tally(page, "1 event")
        file = self.open_file(self.save(page))
        self.drop(file, path)
        expect(file.locator(".bad-lines li")).to_have_text([f"Line {index + 1}: {reason}." for index, (_, reason) in enumerate(changes)])
        file.keyboard.press("Escape")
        self.tally(file, f"{len(odd)} events")
        for index in range(len(odd)):
            file.locator(".event-row").nth(index).click()
            expect(file.locator("#event-panel .facts")).to_be_visible()
        # A line whose app id has no text does not end the sending.
        self.drop(page, self.written("odd.ndjson", json.dumps(odd[3]), json.dumps(event("after"))))
        page.locator("#send-events").click()
        expect(page.locator("#notice")).to_contain_text("2 of 2 events were stored.")

    def test_a_file_that_is_dropped_while_another_is_opened_is_shown_alone(self):
        self.assertEqual(self.collector.send([event("first")]), 200)
        page = self.open()
        self.tally(page, "1 event")
        file = self.open_file(self.save(page))
        large = self.written("large.ndjson", *[json.dumps(event("large")) for _ in range(12_000)])
        small = self.written("small.ndjson", json.dumps(event("small")))
        self.drop(file, large)
        expect(file.locator(".event-row").first).to_contain_text("large")
        self.drop(file, small)
        expect(file.locator(".event-row")).to_have_text([re.compile("small")])
        self.tally(file, "1 event")

    # MARK: access

    def test_no_rule_is_broken_on_a_saved_page_and_in_the_dialog(self):
        page = self.everything()
        page.locator("h1").click()
        page.keyboard.press("x")
        for _ in range(10):
            if page.evaluate("document.activeElement.id") == "export-html":
                break
            page.keyboard.press("Tab")
        with page.expect_download() as download:
            page.keyboard.press("Enter")
        path = os.path.join(self.collector.folder.name, "keyboard.html")
        download.value.save_as(path)
        for width, height in [(1440, 900), (390, 844)]:
            file = self.open_file(path, width=width, height=height, reduced_motion="reduce")
            states = [([str(index + 1)], name) for index, name in enumerate(VIEWS)] + [(["1", "Escape", "x"], "dialog"), (["Escape", "G"], "panel")]
            for keys, name in states:
                for key in keys:
                    file.keyboard.press(key)
                if name == "panel":
                    expect(file.locator("#event-panel")).to_be_visible()
                for theme in ["dark", "light"]:
                    file.emulate_media(color_scheme=theme)
                    with self.subTest(name=name, width=width, theme=theme):
                        self.assertEqual(self.axe(file) + self.appearance(file), [])
                    if SCREENSHOTS:
                        file.screenshot(path=os.path.join(SCREENSHOTS, f"saved-{name}-{width}-{theme}.png"))
        page.goto(self.collector.url + "#sessions")
        for width, height in [(1440, 900), (390, 844)]:
            page.set_viewport_size({"width": width, "height": height})
            if width > 760:
                page.locator(".session-row").first.click()
            page.locator("#session-panel").get_by_role("button", name="Save").click()
            expect(page.locator("#export-html")).to_be_visible()
            self.picture(page, f"saved-session-{width}")
            self.assertEqual(self.axe(page) + self.appearance(page), [])
            page.keyboard.press("Escape")


# JSON texts of values: equal ones in several spellings, and such that a browser cannot parse exactly.
VALUES = ["1", "1.0", "10e-1", '"1"', "99.90", "99.9", "12345678901234567890", "12345678901234567891", "1e21", "123456789012345678901234", "1E-7", "0.000001", "-0", "-0.0", "-2.50", "1e400",
          "0.1000000000000000055", "true", "false", "null", '""', '"\\uffff"', '"\\ud83d\\ude00"', '"<b>"', '[1.0,{"b":1,"a":2}]', '[1,{"a":2.0,"b":1}]', '{"a":1,"a":2}']


def walks(seed=57):
    """Events of some people in an order that repeats, with equal times."""
    chance = random.Random(seed)
    now = int(time.time() * 1000) - 5_000_000
    return [event(chance.choice("abc"), user=chance.choice(["ann", "bob", None]), unique=chance.choice(["u-1", "u-2"]), session=chance.choice(["s-1", "s-2", None]),
                  time_ms=now + chance.randrange(60) * 1_000, n=chance.randrange(3)) for _ in range(150)]


class SavedQuestionsTest(SavedBrowserTest):
    def compare(self, page, file, addresses):
        for address in addresses:
            page.goto(self.collector.url + address)
            file.goto(file.url.split("#")[0] + address)
            with self.subTest(address=address):
                self.same(page, file, address, ANSWER)

    def questions(self, view, *queries):
        return [f"#{view}?{urlencode(query, doseq=True)}" for query in queries]

    def test_each_question_has_the_same_answer(self):
        now = int(time.time() * 1000) - 400_000
        bodies = [*story(now), shop(), [event("big", session=None, big="x" * 2_000), event("bad name!", user="eve", screen="S")]]
        for body in bodies:
            self.assertEqual(self.collector.send(body), 200)
        page = self.open()
        self.tally(page, f"{sum(map(len, bodies))} events")
        file = self.open_file(self.save(page))
        received = json.loads(self.collector.get("/api/events?limit=1&order=desc")[1])["events"][0]["received_at"]
        later = time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(received / 1000 + 120))
        watched = json.dumps([["purchase"], ["purchase", "attributes.price == 2"], ["pay", 'attributes["a b"] == 2'], ["never"], ["big", "attributes.big != 1"]])
        self.compare(page, file, [
            "#watch", *self.questions("watch", {"watch": watched}, {"watch": watched, "user": "user-4"}, {"watch": watched, "code": "3001"}),
            "#crashes", *self.questions("crashes", {"user": "eve"}, {"user": "nobody"}, {"version": "2.1.0"}, {"session": "s-1"}),
            "#person", *self.questions("person", {"user": "carl"}, {"user": "u-1"}, {"user": "user-4"}),
            "#explore", *self.questions("explore", *[{"by": by} for by in ["app", "platform", "version", "screen", "user", "session", "status", "device", "unique_id", "event_type", "app_id", "attributes.price", "attributes.channel", "user._user_id"]],
                                        {"status": "bad"}, {"status": "good", "by": "attributes._screen_name"}, {"code": "1001"}, {"screen": "Item", "app": "shop", "platform": "Linux"}, {"user": "u-4", "by": "session"},
                                        {"since": received}, {"since": received + 1}, {"until": received}, {"until": later}, {"since": later}, {"since": "2026-01-31T08:00:01.5+0100"}, {"since": "2026-01-31"}),
            *self.questions("explore", *[{"question": "funnel", "steps": "\n".join(STEPS), **more} for more in [{}, {"within": "8s"}, {"within": "20000"}, {"per": "session"}, {"by": "attributes.channel"}, {"by": "name"}, {"user": "user-4"}]],
                            {"question": "funnel", "steps": "view_item:attributes.price != 1\nadd_to_cart:attributes._screen_name == \"Item\"", "by": "attributes.price"}, {"question": "funnel", "steps": "purchase\nview_item"}, {"question": "funnel", "steps": "never\npurchase"}),
        ])
        expect(file.locator("#explore-head")).to_contain_text(f"About the {sum(map(len, bodies))} events in this file.")
        expect(file.get_by_role("button", name="Copy command")).to_have_count(0)
        self.assertEqual(page.locator(".question-scope:visible").count(), 0)

    def test_values_are_grouped_by_their_exact_value(self):
        texts = [json.dumps(event(f"v{index}", user=f"user-{index}", value="@")).replace('"@"', value) for index, value in enumerate(VALUES)]
        self.assertEqual(self.collector.send(f"[{','.join(texts)}]"), 200)
        page = self.open()
        self.tally(page, f"{len(VALUES)} events")
        file = self.open_file(self.save(page))
        self.compare(page, file, self.questions("explore", {"by": "attributes.value"}, {"by": "attributes.none"}, {"by": "timestamp"}))

    def test_funnels_of_repeated_steps_and_equal_times_are_the_same(self):
        self.assertEqual(self.collector.send(walks()), 200)
        page = self.open()
        self.tally(page, "150 events")
        file = self.open_file(self.save(page))
        steps = ["a", "a\nb\nc", "a\na\na", "c\nb\na:attributes.n == 1\nb\nc", "b:attributes.n != 0\nb"]
        self.compare(page, file, self.questions("explore", *[{"question": "funnel", "steps": text, "by": "attributes.n", **more} for text in steps for more in [{}, {"within": "2s"}, {"within": "1m1s", "per": "session"}]]))

    def test_a_question_that_is_refused_has_a_reason_and_another_one_the_message(self):
        self.assertEqual(self.collector.send([event("first")]), 200)
        page = self.open()
        self.tally(page, "1 event")
        file = self.open_file(self.save(page))
        for query, reason in [({"by": "colour"}, "by must be"), ({"since": "yesterday"}, "since must be"), ({"until": "2026-13-01"}, "until must be"),
                              ({"question": "funnel", "steps": "a", "within": "1 week"}, "within must be"), ({"question": "funnel", "steps": ":x"}, "missing name"), ({"question": "funnel", "steps": "a:b = 1"}, "use ==")]:
            [address] = self.questions("explore", query)
            for each, base in [(page, self.collector.url), (file, file.url.split("#")[0])]:
                each.goto(base + address)
                expect(each.locator("#explore-problem")).to_contain_text(reason)
        file.goto(f"{file.url.split('#')[0]}#crashes?crash=999")
        expect(file.locator("#crashes-report")).to_contain_text("this file has no such event; it is in the collector that the file was saved from")
        file.goto(f"{file.url.split('#')[0]}#person?user=nobody")
        expect(file.locator("#person-state")).to_contain_text("This file has none")

    def test_a_file_of_a_session_or_a_filter_answers_about_its_own_events(self):
        now = int(time.time() * 1000) - 400_000
        for body in story(now):
            self.assertEqual(self.collector.send(body), 200)
        page = self.open("#events?session=s-1")
        self.tally(page, "9 of 14 events")
        filtered = self.open_file(self.save(page))
        page.goto(f"{self.collector.url}#sessions?session=s-1")
        page.locator(".session-row").first.click()
        page.locator("#session-panel").get_by_role("button", name="Save").click()
        session = self.open_file(self.download(page, "html"))
        for file in [filtered, session]:
            self.compare(page, file, self.questions("explore", {"session": "s-1"}, {"session": "s-1", "by": "user"}) + self.questions("crashes", {"session": "s-1"}))
            file.goto(f"{file.url.split('#')[0]}#explore")
            expect(file.locator("#explore-answer .answer-summary")).to_have_text("9 events of 1 user")
            expect(file.locator("#explore-head")).to_contain_text("About the 9 events in this file.")
            file.goto(f"{file.url.split('#')[0]}#person")
            expect(file.locator("#person-users tbody .link")).to_have_text(["carl"])

    def test_a_part_of_the_events_is_named(self):
        self.assertEqual(self.collector.send([event(f"e{index}") for index in range(122)]), 200)
        page = self.limited("#events", events=50)
        self.tally(page, "122 events")
        file = self.open_file(self.save(page))
        for view in ["watch", "crashes", "person", "explore"]:
            file.goto(f"{file.url.split('#')[0]}#{view}")
            expect(file.locator(f"#{view}-head")).to_contain_text("About the newest 50 of 122 events, which are in this file.")
        expect(file.locator("#explore-answer .answer-summary")).to_have_text("50 events of 1 user")

    def test_the_events_of_a_person_are_read_in_pages_and_an_excerpt_is_not_compared(self):
        self.assertEqual(self.collector.send([event(f"e{index}", user="ann") for index in range(2_300)]), 200)
        self.assertEqual(self.collector.send([event("large", user="bob", big="x" * 200_000)]), 200)
        page = self.limited("#events", characters=len(self.collector.get("/api/events?limit=2300")[1]) + 100_000)
        self.tally(page, "2,301 events")
        file = self.open_file(self.save(page), "#person?user=ann")
        for loaded in ["1,000", "2,000"]:
            expect(file.locator("#person-note")).to_contain_text(f"The newest {loaded} of ")
            file.locator("#person-older").click()
        expect(file.locator("#person-note")).to_be_hidden()
        file.goto(f"{file.url.split('#')[0]}{self.questions('watch', {'watch': json.dumps([['large', 'attributes.big == 1'], ['e2299', 'event_type == 1']])})[0]}")
        expect(file.locator(".watch-row .state-of")).to_have_text(["not compared", "not expected"])

    def test_no_rule_is_broken_in_the_questions_of_a_saved_page(self):
        now = int(time.time() * 1000) - 400_000
        for body in [*story(now), shop()]:
            self.assertEqual(self.collector.send(body), 200)
        page = self.open()
        self.tally(page, "35 events")
        path = self.save(page)
        states = [("#watch", ".suggestions button"), (self.questions("watch", {"watch": '[["pay"],["never"]]'})[0], ".watch-row .awaited"), ("#crashes", ".crash-row"), ("#person", "#person-users .gauge"), ("#person?user=carl", ".person-list .event-row"),
                  ("#explore", "#explore-answer .gauge"), ("#explore?by=colour", "#explore-problem"), (self.questions("explore", {"question": "funnel", "steps": "\n".join(STEPS), "by": "name"})[0], "#explore-answer h2")]
        for width, height in [(1440, 900), (1280, 800), (390, 844)]:
            file = self.open_file(path, width=width, height=height, reduced_motion="reduce")
            for index, (address, part) in enumerate(states):
                file.goto(file.url.split("#")[0] + address)
                expect(file.locator(part).first).to_be_visible()
                for theme in ["dark", "light"]:
                    file.emulate_media(color_scheme=theme)
                    with self.subTest(address=address, width=width, theme=theme):
                        self.assertEqual(self.axe(file) + self.appearance(file), [])
                    if SCREENSHOTS:
                        file.screenshot(path=os.path.join(SCREENSHOTS, f"saved-question-{index}-{width}-{theme}.png"))
                self.assertFalse(file.evaluate("document.documentElement.scrollWidth > innerWidth"))


class SavedPlanTest(SavedBrowserTest):
    plan = PLAN

    def test_the_comparison_with_the_plan_is_saved_with_all_events(self):
        self.assertEqual(self.collector.send(traffic()), 200)
        page = self.open("#plan")
        self.tally(page, "7 event names")
        file = self.open_file(self.save(page))
        self.same(page, file, "plan")
        file.locator(".plan-row", has_text="search").click()
        expect(file.locator("#plan-panel")).to_contain_text("A search was started.")
        file.goto(f"{file.url.split('#')[0]}#events?code=plan_enum")
        file.locator(".event-row").first.click()
        expect(file.locator("#event-panel .required")).to_contain_text("The plan requires: ")
        page.goto(self.collector.url + "#events?name=search")
        self.tally(page, "2 of 10 events")
        file = self.open_file(self.save(page), "#plan")
        expect(file.locator("#plan-none")).to_contain_text("This file has no comparison with the plan.")
        file.keyboard.press("x")
        expect(file.locator("#dialog")).to_contain_text("The comparison with the plan is left out")


if __name__ == "__main__":
    import unittest
    unittest.main(verbosity=2)
