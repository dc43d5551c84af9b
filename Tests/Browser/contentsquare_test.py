"""Browser tests of the inspector's view of captured sessions in the Contentsquare format."""

import csv
import io
import json
import unittest

from playwright.sync_api import expect

from captured import CapturedBrowserTest
from collector import event
from formats import FORMATS, contentsquare


class ContentsquareTest(CapturedBrowserTest):
    def test_a_computer_without_a_size_of_its_screen_is_no_phone(self):
        app = contentsquare.Contentsquare(session=9, to={"an": "Shop", "st": "sdk-linux", "sf": "release"}, r={"w": 0, "h": 0, "d": 1})
        self.send(app.show("Home").swipe(1, 90, 900))
        page = self.open("#captured")
        expect(page.locator("#captured-panel .figures")).to_contain_text("1,440 \u00d7 900 (assumed)")

    def test_a_contentsquare_session_is_drawn_with_its_swipes_and_targets(self):
        page = self.shopping("#captured?form=contentsquare")
        expect(page.locator("#captured-panel h2")).to_have_text("Contentsquare session 3")
        expect(page.locator(".figures")).to_contain_text("393 \u00d7 852")
        # The time in the background does not count.
        expect(page.locator(".visit").nth(3)).to_have_text("Products3.9 s")
        home, products, detail, cart = [page.locator(".page-card").nth(index) for index in range(4)]
        self.assertEqual(home.locator(".speed").all_text_contents(), ["1,180 dp/s", "760 dp/s"])
        lengths = page.evaluate("[...document.querySelectorAll('.page-card:first-child .touch-mark path.reach')].map((path) => path.getTotalLength())")
        self.assertAlmostEqual(lengths[0] / lengths[1], 340 / 270, 2)
        self.assertEqual([text.split(" on ")[0] for text in detail.locator(".touch-mark title").all_text_contents()], [
            "flick up, 420 dp at 1,310 dp/s", "flick left, 262 dp at 880 dp/s", "flick left, 258 dp at 940 dp/s", "flick complex, 180 dp at 410 dp/s"])
        nodes = [(name, number) for name, number in zip(home.locator(".target-name").all_text_contents(), home.locator(".target-node .number").all_text_contents())]
        self.assertEqual(nodes, [("[root] > UIView:eq(0)", "6"), ("UICollectionView[ri:Home.categories]", "4"), ("CategoryCell:eq(1)", "1"),
                                 ("CategoryCell:eq(4)", "1"), ("UILabel:eq(2)", "2"), ("BannerView[ai:HomeViewController.banner]", "1")])
        expect(home.locator(".entry", has_text="UILabel:eq(2)")).to_contain_text("not handled")
        expect(cart.locator(".touch-mark.bad")).to_have_count(1)
        self.assertEqual(self.appearance(page), [])
        self.picture(page, "captured-contentsquare")
        home.locator(".target-node", has_text="UICollectionView").click()
        self.tally(page, f"4 of {self.total} events")
        self.assertIn("UICollectionView", page.locator("#filter-text").input_value())

    def test_bad_events_are_visible_with_their_findings(self):
        page = self.shopping("#captured?form=contentsquare")
        expect(page.locator(".captured-list .flaws")).to_have_text("1 bad")
        page.keyboard.press("b")
        self.tally(page, f"1 of {self.total} events")
        self.assertEqual(self.rows(page), ["flick"])
        page.locator(".captured-row").click()
        panel = page.locator("#captured-event")
        expect(panel.locator(".badge")).to_have_text("bad")
        expect(panel.locator(".violation")).to_contain_text('"tvd" is 30; a flick is longer than 48 dp')
        panel.locator(".violation summary").click()
        expect(panel.locator(".violation")).to_contain_text("Fix: ")
        expect(panel.locator("tr.marked th")).to_have_text(["tvd (has a finding)", "tvv (has a finding)"])
        expect(panel.locator("section[aria-label=Event]")).to_contain_text("finger direction: down")
        expect(panel.locator("section[aria-label=Batch]")).to_contain_text("iPhone 14 Pro")
        self.assertEqual(self.appearance(page), [])
        panel.locator(".violation button").first.click()
        self.assertIn("code=", page.url)
        self.tally(page, f"1 of {self.total} events")

    def test_a_session_is_found_by_its_user_and_its_number(self):
        page = self.shopping()
        page.locator("#filter-session").fill(f"{contentsquare.HEADER['uid']}/3")
        self.tally(page, f"{len(self.apps['contentsquare'].events)} of {self.total} events")

    def test_sessions_in_other_formats_are_drawn_on_the_screen_of_the_device(self):
        page = self.shopping("#captured?form=pulse")
        expect(page.locator(".figures")).to_contain_text("390 \u00d7 844 (assumed)")
        # The formats have no event in common, but each has an event of the clickstream session.
        self.collector.send([
            {**event("_gesture", session="s-7", number=7), "event_id": format.identity(self.apps[form].events[4]).lower()}
            for form, format in FORMATS.items()
        ])
        page.get_by_role("button", name="In Contentsquare").click()
        page.get_by_role("button", name="In Pulse").click()
        expect(page.locator("#captured-panel h2")).to_have_text("Pulse session")
        expect(page.locator(".figures").first).to_contain_text("393 \u00d7 852")

    def test_events_of_the_library_are_drawn_with_swipes(self):
        page = self.storefront()
        self.session(page, "Contentsquare")
        expect(page.locator(".touch-mark.swipe title")).to_contain_text("flick left, 260 dp")

    def test_events_are_exported_with_the_header_of_their_batch(self):
        page = self.shopping()
        page.locator("#filter-name").fill("flick")
        self.tally(page, f"10 of {self.total} events")
        page.locator("h1").click()
        page.keyboard.press("x")
        with page.expect_download() as download:
            page.locator("#export-csv").click()
        rows = list(csv.DictReader(io.StringIO(self.saved(download))))
        self.assertEqual({(row["form"], row["name"]) for row in rows}, {("contentsquare", "flick")})
        self.assertEqual(json.loads(rows[0]["header"])["dmo"], "iPhone 14 Pro")

    def test_a_screen_of_many_swipes_is_drawn_in_part(self):
        self.send(contentsquare.large())
        page = self.open("#captured")
        expect(page.locator(".page-card .frame").first).to_contain_text("276 more not drawn")
        expect(page.locator(".page-card .targets").first).to_contain_text("more targets")


if __name__ == "__main__":
    unittest.main(verbosity=2)
