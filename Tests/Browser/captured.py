"""Base of the browser tests of captured sessions, and a store with events of all lists."""

from playwright.sync_api import expect

from audit import back_office
from browser import BrowserTest
from formats import FORMATS


def fill(collector):
    """A day of an app, a visit to a shop in each captured format, and the back office."""
    collector.replay()
    for format in FORMATS.values():
        app = format.shopping()
        for body in app.requests:
            assert collector.capture(app.form, body) == 200
    assert collector.capture("audit?partition=p", back_office()) == 200


class CapturedBrowserTest(BrowserTest):
    def send(self, app):
        for body in app.requests:
            self.assertEqual(self.collector.capture(app.form, body), 200)

    def shopping(self, address="#captured", **options):
        """A page on the visit to a shop in all formats, with one bad event in each. `apps` has the events by format."""
        self.apps = {form: format.shopping() for form, format in FORMATS.items()}
        for app in self.apps.values():
            self.send(app)
        page = self.open(address, **options)
        if "#captured" in address:
            expect(page.locator("#tally")).to_contain_text(f"{self.total} events")
            expect(page.locator(".page-card")).to_have_count(4)
        return page

    @property
    def total(self):
        return sum(len(app.events) for app in self.apps.values())

    def storefront(self):
        """A page on a visit to a shop in all formats: the same input in the library, its encoders and this view."""
        changes = {}
        for format in FORMATS.values():
            changes |= format.script(self.collector.url)
        self.collector.replay(self.collector.script("storefront.yaml", changes))
        page = self.open("#captured")
        expect(page.locator(".captured-list .session-row")).to_have_count(len(FORMATS))
        return page

    def session(self, page, name):
        page.locator(".captured-list .session-row", has_text=name).click()

    def rows(self, page):
        """Names of the visible rows, from top to bottom."""
        self.drawn(page)
        return page.evaluate("[...document.querySelectorAll('.captured-row')].sort((a, b) => a.index - b.index)"
                             ".map((row) => row.querySelector('.name').textContent)")
