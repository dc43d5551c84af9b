"""Browser tests of the inspector's view of the tracking plan."""

import json
import re

from playwright.sync_api import expect

from audit import Audit, back_office, update
from browser import BrowserTest
from collector import event
from formats.pulse import shopping

PLAN = """
clickstream-plan: 1
events:
  add_to_cart:
    description: A product was put into the cart.
    attributes:
      price:    { type: number, required: true, minimum: 0, description: Price of one piece. }
      currency: { type: string, enum: [EUR, USD] }
    items: { required: [id, price], attributes: { id: { type: string }, price: { type: number } } }
    additional: false
  search:
    description: A search was started.
    attributes: { term: { type: string, required: true, maxLength: 40 }, results: { type: integer, minimum: 0 } }
  checkout:
    description: The checkout was opened.
  login:
    description: A user has signed in.
    attributes: { method: { type: string, enum: [password, google] } }
user: { attributes: { tier: { type: string, enum: [free, paid] } } }
globals: { attributes: { channel: { type: string } } }
unplanned: warn
"""


def traffic():
    """Events of two planned names, one misspelt name, and events of the SDK."""
    good = {"price": 12.5, "currency": "EUR", "channel": "web"}
    item = {"id": "p1", "price": 12.5}
    events = [event("add_to_cart", **good) | {"items": [item]} for _ in range(3)]
    events.append(event("add_to_cart", **good | {"currency": "GBP"}))
    events.append(event("add_to_cart", currency="USD", colour="red") | {"items": [{"id": 7, "price": 1}]})
    events += [event("search", term="shoes", results=12), event("search", term="x" * 41)]
    events += [event("add_to_card", **good), event("_app_start"), event("_session_start")]
    return events


