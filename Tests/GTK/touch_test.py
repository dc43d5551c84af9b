"""The demo application, driven by fingers: tap, long press, flick, drag, pinch and rotation."""

import os
import unittest

from broadway import TouchScreen
from collector import Collector
from desktop import Desktop
from program import SHOP, Program
from visit import Visit, click

PICTURE = "GtkDrawingArea[ai:product.picture]"


class TouchTest(unittest.TestCase):
    def test_fingers(self):
        with Desktop() as desktop, Collector(desktop.folder.name) as server, TouchScreen(desktop) as screen:
            visit = Visit(server)
            with Program(desktop, SHOP, environment=server.environment() | screen.environment) as shop:
                self.visit(screen, shop, visit)
                self.assertEqual(shop.close(), 0)
            server.wait_for("clickstream", lambda events: events[-1]["event_type"] == "_app_end")
            if os.environ.get("VISIT_PRINT"):
                visit.print()
                for step in ["flick", "drag"]:
                    print(step, [(event["tvd"], event["tvv"]) for event in visit.events("contentsquare", step)])
                    print([(e["attributes"].get("_gesture_duration"),e["attributes"].get("_gesture_distance")) for e in visit.events("clickstream", step)])
            self.maxDiff = None
            self.assertEqual(visit.differences(), [])
            self.check_values(visit)

    def visit(self, screen, shop, visit):
        x, y = screen.origin(860)

        def place(widget, horizontal=0.5, vertical=0.5):
            left, top = widget.at(horizontal, vertical)
            return x + left, y + top

        def tap(*find, **facts):
            return lambda: screen.tap(*place(shop.find(*find, **facts)))

        visit.step("open a product", tap(text="Socks No. 4 – 17 EUR"),
                   **click("table_view_cell", "GtkListItemWidget", "catalog", "Socks No. 4 – 17 EUR", before=["product"],
                           target="[root]>GtkBox:eq(0)>GtkScrolledWindow:eq(0)>GtkListView:eq(0)"
                                  ">GtkListItemWidget:eq(3)>GtkLabel:eq(0)"))
        picture = place(shop.find("picture"))
        visit.step("tap", lambda: screen.tap(*picture), **self.expected("tap", f"tap {PICTURE}"))
        visit.step("long press", lambda: screen.press(*picture, 0.9), clickstream=None,
                   contentsquare=[f"touch long_press {PICTURE}"])
        visit.step("flick", lambda: screen.line(picture, (picture[0] + 150, picture[1]), 0.15),
                   **self.expected("move", f"flick right {PICTURE}"))
        visit.step("drag", lambda: screen.line(picture, (picture[0], picture[1] + 60), 1.2, count=20),
                   **self.expected("move", f"drag down {PICTURE}"))
        visit.step("pinch", lambda: screen.pinch(picture, 40, 80), seconds=1, **self.expected("scale", None))
        visit.step("rotate", lambda: screen.rotate(picture, 60, 60), seconds=1, clickstream=None,
                   contentsquare=[])
        visit.step("tap a button", tap("add-to-cart"),
                   **click("button", "add-to-cart", "product", "Add to cart", target="GtkButton[ai:product.add-to-cart]",
                           before=["cart"]))

    @staticmethod
    def expected(gesture, touch):
        touches = [f"touch {touch}"] if touch else []
        return {"clickstream": touches + [f"gesture {gesture} picture on product"],
                "pulse": [f"gesture {gesture} on product"], "contentsquare": touches}

    def check_values(self, visit):
        flick, = visit.events("contentsquare", "flick")
        self.assertEqual(flick["tvd"], 150)
        self.assertGreater(flick["tvv"], 100)
        pinch, = visit.events("pulse", "pinch")
        self.assertEqual(pinch["data"]["gesture_params"]["type"], "scale")
        turn = [event["data"]["gesture_params"] for event in visit.events("pulse", "rotate")
                if event["data"]["gesture_params"]["type"] == "rotate"]
        self.assertEqual(len(turn), 1, turn)
        print(pinch["data"]["gesture_params"], turn)


if __name__ == "__main__":
    unittest.main()
