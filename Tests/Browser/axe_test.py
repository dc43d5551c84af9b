"""The rules of axe-core (WCAG 2.2 A and AA, best practices) on every view and state of the inspector, in both themes and at four sizes."""

import json
import urllib.parse

from playwright.sync_api import expect

from browser import AXE_RULES, BrowserTest
from captured import fill
from formats import FORMATS
from plan_test import PLAN, traffic

WATCHED = "#watch?" + urllib.parse.urlencode({"watch": json.dumps([["add_to_cart", "attributes.price == 1"], ["add_to_card"], ["never"]])})
# Each state with the steps that lead to it from the one before, and an element that it shows. A step is a key, an address or "click" with an element.
VIEWS = [
    ("events", ["1"], ".event-row"),
    ("bad events", ["b"], "#tally:has-text(' of 92 ')"),
    ("event with findings", ["G", "click #event-panel summary"], "#event-panel .violation details[open]"),
    ("forms of a copy", ["y"], "#copy-assert"),
    ("first event of a comparison", ["Escape", "c"], "#notice.shown"),
    ("comparison", ["k"], ".diff"),
    ("list that does not follow", ["Escape", "Escape", "g", "Escape"], "#follow"),
    ("filtered events", ["#events?name=purchase"], "#tally:has-text('1 of 92 ')"),
    ("event with items", ["G"], "section[aria-label=Items]"),
    ("time range", ["Escape", "click .bin:last-child"], ".bin[aria-pressed=true]"),
    ("paused", ["Escape", "p"], ".paused"),
    ("sessions", ["p", "2"], ".session-row"),
    ("session", ["j"], "#session-panel .timeline"),
    ("event of a session", ["click .entries button"], "#session-event .facts"),
    ("screens", ["Escape", "Escape", "3"], ".flow-graph"),
    ("requests", ["4"], ".request-row"),
    ("unreadable request", ["G"], "#request-panel .violation"),
    ("readable request", ["g"], "#request-panel .json"),
    *[state for form in FORMATS for state in [
        (f"captured sessions, {form}", [f"#captured?form={form}"], ".captured-list .session-row"),
        (f"captured session, {form}", ["click .captured-list .session-row"], ".page-card"),
        (f"captured event, {form}", ["click .touch-mark"], "#captured-event .facts"),
    ]],
    ("audit", ["Escape", "Escape", "6"], ".audit-row"),
    ("audit event", ["j"], "#audit-panel .facts"),
    ("plan", ["Escape", "7"], ".plan-row"),
    ("planned event", ["j"], "#plan-panel .violation"),
    ("names of events to watch", ["Escape", "8"], ".suggestions button"),
    ("event to watch without a name", ["click #watch-add"], "#watch-error:not(:empty)"),
    ("watched events", [WATCHED], ".watch-row .unmet"),
    ("watched event", ["click .watch-row"], "#watch-panel .facts"),
    ("crashes", ["#crashes"], ".crash-row"),
    ("crash", ["click .crash-row"], ".before button"),
    ("event before a crash", ["click .before button"], "#crashes-panel .facts"),
    ("users", ["Escape", "#person"], "#person-users .gauge"),
    ("person", ["click #person-users .link"], ".person-list .event-row"),
    ("event of a person", ["g"], "#person-panel .facts"),
    ("numbers by name", ["Escape", "#explore"], "#explore-answer .gauge"),
    ("conditions of a question", ["click #explore-conditions"], "#explore-since"),
    ("refused question", ["click #explore-conditions", "#explore?by=colour"], "#explore-problem"),
    ("funnel without steps", ["#explore?question=funnel"], "#explore-state button"),
    ("funnel", ["#explore?question=funnel&steps=search%0Aadd_to_cart&by=platform"], "#explore-answer h2"),
]
OTHERS = [
    ("export", ["Escape", "1", "x"], "#export-csv"),
    ("faults", ["Escape", "f"], "#faults-end"),
    ("help", ["Escape", "?"], "dialog kbd"),
    ("reset", ["Escape", "click #reset"], "#reset-confirm"),
    ("events without match", ["Escape", "#events?text=nothing"], "#event-state button"),
    *[(f"{view} without match", [key], f"{state} button") for view, key, state in [("sessions", "2", "#session-state"), ("screens", "3", "#flow-state"), ("captured", "5", "#captured-state"), ("audit", "6", "#audit-state")]],
    ("plan without match", ["#plan?find=nothing"], "#plan-none button"),
    ("unknown person", ["#person?user=nobody"], "#person-state button"), ("numbers without match", ["#explore?name=nothing"], "#explore-state button"),
    *[(f"missing event of {view}", [f"#{view}?event=999999"], f"{panel} .hint") for view, panel in [("events", "#event-panel"), ("captured", "#captured-event"), ("audit", "#audit-panel")]],
]
POPOVERS = [("more of the filter", ["Escape", "#events?app=shop&version=1&since=0", "click #chips .others"], "#all-chips .chip"),
            ("columns and order", ["Escape", "#events?sort=-time&columns=time,event,version", "click .opener"], "#event-columns select")]
