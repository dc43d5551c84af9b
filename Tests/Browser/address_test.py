"""Browser tests of the address: an event opens by reload and by link, in whichever order the collector's replies arrive."""

import json

from playwright.sync_api import expect

from audit import back_office
from browser import BrowserTest
from collector import event
from formats.pulse import Pulse

PLAN = """\
clickstream-plan: 1
events:
  add_to_cart: { attributes: { currency: { type: string, enum: [EUR, USD] } } }
  search: { attributes: {} }
unplanned: warn
"""

# By view: the row that is selected, its panel, the title of the event, and the requests whose replies may be late, each with
# the element that is visible by then.
SELECTED = "[aria-selected=true]"
VIEWS = {
    "events": (f".event-row{SELECTED}", "#event-panel", "add_to_cart", {
        r"events/\d+": f".event-row{SELECTED}", r"plan/events/\d+": f".event-row{SELECTED}", "stream": "#event-panel h2",
    }),
    "sessions": (f".session-row{SELECTED}", "#session-event", "add_to_cart", {
        r"events/\d+": "#session-panel .session-id", r"plan/events/\d+": "#session-event h2", "sessions/s-1": "#session-event h2",
        "stream": "#session-event h2",
    }),
    "captured": (f".captured-row{SELECTED}", "#captured-event", "gesture", {
        r"captured/\d+": f".captured-row{SELECTED}", "stream": "#captured-list-box",
    }),
    "audit": (f".audit-row{SELECTED}", "#audit-panel", "product 5 deleted", {
        r"audit/\d+": f".audit-row{SELECTED}", "stream": "#audit-list-box",
    }),
}
WAYS = ["link", "reload", "link within the page"]
# Requests that a link within the page does not make: the page has the stream and the event.
IN_PAGE = ["stream", r"captured/\d+", r"audit/\d+"]
MISSING = "The store has no such event"


class AddressTest(BrowserTest):
    plan = PLAN

    def fill(self):
        """Sends events of every format. Returns the sequence number of the event to open by view."""
        # The session with the event is not the newest, which a view without a selection shows.
        self.collector.send([event("search", session="s-1"), event("add_to_cart", session="s-1", currency="GBP"),
                             event("search", session="s-2", number=2), event("add_to_cart", session="s-2", number=2)])
        pulse = Pulse().show("Home").tap(10, 20).show("List")
        self.assertEqual(self.collector.capture("pulse", pulse.events), 200)
        self.assertEqual(self.collector.capture("audit?partition=audit-1", back_office()), 200)

        def number(path, chosen):
            rows = json.loads(self.collector.get(path)[1])["events"]
            return next(row["seq"] for row in rows if chosen(row["event"]))

        own = number("api/events?name=add_to_cart", lambda sent: "currency" in sent["attributes"])
        return {"events": own, "sessions": own,
                "captured": number("api/captured", lambda sent: sent["event_type"] == "gesture"),
                "audit": number("api/audit", lambda sent: sent["activity"] == "clean up")}

    def arrive(self, page, way, address, holding=None):
        """Takes a page to the address, with held requests."""
        page.goto("about:blank")
        if way != "link":
            page.goto(self.collector.url + (address if way == "reload" else ""))
            expect(page.locator("[role=option][aria-selected=true]" if way == "reload" else "[role=option]").first).to_be_attached()
        if holding:
            self.hold(page, holding)
        if way == "link":
            page.goto(self.collector.url + address)
        elif way == "reload":
            page.reload()
        else:
            page.evaluate("(address) => { location.hash = address; }", address)

    def shows(self, page, view, number):
        row, panel, title, _ = VIEWS[view]
        expect(page.locator(row)).to_have_count(1)
        if view == "sessions":
            expect(page.locator("#session-panel .session-id")).to_have_text("s-1")
            expect(page.locator(row)).to_have_attribute("title", "s-1")
        expect(page.locator(f"{panel} h2")).to_have_text(title)
        if view in ("events", "sessions"):
            expect(page.locator(f"{panel} .plan-findings .required")).to_contain_text("The plan requires: currency")
        self.assertTrue(page.url.endswith(f"#{view}?event={number}"), page.url)

    def test_an_event_is_opened_whichever_reply_is_late(self):
        numbers = self.fill()
        page = self.open()
        for view, number in numbers.items():
            late = VIEWS[view][3]
            for way in WAYS:
                for holding in [None, *late]:
                    if way == "link within the page" and holding in IN_PAGE:
                        continue  # The page has the event.
                    with self.subTest(view=view, way=way, late=holding):
                        self.arrive(page, way, f"#{view}?event={number}", holding)
                        if holding:
                            expect(page.locator(late[holding]).first).to_be_attached()
                            self.release(page)
                        self.shows(page, view, number)

    def test_a_missing_event_is_reported_until_another_is_opened(self):
        numbers = self.fill()
        page = self.open()
        for view, number in numbers.items():
            row, panel, _, late = VIEWS[view]
            row = page.locator(row.removesuffix(SELECTED)).first
            for way in WAYS[::2]:
                for holding in [None, list(late)[0], "stream"]:
                    if way == "link within the page" and holding == "stream":
                        continue
                    with self.subTest(view=view, way=way, late=holding):
                        self.arrive(page, way, f"#{view}?event=999999", holding)
                        if holding:
                            expect(page.locator(panel if holding == "stream" else "#counters strong").first).to_be_attached()
                            self.release(page)
                        for _ in range(2):
                            expect(row).to_be_attached()
                            expect(page.locator(panel)).to_contain_text(MISSING)
                            self.assertTrue(page.url.endswith("?event=999999"), page.url)
                            page.reload()
                        expect(row).to_be_attached()
                        page.evaluate("(address) => { location.hash = address; }", f"#{view}?event={number}")
                        self.shows(page, view, number)