class PlanTest(BrowserTest):
    plan = PLAN

    def shop(self, address="#plan", **options):
        self.assertEqual(self.collector.send(traffic()), 200)
        page = self.open(address, **options)
        if address == "#plan":
            self.tally(page, "7 event names")
        return page

    def rows(self, page):
        self.drawn(page)
        return page.evaluate("[...document.querySelectorAll('.plan-row')].sort((a, b) => a.index - b.index)"
                             ".map((row) => [...row.children].slice(1, 4).map((cell) => cell.textContent).join(' '))")

    def row(self, page, name):
        return page.locator(".plan-row", has=page.get_by_text(name, exact=True))

    def panel(self, page, name):
        self.row(page, name).click()
        panel = page.locator("#plan-panel")
        expect(panel.locator("h2")).to_have_text(name)
        return panel

    def cells(self, panel, title):
        return panel.locator(f"section[aria-label='{title}'] tbody tr").evaluate_all(
            "(rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent))")

    def test_planned_seen_never_seen_and_unplanned_events_are_listed_with_their_counts(self):
        page = self.shop()
        self.assertEqual(self.rows(page), [
            "add_to_cart seen 5", "search seen 2", "checkout never seen 0", "login never seen 0",
            "add_to_card unplanned 1", "_app_start SDK 1", "_session_start SDK 1",
        ])
        expect(self.row(page, "add_to_cart").locator(".wrong")).to_have_text("2 with errors")
        expect(self.row(page, "add_to_card").locator(".wrong")).to_have_text("1 with warnings")
        expect(self.row(page, "checkout").locator(".time")).to_have_text("\u2013")
        expect(self.row(page, "search").locator(".time")).to_contain_text(":")
        self.assertEqual(page.locator("#plan-summary button").all_text_contents(),
                         ["4 planned", "2 seen", "2 never seen", "1 unplanned", "3 with errors", "1 with warnings"])
        self.assertEqual(self.appearance(page), [])
        self.picture(page, "plan")

    def test_an_event_shows_its_attributes_as_planned_and_as_seen(self):
        page = self.shop()
        panel = self.panel(page, "add_to_cart")
        self.assertEqual(self.cells(panel, "Attributes"), [
            ["price (has a finding)", "a number, at least 0requiredPrice of one piece.", "4", "number12.5"],
            ["currency", 'a string, one of "EUR", "USD"', "5", 'string"EUR", "GBP", "USD"'],
            ["channel", "a string", "4", 'string"web"'],
            ["colour (has a finding)", "not planned", "1", 'string"red"'],
        ])
        self.assertEqual([row[0] for row in self.cells(panel, "Items")], ["id", "price"])
        self.assertEqual(panel.locator(".facts").first.locator("dt").all_text_contents(), ["events", "first", "last", "errors"])
        self.assertEqual(self.cells(panel, "Items")[0][2:], ["4", '1 integer, 3 string"p1", 7'])
        self.assertEqual(self.cells(panel, "User, in all events"), [["tier", 'a string, one of "free", "paid"', "0", "never"]])
        self.assertEqual(self.appearance(page), [])
        self.picture(page, "plan-event")
        panel = self.panel(page, "checkout")
        expect(panel.locator(".facts")).to_contain_text("never")
        page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        numbers = [row["seq"] for row in json.loads(self.collector.get("/api/events?name=add_to_cart")[1])["events"]]
        for which, number in [("first", min(numbers)), ("last", max(numbers))]:
            self.panel(page, "add_to_cart").get_by_role("button", name=f"Open the {which} event", exact=True).click()
            expect(page).to_have_url(re.compile(rf"event={number}$"))
            page.locator("#tab-plan").click()
            page.keyboard.press("Escape")

    def test_a_finding_shows_what_the_plan_requires_and_opens_its_event(self):
        page = self.shop()
        panel = self.panel(page, "add_to_cart")
        finding = panel.locator("section[aria-label^='error plan_enum ']")
        expect(finding).to_contain_text("attributes.currency")
        expect(finding.locator(".required")).to_have_text('The plan requires: currency is a string, one of "EUR", "USD"; optional.')
        self.assertEqual(panel.locator("section.violation strong.mono").all_text_contents(),
                         ["plan_enum", "plan_missing_attribute", "plan_unplanned_attribute", "plan_item"])
        expect(panel.locator("section[aria-label^='error plan_missing_attribute '] .required")).to_contain_text("a number, at least 0; required. Price of one piece.")
        finding.locator("button", has_text="open").click()
        opened = page.locator("#event-panel")
        expect(opened.locator("h2")).to_have_text("add_to_cart")
        expect(opened.locator(".plan-findings .required")).to_contain_text("The plan requires: currency")
        expect(opened).to_contain_text("GBP")
        self.picture(page, "plan-finding")

    def test_a_finding_leads_to_all_events_of_the_name_with_its_code(self):
        self.collector.send([event("add_to_cart", price=1, currency="CHF"), event("login", method="github")])
        page = self.shop("#plan")
        panel = self.panel(page, "add_to_cart")
        link = panel.locator("section[aria-label^='error plan_enum '] button.all")
        expect(link).to_have_text("Show all 2")
        expect(link).to_have_attribute("aria-label", "Show all 2 events with plan_enum of add_to_cart")
        self.assertEqual(self.appearance(page), [])
        link.press("Enter")
        self.tally(page, "2 of 12 events")
        self.assertIn("#events?name=add_to_cart&code=plan_enum", page.url)
        page.locator(".event-row").first.click()
        found = page.locator("#event-panel .plan-findings button.all").first
        expect(found).to_have_text("Show all 3")
        found.click()
        self.tally(page, "3 of 12 events")
        page.go_back()
        page.go_back()
        expect(page.locator("#plan-panel h2")).to_have_text("add_to_cart")

    def test_an_event_that_breaks_the_plan_is_marked_in_the_list_and_found_by_its_code(self):
        page = self.shop("")
        row = page.locator(".event-row.bad", has_text="plan_enum")
        expect(row.locator(".sign")).to_have_text("!")
        warned = page.locator(".event-row", has_text="add_to_card")
        expect(warned.locator(".codes")).to_have_text("plan_unplanned_event")
        expect(warned).not_to_have_class(re.compile(r"\bbad\b"))
        page.locator("#filter-code").select_option("plan_enum")
        self.tally(page, "1 of 10 events")
        row.click()
        panel = page.locator("#event-panel")
        expect(panel.locator(".badge")).to_have_text("bad")
        expect(panel.locator(".plan-findings .required")).to_contain_text("The plan requires: currency")
        expect(panel.locator("section.violation")).to_have_count(1)

    def test_errors_and_warnings_have_a_colour_and_a_sign_in_every_list(self):
        self.collector.send(traffic())
        pulse = shopping()
        pulse.events[-1]["colour"] = "red"
        self.collector.capture("pulse", pulse.events)
        audit = Audit().write("edit", product={"modifications": [update({"id": 1}, colour="red"), update({"id": 2, "stock": 3}, stock=4)]})
        self.collector.capture("audit?partition=a", audit.events + back_office()[-1:])
        colour = "(element) => getComputedStyle(element).color"
        for scheme, bad, warned in [("light", "rgb(172, 38, 32)", "rgb(125, 82, 0)"), ("dark", "rgb(255, 148, 139)", "rgb(232, 190, 98)")]:
            page = self.open(color_scheme=scheme)
            for view, row in [("events", ".event-row"), ("captured", ".captured-row"), ("audit", ".audit-row"), ("plan", ".plan-row")]:
                page.locator(f"#tab-{view}").click()
                page.locator(f"#view-{view} {row}").first.hover()
                page.mouse.wheel(0, 9_999)
                for severity, sign, ink in [("bad", "!", bad), ("warned", "\u25b3", warned)]:
                    cell = page.locator(f"#view-{view} {row}.{severity} .sign").first
                    expect(cell).to_have_text(sign)
                    self.assertEqual(cell.evaluate(colour), ink, view)
                self.assertEqual(self.appearance(page), [], view)
                self.picture(page, f"severities-{scheme}-{view}")
            expect(page.locator(".touch-mark.warned title")).to_contain_text(", with warnings")
            page.locator("#tab-sessions").click()
            for severity, sign, ink, name in [("bad", "! ", bad, "search"), ("warned", "\u25b3 ", warned, "add_to_card")]:
                entry = page.locator(f".entries .{severity}").last
                expect(entry).to_have_text(sign + name)
                self.assertEqual(entry.evaluate(colour), ink)
            marks = page.locator(".event-mark:is(.bad, .warned)")
            self.assertEqual([title.split(", ")[-1] for title in marks.locator("title").all_text_contents()], ["bad", "bad", "bad", "with warnings"])
            self.assertEqual(len(set(mark.get_attribute("d").split("l")[1] for mark in marks.locator("path").all())), 2)
            page.locator(".entries .warned").click()
            expect(page.locator("#session-event .badge")).to_have_text("with warnings")
            self.assertEqual(self.appearance(page), [])
            self.picture(page, f"severities-{scheme}-sessions")

    def test_an_unplanned_event_is_reported_with_the_name_that_it_resembles(self):
        page = self.shop()
        panel = self.panel(page, "add_to_card")
        expect(panel.locator("section.violation.warning")).to_contain_text("add_to_cart")
        expect(panel.locator(".note")).to_contain_text("does not list this event")
        panel.locator("button", has_text="Events").click()
        self.tally(page, "1 of 10 events")

    def test_events_appear_as_they_arrive_and_a_reset_empties_the_view(self):
        page = self.shop()
        panel = self.panel(page, "login")
        self.collector.send([event("login", method="github"), event("new_name")])
        expect(panel.locator("section.violation")).to_contain_text("plan_enum")
        expect(self.row(page, "login").locator(".figure")).to_have_text("1")
        self.tally(page, "8 event names")
        page.locator("#reset").click()
        page.locator("#reset-confirm").click()
        self.tally(page, "4 event names")
        expect(self.row(page, "login").locator(".state-of")).to_have_text("never seen")

    def test_state_and_text_filter_and_are_part_of_the_address(self):
        page = self.shop()
        page.locator("#plan-state").select_option("never_seen")
        self.tally(page, "2 of 7 event names")
        page.locator("#plan-summary button", has_text="unplanned").click()
        self.tally(page, "1 of 7 event names")
        page.locator("#plan-summary button", has_text="unplanned").click()
        for state, tally in [("errors", "2 of 7"), ("warnings", "1 of 7")]:
            page.locator("#plan-state").select_option(state)
            self.tally(page, f"{tally} event names")
        page.locator("#plan-summary button", has_text="with warnings").click()
        page.locator("#plan-find").fill("channel")
        self.tally(page, "7 event names")
        page.locator("#plan-find").fill("method")
        self.tally(page, "1 of 7 event names")
        self.panel(page, "login")
        address = page.url.removeprefix(self.collector.url)
        self.assertIn("find=method", address)
        self.assertIn("planned=login", address)
        again = self.open(address)
        self.tally(again, "1 of 7 event names")
        expect(again.locator("#plan-panel h2")).to_have_text("login")
        again.locator("#plan-find").fill("nothing")
        expect(again.locator("#plan-none")).to_contain_text("No event of the plan matches the filter")
        again.locator("#plan-none button").click()
        self.tally(again, "7 event names")

    def test_keys_move_in_the_list_and_the_selection_is_announced(self):
        page = self.shop("")
        page.keyboard.press("7")
        self.tally(page, "7 event names")
        expect(page.locator("#tab-plan")).to_have_attribute("aria-selected", "true")
        page.keyboard.press("j")
        box = page.get_by_role("listbox", name="Events of the tracking plan")
        active = box.get_attribute("aria-activedescendant")
        expect(page.locator(f"#{active}")).to_have_attribute("aria-selected", "true")
        expect(page.locator("#plan-panel h2")).to_have_text("add_to_cart")
        page.keyboard.press("j")
        expect(page.locator("#plan-panel h2")).to_have_text("search")
        page.keyboard.press("/")
        expect(page.locator("#plan-find")).to_be_focused()
        page.keyboard.press("Escape")
        expect(box).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("#plan-panel")).to_be_hidden()
        expect(box).to_be_focused()

    def test_on_a_phone_the_panel_covers_the_list(self):
        page = self.shop(width=390, height=844, has_touch=True)
        self.assertFalse(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
        self.panel(page, "add_to_cart")
        self.assertEqual(self.appearance(page), [])
        self.picture(page, "plan-phone")
        page.locator("#plan-panel button", has_text="Close").click()
        expect(page.locator("#plan-panel")).to_be_hidden()

    def test_dark_colours_keep_their_contrast(self):
        page = self.shop(color_scheme="dark")
        self.panel(page, "add_to_cart")
        self.assertEqual(self.appearance(page), [])
        self.picture(page, "plan-dark")

    def test_names_and_values_of_an_attacker_stay_text(self):
        script = "<img src=x onerror=alert(1)>"
        self.collector.send([event(script, price=1), event("search", **{"term": script, script: "\u202e" + script})])
        page = self.open("#plan")
        self.tally(page, "5 event names")
        self.panel(page, "search")
        expect(page.locator("#plan-panel")).to_contain_text("\\u202e")
        self.assertEqual(page.locator("img").count(), 0)


class WithoutPlanTest(BrowserTest):
    def test_the_view_describes_how_to_start_with_a_plan(self):
        page = self.open("#plan")
        empty = page.locator("#plan-empty")
        for text in ["No tracking plan", "--plan plan.yaml", "plan infer events.ndjson"]:
            expect(empty).to_contain_text(text)
        self.assertEqual(self.appearance(page), [])
        self.picture(page, "plan-empty")
        self.collector.send([event("hello")])
        page.locator("#tab-events").click()
        page.locator(".event-row").first.click()
        expect(page.locator("#event-panel h2")).to_have_text("hello")
        self.assertNotIn("/api/plan", " ".join(page.requested))
