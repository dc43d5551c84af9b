"""Browser tests of what the address restores by a link or a reload, and of Back and Forward."""

import re

from playwright.sync_api import expect

from audit import back_office
from browser import BrowserTest
from collector import event
from formats import pulse


class HistoryTest(BrowserTest):
    def fill(self):
        """Two events in each of two sessions, the second with the newer number."""
        self.collector.send([event(name, session=f"s-{number}", number=number, user=f"user-{number}", step=step)
                             for number in (1, 2) for step, name in enumerate(["open", "buy"])])

    def address(self, page, fragment):
        expect(page).to_have_url(re.compile(re.escape(fragment) + "$"))

    def again(self, page):
        """The address on a page that is reloaded, and on a new one."""
        address = page.url.removeprefix(self.collector.url)
        viewport = page.viewport_size
        page.reload()
        expect(page.locator("#connection")).to_have_text("live")
        return [page, self.open(address, width=viewport["width"], height=viewport["height"])]

    # MARK: links and reloads

    def test_a_link_restores_the_session(self):
        self.fill()
        page = self.open("#sessions?sort=oldest")
        page.locator(".session-row", has_text="#2").click()
        self.address(page, "#sessions?sort=oldest&opened=s-2&opened_app=shop")
        for each in self.again(page):
            expect(each.locator("#session-panel .session-id")).to_have_text("s-2")
            expect(each.locator(".session-row[aria-selected=true]")).to_contain_text("#2")
        # A newer session does not take its place.
        self.collector.send([event("later", session="s-3", number=3)])
        expect(page.locator(".session-row")).to_have_count(3)
        expect(page.locator("#session-panel .session-id")).to_have_text("s-2")
        page.locator("#session-panel .entries button").first.click()
        expect(page).to_have_url(re.compile(r"#sessions\?sort=oldest&event=\d+$"))
        page.keyboard.press("Escape")
        self.address(page, "#sessions?sort=oldest&opened=s-2&opened_app=shop")

    def test_a_link_restores_the_captured_session(self):
        for number in range(2):
            self.collector.capture("pulse", pulse.Pulse(number=number).show(f"Home{number}").tap(1, 1).events)
        page = self.open("#captured")
        rows = page.locator(".captured-list .session-row")
        expect(rows).to_have_count(2)
        expect(page.locator("#captured-panel .visit")).to_contain_text("Home1")
        rows.last.click()
        expect(page).to_have_url(re.compile(r"#captured\?opened=\d+$"))
        for each in self.again(page):
            expect(each.locator("#captured-panel .visit")).to_contain_text("Home0")
            expect(each.locator("#view-captured [aria-selected=true]")).to_have_count(1)

    def test_a_link_restores_the_row_of_an_audit_event(self):
        self.collector.capture("audit?partition=a", back_office())
        page = self.open("#audit")
        self.tally(page, "15 rows")
        several = page.locator("#audit-panel section[aria-label='Rows of the event'] button")
        page.locator("#audit-list-box").focus()
        page.keyboard.press("Home")
        for _ in range(14):
            if several.count() > 1:
                break
            page.keyboard.press("j")
        several.nth(1).click()
        title = page.locator("#audit-panel h2").text_content()
        expect(page).to_have_url(re.compile(r"#audit\?row=1&event=\d+$"))
        for each in self.again(page):
            expect(each.locator("#audit-panel h2")).to_have_text(title)
            expect(each.locator(".audit-row[aria-selected=true]")).to_have_count(1)

    def test_a_link_restores_a_comparison(self):
        self.fill()
        page = self.open()
        page.locator(".event-row", has_text="open").first.click()
        page.keyboard.press("c")
        page.locator(".event-row", has_text="buy").first.click()
        difference = "attributes.step01"
        expect(page.locator(".diff")).to_contain_text(difference)
        expect(page).to_have_url(re.compile(r"#events\?event=\d+&compare=\d+$"))
        address = page.url
        for each in self.again(page):
            expect(each.locator(".diff")).to_contain_text(difference)
            expect(each.locator(".event-row[aria-selected=true]")).to_have_count(1)
            self.assertEqual(sorted(re.split("[?&]", each.url)), sorted(re.split("[?&]", address)))
        page.keyboard.press("Escape")
        self.address(page, "#events")
        page.evaluate("location.hash = '#events?event=2&compare=999999'")
        expect(page.locator("#notice")).to_contain_text("The event to compare with could not be read")
        expect(page.locator("#event-panel h2")).to_have_text("buy")

    # MARK: Back and Forward

    def test_back_returns_to_the_view_before(self):
        self.fill()
        self.collector.capture("audit?partition=a", back_office())
        page = self.open("#events?user=user-2")
        self.tally(page, "2 of 4 events")
        page.locator(".event-row", has_text="buy").click()
        steps = [
            (lambda: page.get_by_role("button", name="timeline").click(), "#sessions?session=s-2&opened=s-2&opened_app=shop", ".session-row >> text=#2"),
            (lambda: page.locator("#tab-screens").click(), "#screens?session=s-2", "#flow-state"),
            (lambda: page.locator("#tab-requests").click(), "#requests?session=s-2", ".request-row"),
            (lambda: page.keyboard.press("6"), "#audit?session=s-2", "#audit-state button"),
        ]
        addresses = [page.url.partition("#")[2]]
        for act, address, part in steps:
            act()
            self.address(page, address)
            expect(page.locator(part).first).to_be_visible()
            addresses.append(address.removeprefix("#"))
        for address in addresses[-2::-1]:
            page.go_back()
            self.address(page, "#" + address)
        expect(page.locator("#view-events")).to_be_visible()
        expect(page.locator("#event-panel h2")).to_have_text("buy")
        expect(page.locator("#filter-user")).to_have_value("user-2")
        self.tally(page, "2 of 4 events")
        page.go_forward()
        expect(page.locator("#session-panel .session-id")).to_have_text("s-2")
        expect(page.locator("#filter-user")).to_have_value("")

    def test_back_undoes_a_choice_and_not_a_key(self):
        self.fill()
        page = self.open()
        self.tally(page, "4 events")
        before = page.evaluate("history.length")
        page.locator("#filter-name").press_sequentially("buy")
        self.tally(page, "2 of 4 events")
        for _ in range(3):
            page.locator("h1").click()
            page.keyboard.press("j")
        self.assertEqual(page.evaluate("history.length"), before)
        page.locator("#event-panel").get_by_role("button", name="user-2").click()
        self.tally(page, "1 of 4 events")
        self.assertEqual(page.evaluate("history.length"), before + 1)
        page.locator("#clear").click()
        self.tally(page, "4 events")
        page.go_back()
        self.tally(page, "1 of 4 events")
        page.go_back()
        self.tally(page, "2 of 4 events")
        expect(page.locator("#filter-name")).to_have_value("buy")
        expect(page.locator("#filter-user")).to_have_value("")

    def test_back_leaves_a_question_and_not_its_keys(self):
        self.fill()
        page = self.open("#explore")
        before = page.evaluate("history.length")
        for field in ("#explore-by", "#person-user"):
            page.locator(field).press_sequentially("user", delay=1)
            expect(page).to_have_url(re.compile(r"=user$"))
            if field == "#explore-by":
                self.assertEqual(page.evaluate("history.length"), before)
                page.locator("#tab-person").click()
        self.assertEqual(page.evaluate("history.length"), before + 1)
        page.go_back()
        expect(page.locator("#explore-by")).to_have_value("user")

    def test_back_closes_the_event_that_a_link_opened(self):
        self.fill()
        page = self.open()
        self.tally(page, "4 events")
        page.evaluate("location.hash = '#events?event=1'")
        expect(page.locator("#event-panel h2")).to_have_text("open")
        page.go_back()
        expect(page.locator("#event-panel")).to_be_hidden()
        self.address(page, "#events")
        expect(page.locator(".event-row[aria-selected=true]")).to_have_count(0)

    def test_on_a_phone_back_closes_what_covers_the_page(self):
        self.fill()
        page = self.open(width=390, height=844)
        page.locator(".event-row", has_text="buy").first.click()
        expect(page.locator("#event-panel h2")).to_be_focused()
        page.go_back()
        expect(page.locator("#event-panel")).to_be_hidden()
        expect(page.locator("#event-list-box")).to_be_focused()
        page.go_forward()
        expect(page.locator("#event-panel h2")).to_have_text("buy")
        # Its control goes back too: the next Back does not show the same list again.
        page.locator("#tab-sessions").evaluate("(tab) => tab.click()")
        page.locator(".session-row", has_text="#1").click()
        expect(page.locator("#session-panel")).to_be_visible()
        page.locator("#session-panel .entries button").first.click()
        expect(page.locator("#session-event h2")).to_be_focused()
        page.go_back()
        expect(page.locator("#session-event")).to_be_hidden()
        expect(page.locator("#session-panel")).to_be_visible()
        for each in self.again(page):
            expect(each.locator("#session-panel .session-id")).to_have_text("s-1")
        page.locator("#session-panel").get_by_role("button", name="Close").click()
        expect(page.locator("#session-panel")).to_be_hidden()
        self.address(page, "#sessions")
