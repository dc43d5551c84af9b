"""
Browser tests of the ways to the answers: each question is answered by keys alone, and by touch on a phone, in both themes, without a finding
of axe-core.
"""

from playwright.sync_api import expect

from browser import BrowserTest
from captured import fill
from plan_test import PLAN, traffic

FINDING = "#event-panel .violation button.all"
CRASHES = "#counters [data-counter=crashes] a"

# By question: the steps by keys, the steps on a phone, and an element with the answer. A step is a key, a text to type, an element to which Tab
# leads, one to tap, or one that is visible by then.
WAYS = {
    "did it arrive": (
        ["8", "type purchase", "Tab", "type attributes.value == 788.9", "Enter", "see .watch-row .state-of:text-is('as expected')", "Escape", "j"],
        ["tap #tab-questions", "tap #watch-name", "type purchase", "tap #watch-expected", "type attributes.value == 788.9", "tap #watch-add", "tap .watch-row"],
        "#watch-panel .facts:has-text('788.9')"),
    "what breaks the rules or the plan": (
        ["b", "G", f"Tab to {FINDING}", "Enter"],
        ["tap #counters [data-counter=bad] a", "tap .event-row:has-text('xxxx')", f"tap {FINDING}"],
        "#tally:has-text('1 of 92 events')"),
    "what came before the crash": (
        [f"Tab to {CRASHES}", "Enter", "Tab to .before button", "ArrowDown", "Enter"],
        ["tap #menu", f"tap {CRASHES}", "tap .crash-row", "tap .before button"],
        "#crashes-panel .facts"),
    "what has this person done": (
        ["u", "Tab to #person-users .link", "Enter", "see .person-list .event-row", "g"],
        ["tap #menu", "tap #counters [data-counter=users] a", "tap #person-users .link", "tap .person-list .event-row"],
        "#person-panel .facts"),
    "how often": (
        ["e", "/", "type platform", "see #explore-answer .link:text-is('iOS')", "Tab to #explore-answer .link", "Enter"],
        ["tap #tab-questions", "tap #tab-explore", "tap #explore-by", "type platform", "see #explore-answer .link:text-is('iOS')", "tap #explore-answer .link"],
        "#explore-answer .chip"),
    "where do they drop out": (
        ["e", "e", "Tab to .steps input", "type search", "Tab to #explore-add", "Enter", "type purchase"],
        ["tap #tab-questions", "tap #tab-explore", "choose funnel #explore-question", "tap .steps input", "type search", "tap #explore-add", "type purchase"],
        ".funnel tbody tr:nth-child(2) td.lost"),
    "what changed in this row": (
        ["6", "G", "Tab to #audit-panel button:text-is('History')", "Enter"],
        ["tap #tab-audit", "tap .audit-row:has-text('64.90')", "tap #audit-panel button:text-is('History')"],
        "#tally:has-text('3 of 15 rows')"),
    "is everything planned sent": (
        ["7", "Tab to #plan-summary button:has-text('never seen')", "Enter", "Tab to .plan-list", "j"],
        ["tap #tab-plan", "tap #plan-summary button:has-text('never seen')", "tap .plan-row"],
        "#plan-panel .facts:has-text('never')"),
    "the filter": (
        ["Tab to #more", "Enter", "Tab to #filter-version", "type 1.1.0", "see #tally:has-text(' of 92 ')", "Escape", "Tab to .sort", "ArrowRight", "Enter"],
        ["tap #unfold", "tap #filter-version", "type 1.1.0"],
        "#tally:has-text(' of 92 ')"),
    "copy as": (
        ["G", "y", "Tab to #copy-assert"],
        ["tap .event-row", "tap #event-panel button:has-text('Copy as')"],
        "#copy-assert"),
    "save": (
        ["x", "Tab to #export-rows"],
        ["tap #menu", "tap #export"],
        "#export-html"),
}


class AnswersTest(BrowserTest):
    plan = PLAN

    def setUp(self):
        super().setUp()
        fill(self.collector)
        self.assertEqual(self.collector.send(traffic()), 200)

    def follow(self, page, steps):
        for step in steps:
            action, _, rest = step.partition(" ")
            match action:
                case "Tab" if rest:
                    self.tab(page, rest.removeprefix("to "))
                case "type":
                    page.keyboard.type(rest)
                case "see":
                    expect(page.locator(rest).first).to_be_visible()
                case "tap":
                    page.locator(rest).first.tap()
                case "choose":
                    value, _, control = rest.partition(" ")
                    page.locator(control).select_option(value)
                case _:
                    page.keyboard.press(step)
            self.drawn(page)

    def tab(self, page, selector):
        """Presses Tab until an element has the focus."""
        expect(page.locator(selector).first).to_be_visible()
        for _ in range(150):
            page.keyboard.press("Tab")
            if page.locator(selector).evaluate_all("(elements) => elements.includes(document.activeElement)"):
                return
        self.fail(f"{selector} is not reached by Tab")

    def answers(self, page, question, way):
        """Follows the steps to the answer of a question, which is in view and breaks no rule."""
        keys, taps, answer = WAYS[question]
        page.goto("about:blank")
        page.goto(self.collector.url)
        self.tally(page, "92 events")
        expect(page.locator("#counters")).to_contain_text("10audit")
        self.follow(page, keys if way == "keys" else taps)
        expect(page.locator(answer).first).to_be_in_viewport()
        self.drawn(page)
        for scheme in ["dark", "light"]:
            page.emulate_media(color_scheme=scheme)
            with self.subTest(scheme=scheme):
                self.assertEqual(self.axe(page) + self.appearance(page), [])
            self.picture(page, f"answers-{way}-{question.replace(' ', '-')}-{scheme}")

    def test_each_question_is_answered_by_keys(self):
        page = self.open(reduced_motion="reduce")
        for question in WAYS:
            with self.subTest(question):
                self.answers(page, question, "keys")
                # The focus is on something that is visible, or on the page.
                self.assertTrue(page.evaluate("document.activeElement.checkVisibility()"))

    def test_each_question_is_answered_by_touch_on_a_phone(self):
        page = self.open(width=390, height=844, has_touch=True, is_mobile=True, reduced_motion="reduce")
        for question in WAYS:
            with self.subTest(question):
                self.answers(page, question, "taps")
                self.assertFalse(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
