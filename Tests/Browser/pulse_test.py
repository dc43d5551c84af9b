"""Browser tests of the inspector's view of captured sessions in the Pulse format."""

import re
import unittest

from playwright.sync_api import expect

from captured import CapturedBrowserTest
from formats.pulse import Pulse


class PulseTest(CapturedBrowserTest):
    def test_a_format_without_a_module_of_its_own_is_drawn_by_its_description(self):
        def described(route):
            response = route.fetch()
            route.fulfill(response=response, body=re.sub(r'"module":"\w+\.js",', "", response.text()))

        self.send(Pulse().show("Home", "HomeViewController").click("Buy", "button"))
        page = self.open("#captured?form=pulse")
        drawn = page.locator(".captured-row", has_text="click").locator(".value")
        expect(drawn).to_have_text('tap "Buy"')
        expect(page.locator(".visit")).to_have_count(1)
        page.route(lambda url: url.split("#")[0] == self.collector.url, described)
        page.reload()
        expect(page.locator(".session-row .who").first).to_have_text("Pulse")
        expect(drawn).to_have_text('tap "Buy"')
        expect(page.locator("#captured-panel")).to_contain_text("The events of this session name no page.")

    def test_a_pulse_session_is_drawn_with_its_path_and_pages(self):
        page = self.shopping("#captured?form=pulse")
        self.assertEqual([re.sub(r"[\d.]+ s$", "", text) for text in page.locator(".visit").all_text_contents()],
                         ["Home", "Products", "Detail", "Products", "Cart", "Home"])
        expect(page.locator(".visit").first).to_contain_text("6.9 s")
        self.assertEqual(page.locator(".page-card h3").all_text_contents(), ["Home", "Products", "Detail", "Cart"])
        home, products, detail, cart = [page.locator(".page-card").nth(index) for index in range(4)]
        expect(home.locator(".page-head p")).to_have_text(re.compile(r"^2 visits · 10\.\d s · \d+ events$"))
        expect(home.locator(".touch-mark.tap")).to_have_count(5)
        expect(home.locator(".depth-label")).to_have_text("83 %")
        expect(home.locator(".touch-mark.scroll")).to_have_count(2)
        expect(products.locator(".touch-mark.press title")).to_have_text("3: long press at 180, 470 on ProductCell")
        expect(products.locator(".touch-mark.move title").first).to_have_text("1: move from 334, 610 to 90, 596 on ProductCell")
        self.assertEqual(products.locator(".seen .label").all_text_contents(),
                         ["Trail Runner 5", "Road Racer", "Peak GTX", "Sandal Light", "City Walk"])
        self.assertEqual(products.locator(".seen .number").all_text_contents(), ["9 s", "7 s", "6 s", "4 s", "3 s"])
        expect(detail.locator(".entry", has_text="Add to cart")).to_contain_text("\u00d72")
        expect(detail.locator(".entry", has_text="GalleryView")).to_contain_text("scale")
        expect(cart.locator(".page-head .flaws")).to_contain_text("1 bad")
        # A position on the screen of 390 by 844 points is the same place in the frame.
        position = page.evaluate("""(() => {
            const glass = document.querySelector(".outline .glass"), point = document.querySelector(".touch-mark.tap .point");
            const at = (element, name) => Number(element.getAttribute(name));
            return [(at(point, "cx") - at(glass, "x")) / at(glass, "width"), (at(point, "cy") - at(glass, "y")) / at(glass, "height")];
        })()""")
        self.assertAlmostEqual(position[0], 196 / 390, 3)
        self.assertAlmostEqual(position[1], 152 / 844, 3)
        self.assertEqual(self.appearance(page), [])
        self.picture(page, "captured-pulse")

    def test_pulse_events_form_sessions_by_their_history(self):
        page = self.open("#captured")
        first, second = Pulse(number=1).show("Home").click("a").show("List"), Pulse(number=2).show("Home").click("b")
        for one, other in zip(first.events, second.events):
            self.assertEqual(self.collector.capture("pulse", [one]), 200)
            self.assertEqual(self.collector.capture("pulse", [other]), 200)
        self.assertEqual(self.collector.capture("pulse", first.events[len(second.events):]), 200)
        rows = page.locator(".captured-list .session-row .what")
        expect(rows).to_have_text([re.compile("^3 events \u00b7 1 page "), re.compile("^5 events \u00b7 2 pages ")])
        # The part before a gap of the history is a session of its own, until the part between arrives.
        third = Pulse(number=3).show("Home")
        for _ in range(30):
            third.wait(100).event("custom", {}, page=False)
        for each in third.events:
            each.pop("sub_sids", None)
        self.assertEqual(self.collector.capture("pulse", third.events[:5]), 200)
        self.assertEqual(self.collector.capture("pulse", third.events[20:]), 200)
        expect(rows).to_have_count(4)
        self.assertEqual(self.collector.capture("pulse", third.events[5:20]), 200)
        expect(rows).to_have_count(3)
        expect(rows.first).to_have_text(re.compile("^32 events"))
        # An event of the app without a history is part of the session before it in its request.
        own = {"event_type": "login", "event_id": "6A2E8B17-0000-4000-8000-000000000001", "timestamp": third.time, "is_background": False, "data": {}}
        third.click("c")
        self.assertEqual(self.collector.capture("pulse", [third.events[-1], own]), 200)
        expect(rows.first).to_have_text(re.compile("^34 events"))

    def test_events_of_the_library_are_drawn_with_pages_and_items(self):
        page = self.storefront()
        self.session(page, "Pulse")
        self.assertEqual(page.locator(".visit .label").all_text_contents(), ["Catalog", "Product", "Checkout", "Catalog"])
        expect(page.locator(".page-card").first.locator(".seen")).not_to_have_count(0)
        expect(page.locator(".page-card").first.locator(".depth-label")).to_have_text("100 %")


if __name__ == "__main__":
    unittest.main(verbosity=2)
