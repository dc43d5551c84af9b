"""
Makes the pictures of the inspector in Docs/Pictures: `./Tests/Browser/run pictures`.

Each view in light; all of them in dark, and on a phone, on a sheet.
"""

import os
import shutil
import subprocess

from playwright.sync_api import expect

from browser import BrowserTest
from captured import fill
from collector import ROOT, Collector
from formats import FORMATS
from plan_test import PLAN, traffic

FOLDER = os.environ.get("PICTURES") or os.path.join(ROOT, "Docs/Pictures")


def shows(row):
    """Waits for the rows of a view."""
    return lambda page: expect(page.locator(row).first).to_be_visible()


def events(page):
    expect(page.locator("#tally")).to_have_text("82 events")
    page.locator(".event-row", has_text="purchase").first.click()
    expect(page.locator("#event-panel .grid").first).to_be_visible()


def sessions(page):
    page.locator(".session-row", has_text="crash").click()
    page.locator(".event-mark.crash").dispatch_event("click")
    expect(page.locator("#session-event h2")).to_be_visible()


def session(page):
    page.locator(".session-row", has_text="crash").click()
    expect(page.locator(".timeline")).to_be_visible()


def screens(page):
    expect(page.locator(".flow-graph")).to_be_visible()


def requests(page):
    page.locator(".request-row", has_text="Clickstream").first.click()
    expect(page.locator("#request-panel .json")).to_be_visible()


def captured(name):
    def open(page):
        page.locator(".captured-list .session-row", has_text=name).click()
        expect(page.locator(".page-card").first).to_be_visible()
    return open


def audit(page):
    page.locator(".audit-row", has_text="64.90").first.click()
    expect(page.locator(".history tbody tr").first).to_be_visible()


def plan(page):
    page.locator(".plan-row", has_text="add_to_cart").first.click()
    expect(page.locator("#plan-panel .grid").first).to_be_visible()


def person(page):
    expect(page.locator("#person-users .link").first).to_be_visible()
    page.locator("#person-users .link").first.click()
    expect(page.locator(".person-list .event-row").first).to_be_visible()


def explore(page):
    expect(page.locator("#explore-answer .gauge").first).to_be_visible()
def watch(page):
    for name, expected in [("purchase", "attributes.value == 699"), ("add_to_cart", "attributes.value == 1"), ("_app_exception", ""), ("refund", "")]:
        page.locator("#watch-name").fill(name)
        page.locator("#watch-expected").fill(expected)
        page.locator("#watch-add").click()
    expect(page.locator(".watch-row .state-of").last).to_have_text("not received")


def watched(page):
    watch(page)
    page.locator(".watch-row").first.click()
    expect(page.locator("#watch-panel .facts")).to_be_visible()


def crashes(page):
    page.locator(".crash-row").first.click()
    expect(page.locator(".before button").nth(1)).to_be_visible()


# By name of the picture: view, what is opened in it, and what is opened on a phone, where it covers the view.
VIEWS = {
    "events": ("events", events, shows(".event-row")), "sessions": ("sessions", sessions, session), "screens": ("screens", screens, screens),
    "requests": ("requests", requests, shows(".request-row")),
    **{f"captured-{form}": ("captured", captured(format.NAME), captured(format.NAME)) for form, format in FORMATS.items()},
    "audit": ("audit", audit, shows(".audit-row")), "plan": ("plan", plan, shows(".plan-row")),
    "person": ("person", person, person), "explore": ("explore?question=funnel&per=session&steps=_session_start%0A_screen_view%0Aview_item%0Aadd_to_cart&by=name", explore, explore),
    "watch": ("watch", watched, watch), "crashes": ("crashes", crashes, crashes),
}


class Pictures(BrowserTest):
    plan = PLAN

    def test_pictures(self):
        self.assertEqual(self.collector.send(traffic()), 200)
        other = Collector().__enter__()
        self.addCleanup(other.__exit__)
        fill(other)
        sheets = {"dark": [], "phone": []}
        for name, (view, opened, opened_on_phone) in VIEWS.items():
            url = (self.collector if view == "plan" else other).url + f"#{view}"
            self.take(f"inspector-{name}", url, opened)
            sheets["dark"].append(self.take(f"dark-{name}", url, opened, color_scheme="dark"))
            sheets["phone"].append(self.take(f"phone-{name}", url, opened_on_phone, width=390, height=760, is_mobile=True, has_touch=True))
        self.sheet("inspector-dark", sheets["dark"], columns=2, width=720)
        self.sheet("inspector-phone", sheets["phone"], columns=4, width=390)

    def take(self, name, url, opened, width=1440, height=860, **options):
        """Path of a picture. One that is only part of a sheet is removed at the end."""
        page = self.open(url=url, width=width, height=height, **options)
        opened(page)
        page.evaluate("document.getElementById('notice').classList.remove('shown')")
        expect(page.locator("#counters strong").first).to_be_attached()
        self.drawn(page)
        path = os.path.join(FOLDER, f"{name}.png")
        page.screenshot(path=path, animations="disabled")
        if name.startswith("inspector-"):
            self.reduce(path)
        else:
            self.addCleanup(os.remove, path)
        return path

    def sheet(self, name, paths, columns, width):
        """A picture of several others."""
        context = self.browser.new_context(viewport={"width": columns * (width + 16) + 16, "height": 100})
        self.addCleanup(context.close)
        page = context.new_page()
        images = "".join(f'<img src="file://{path}" width="{width}">' for path in paths)
        style = f"body {{ margin: 16px; display: grid; gap: 16px; grid-template-columns: repeat({columns}, {width}px); background: #808080; }} img {{ display: block; }}"
        document = os.path.join(FOLDER, f"{name}.html")
        with open(document, "w") as file:
            file.write(f"<!doctype html><style>{style}</style>{images}")
        self.addCleanup(os.remove, document)
        page.goto(f"file://{document}")
        path = os.path.join(FOLDER, f"{name}.png")
        page.screenshot(path=path, full_page=True)
        self.reduce(path)

    def reduce(self, path):
        """Fewer colours: a fifth of the bytes without a visible difference."""
        self.assertIsNotNone(shutil.which("pngquant"), "the pictures need pngquant (Debian: apt-get install pngquant)")
        subprocess.run(["pngquant", "--force", "--skip-if-larger", "--output", path, "64", path], check=False)
