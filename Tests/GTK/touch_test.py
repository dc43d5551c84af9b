"""The demo application, driven by fingers: tap, long press, flick, drag, pinch and rotation."""

import os
import unittest

from broadway import TouchScreen
from captured import Click, Gesture, Touch, opened
from collector import Collector
from desktop import Desktop
from program import SHOP, Program
from visit import Visit

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
                    print(step, [(touch.distance, touch.velocity) for touch in visit.captured(step, Touch)])
            self.maxDiff = None
            self.assertEqual(visit.differences(), [])
            self.check_values(visit)

    def visit(self, screen, shop, visit):
        x, y = screen.origin(860)

        def position(widget, horizontal=0.5, vertical=0.5):
            left, top = widget.at(horizontal, vertical)
            return x + left, y + top

        def tap(*find, **facts):
            return lambda: screen.tap(*position(shop.find(*find, **facts)))

        visit.step("open a product", tap(text="Socks No. 4 – 17 EUR"),
                   [Touch("tap", "[root]>GtkBox:eq(0)>GtkScrolledWindow:eq(0)>GtkListView:eq(0)"
                                 ">GtkListItemWidget:eq(3)>GtkLabel:eq(0)"),
                    Click("table_view_cell", "GtkListItemWidget", "catalog", "Socks No. 4 – 17 EUR"), *opened("product")])
        picture = position(shop.find("picture"))
        visit.step("tap", lambda: screen.tap(*picture), [Touch("tap", PICTURE), gesture("tap")])
        visit.step("long press", lambda: screen.press(*picture, 0.9), [Touch("long_press", PICTURE)],
                   ignoring=lambda event: isinstance(event, Gesture))
        visit.step("flick", lambda: screen.line(picture, (picture[0] + 150, picture[1]), 0.15),
                   [Touch("flick", PICTURE, "right"), gesture("move")])
        visit.step("drag", lambda: screen.line(picture, (picture[0], picture[1] + 60), 1.2, count=20),
                   [Touch("drag", PICTURE, "down"), gesture("move")])
        visit.step("pinch", lambda: screen.pinch(picture, 40, 80), [gesture("scale")], seconds=1)
        visit.step("rotate", lambda: screen.rotate(picture, 60, 60), [gesture("rotate")], seconds=1,
                   ignoring=lambda event: isinstance(event, Gesture) and event.kind != "rotate")
        visit.step("tap a button", tap("add-to-cart"),
                   [Touch("tap", "GtkButton[ai:product.add-to-cart]"),
                    Click("button", "add-to-cart", "product", "Add to cart"), *opened("cart")])

    def check_values(self, visit):
        flicks = visit.captured("flick", Touch)
        self.assertEqual({flick.distance for flick in flicks}, {150})
        self.assertGreater(min(flick.velocity for flick in flicks), 100)


def gesture(kind):
    """A recognized gesture on the picture."""
    return Gesture(kind, "picture", "product")


if __name__ == "__main__":
    unittest.main()