UNFOLDED = [("tools", ["Escape", "#events?app=shop&version=1", "click #menu"], "#faults"), ("filter", ["click #unfold"], "#filter-version")]
# A desktop, a tablet, a phone, and a desktop of 1280 by 1024 pixels that is enlarged to 400 %, each with its states.
SIZES = [(1440, 900, [*VIEWS, *OTHERS, *POPOVERS]), (1024, 768, VIEWS), (390, 844, [*VIEWS, *OTHERS, *UNFOLDED]), (320, 256, [*VIEWS, *UNFOLDED])]
EMPTY = [(f"empty {view}", [str(index + 1)], part) for index, (view, part) in enumerate([
    ("events", "#event-empty pre"), ("sessions", "#session-state p"), ("screens", "#flow-state p"), ("requests", "#request-state p"), ("captured", "#captured-empty pre"), ("audit", "#audit-empty pre"), ("plan", "#plan-empty pre"), ("watch", "#watch-state p"),
])] + [(f"empty {view}", [f"#{view}"], f"#{view}-state p") for view in ["crashes", "person", "explore"]]
DISCONNECTED = [(f"{view} without connection", [key], f"#{state}-state button") for view, key, state in [("events", "1", "event"), ("requests", "4", "request"), ("captured", "5", "captured")]]


class AxeBrowserTest(BrowserTest):
    def examine(self, page, states):
        """Leads the page, which has no transitions, through the states. In dark, only colours differ; they are the same at each size, so two of them are examined."""
        width = page.viewport_size["width"]
        themes = [("dark", ["color-contrast"])] if width in (1440, 390) else []
        for state, steps, part in states:
            with self.subTest(state=state, width=width):
                for step in steps:
                    if step.startswith("#"):
                        page.goto(self.collector.url + step)
                    elif step.startswith("click "):
                        page.locator(step[6:]).first.dispatch_event("click")
                    else:
                        page.keyboard.press(step)
                    self.drawn(page)
                expect(page.locator(part).first).to_be_visible()
                self.drawn(page)
                for theme, rules in [*themes, ("light", AXE_RULES)]:
                    page.emulate_media(color_scheme=theme)
                    with self.subTest(theme=theme):
                        self.assertEqual(self.axe(page, rules) + self.appearance(page), [])


class AxeTest(AxeBrowserTest):
    plan = PLAN

    def test_no_rule_is_broken_in_any_view_and_state(self):
        fill(self.collector)
        self.assertEqual(self.collector.send(traffic()), 200)
        self.collector.send("[{", encode=False)
        for width, height, states in SIZES:
            page = self.open(width=width, height=height, reduced_motion="reduce")
            self.tally(page, "92 events")
            page.evaluate("fetch('api/faults', { method: 'POST', body: '[{\"status\":503,\"rate\":0.1}]', headers: { 'Content-Type': 'application/json' } })")
            self.examine(page, states)
            self.check(page)
            page.goto("about:blank")


class EmptyAxeTest(AxeBrowserTest):
    def test_no_rule_is_broken_without_events_plan_and_connection(self):
        for width, height in [(1440, 900), (390, 844)]:
            page = self.open(width=width, height=height, reduced_motion="reduce")
            self.examine(page, EMPTY)
            self.collector.stop()
            self.examine(page, DISCONNECTED)
            self.check(page)
            page.goto("about:blank")
            self.collector.start()
