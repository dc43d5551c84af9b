"""The demo application, driven by the mouse and the keyboard: each event once, in all formats."""

import os
import unittest

from captured import App, Click, Gesture, Impression, Scroll, Touch, Transaction, View, opened
from collector import Collector
from desktop import Desktop
from formats import FORMATS
from program import SHOP, Program
from visit import Visit

ITEM = (
    "[root]>GtkBox:eq(0)>GtkBox:eq(0)>GtkDropDown:eq(0)>GtkPopover:eq(0)>GtkPopoverContent:eq(0)>GtkBox:eq(0)"
    ">GtkScrolledWindow:eq(0)>GtkListView:eq(0)>GtkListItemWidget:eq(1)>GtkBox:eq(0)>GtkLabel:eq(0)"
)
PICTURE = "GtkDrawingArea[ai:product.picture]"


class ShopTest(unittest.TestCase):
    def test_each_event_once_in_all_formats(self):
        with Desktop() as desktop, Collector(desktop.folder.name) as server:
            visit = Visit(server)
            with Program(desktop, SHOP, environment=server.environment()) as shop:
                self.visit(desktop, shop, visit)
                self.assertEqual(shop.close(), 0)
                errors = shop.stderr()
            server.wait_for("clickstream", lambda events: events[-1]["event_type"] == "_app_end")
            self.maxDiff = None
            if os.environ.get("VISIT_PRINT"):
                visit.print()
            self.assertEqual(visit.differences(), [])
            self.check_values(visit)
            self.assertEqual(errors, "")
            text = "\n".join(str(server.events(form)) for form in FORMATS)
            for typed in ["Ann", "secret", "by the program"]:
                self.assertNotIn(typed, text)

    def visit(self, desktop, shop, visit):
        click_on = lambda *find, **facts: lambda: desktop.click(*shop.find(*find, **facts).center)  # noqa: E731

        visit.step("start", lambda: desktop.window("Shop"), seconds=1.5,
                   expected=[App("start"), App("show"), *opened("shop", "catalog")])
        visit.step("wheel", lambda: desktop.wheel(*shop.find("products").center, 3), seconds=1,
                   expected=[Scroll("up", "catalog-scroller", "catalog")])
        visit.step("scroll back", lambda: desktop.wheel(*shop.find("products").center, 9, down=False), seconds=1,
                   expected=[Scroll("down", "catalog-scroller", "catalog")])
        visit.step("scroll by the program", lambda: shop.call("catalog-scroller", "scroll", 100), seconds=0.6, expected=[])
        visit.step("open the categories", click_on("category"),
                   [Touch("tap", "GtkDropDown[ai:catalog.category]")])
        visit.step("choose a category", click_on(text="Shoes", type="GtkLabel"), seconds=3.5,
                   expected=[Touch("tap", ITEM), Click("button", "category", "catalog", "Shoes")])
        visit.step("open a product", lambda: desktop.click(*shop.find(text="Shoes No. 6 – 23 EUR").center),
                   [Touch("tap", "[root]>GtkBox:eq(0)>GtkScrolledWindow:eq(0)>GtkListView:eq(0)"
                                 ">GtkListItemWidget:eq(1)>GtkLabel:eq(0)"),
                    Click("table_view_cell", "GtkListItemWidget", "catalog", "Shoes No. 6 – 23 EUR"),
                    Impression("products", "catalog"), *opened("product")])
        visit.step("step", lambda: desktop.click(*shop.find("quantity").at(0.95)),
                   [Touch("tap", "GtkSpinButton[ai:product.quantity]"), Click("stepper", "quantity", "product")])
        visit.step("slide", lambda: desktop.drag([shop.find("size").at(0.5), shop.find("size").at(0.7)]),
                   [Touch("flick", "GtkScale[ai:product.size]", "right"), Click("slider", "size", "product")])
        picture = lambda: shop.find("picture")  # noqa: E731
        visit.step("tap the picture", lambda: desktop.click(*picture().at(0.3)),
                   [Touch("tap", PICTURE), Gesture("tap", "picture", "product")])
        visit.step("flick the picture", lambda: desktop.drag([picture().at(x) for x in (0.3, 0.4, 0.5)], 0.2),
                   [Touch("flick", PICTURE, "right"), Gesture("move", "picture", "product")])
        visit.step("drag the picture", lambda: desktop.drag(
            [(picture().at(0.5)[0], picture().at(0.5)[1] - 12 * step) for step in range(6)], 1.0),
            [Touch("drag", PICTURE, "up"), Gesture("move", "picture", "product")])
        visit.step("press the picture", lambda: desktop.press(*picture().at(0.3), 0.8),
                   [Touch("long_press", PICTURE), Gesture("long_press", "picture", "product")])
        # Tabs inside of a page are clicks: the cart remains the page.
        notebook = "[root]>GtkNotebook:eq(0)"
        visit.step("add to the cart", click_on("add-to-cart"),
                   [Touch("tap", "GtkButton[ai:product.add-to-cart]"),
                    Click("button", "add-to-cart", "product", "Add to cart"), *opened("cart")])
        visit.step("check", lambda: desktop.click(*shop.find("gift").at(0.02)),
                   [Touch("tap", "GtkCheckButton[ai:cart.gift]"), Click("toggle", "gift", "cart", "Gift wrap")])
        visit.step("tab", click_on(text="Delivery", type="GtkLabel"),
                   [Touch("tap", notebook + ">GtkBox:eq(0)>GtkGizmo:eq(0)>GtkGizmo:eq(1)>GtkLabel:eq(0)"),
                    Click("segment", "cart", "cart", "Delivery")])
        visit.step("radio", lambda: desktop.click(*shop.find("express").at(0.02)),
                   [Touch("tap", "GtkCheckButton[ai:cart.express]"), Click("toggle", "express", "cart", "Express")])
        visit.step("tab back", click_on(text="Items", type="GtkLabel"),
                   [Touch("tap", notebook + ">GtkBox:eq(0)>GtkGizmo:eq(0)>GtkGizmo:eq(0)>GtkLabel:eq(0)"),
                    Click("segment", "cart", "cart", "Items")])
        visit.step("row of a list box", lambda: desktop.click(*shop.find("cart-items").at(0.5, 0.02)),
                   [Touch("tap", notebook + ">GtkStack:eq(0)>GtkBox:eq(0)>GtkScrolledWindow:eq(0)>GtkViewport:eq(0)"
                                            ">GtkListBox:eq(0)>GtkListBoxRow:eq(0)>GtkLabel:eq(0)"),
                    Click("table_view_cell", "GtkListBoxRow", "cart", "Shoes No. 6 – 23 EUR")])
        visit.step("check out", click_on("check-out"), seconds=2,
                   expected=[Touch("tap", "GtkButton[ai:cart.check-out]"),
                             Click("button", "check-out", "cart", "Check out"), Transaction(46, "EUR")])
        status = shop.find("status").text
        self.assertRegex(status, r"^Thank you: 46 EUR, \d+ events sent$", "the task on the main actor has not resumed")
        self.settings(desktop, shop, visit, click_on)
        self.windows(desktop, shop, visit, click_on)

    def settings(self, desktop, shop, visit, click_on):
        header = "[root]>GtkHeaderBar:eq(0)>GtkWindowHandle:eq(0)>GtkCenterBox:eq(0)"
        visit.step("segment", click_on(text="Settings", type="GtkLabel"),
                   [Touch("tap", header + ">GtkStackSwitcher:eq(0)>GtkToggleButton:eq(2)"),
                    Click("segment", "GtkToggleButton", "shop", "Settings"), *opened("settings")])
        visit.step("switch", click_on("notifications"),
                   [Touch("tap", "GtkSwitch[ai:settings.notifications]"), Click("toggle", "notifications", "settings")])
        visit.step("toggle", click_on("dark"),
                   [Touch("tap", "GtkToggleButton[ai:settings.dark]"), Click("button", "dark", "settings", "Dark")])
        visit.step("keyboard", lambda: desktop.key("space"), [Click("button", "dark", "settings", "Dark")])
        visit.step("slide by keys", lambda: (shop.command("tree"), desktop.key("Tab"), desktop.key("Right")), seconds=0.8,
                   expected=[Click("slider", "volume", "settings")])
        visit.step("enter a name", lambda: (desktop.click(*shop.find("user").center), desktop.type("Ann"),
                                            desktop.key("Return")),
                   [Touch("tap", "GtkEntry[ai:settings.user]"), Click("button", "user", "settings", length=3)])
        visit.step("enter a password", lambda: (desktop.click(*shop.find("password").center), desktop.type("secret"),
                                                desktop.key("Return")),
                   [Touch("tap", "GtkPasswordEntry[ai:settings.password]"), Click("button", "password", "settings")])
        visit.step("reset", click_on("reset"),
                   [Touch("tap", "GtkButton[ai:settings.reset]"), Click("button", "reset", "settings", "Reset")])

        def changes():
            for name, function, value in [
                ("volume", "set_value", 80), ("notifications", "set_active", 1), ("newsletter", "set_active", 1),
                ("dark", "set_active", 1), ("language", "set_selected", 2), ("user", "set_text", 0),
                ("password", "set_text", 0), ("reset", "clicked", 0),
            ]:
                shop.call(name, function, value)
        visit.step("changes by the program", changes, seconds=1.5, expected=[])

    def windows(self, desktop, shop, visit, click_on):
        header = "[root]>GtkHeaderBar:eq(0)>GtkWindowHandle:eq(0)>GtkCenterBox:eq(0)"
        item = (
            header + ">GtkBox:eq(1)>GtkMenuButton:eq(0)>GtkPopoverMenu:eq(0)>GtkPopoverContent:eq(0)"
            ">GtkScrolledWindow:eq(0)>GtkViewport:eq(0)>GtkStack:eq(0)>GtkMenuSectionBox:eq(0)>GtkBox:eq(0)"
            ">GtkModelButton:eq(1)"
        )
        visit.step("open the menu", click_on("menu"),
                   [Touch("tap", "GtkMenuButton[ai:shop.menu]"), Click("bar_button", "menu", "shop", "open-menu-symbolic")])
        visit.step("menu item", click_on(text="About Shop", type="GtkLabel"), seconds=1,
                   expected=[Touch("tap", item), Click("button", "GtkModelButton", "shop", "About Shop"), *opened("about")])
        visit.step("close the window", click_on("close-about"), seconds=1,
                   expected=[Touch("tap", "GtkButton[ai:about.close-about]"),
                             Click("button", "close-about", "about", "Close"), View("settings")])
        visit.step("bar button", click_on("home"),
                   [Touch("tap", "GtkButton[ai:shop.home]"), Click("bar_button", "home", "shop", "go-home-symbolic"),
                    View("catalog")])
        window = desktop.window("Shop")
        visit.step("minimize", lambda: desktop.run("xdotool", "windowminimize", window), [App("hide")], seconds=1)
        visit.step("restore", lambda: desktop.run("xdotool", "windowactivate", "--sync", window), [App("show")], seconds=1)

    def check_values(self, visit):
        """Values of single events in the formats that have them."""
        names = [event["event_type"] for event in visit.events("clickstream", "minimize")]
        self.assertIn("_app_end", names)
        names = [event["event_type"] for event in visit.events("clickstream", "restore")]
        self.assertIn("_app_start", names)
        self.assertGreater(min(scroll.distance for scroll in visit.captured("wheel", Scroll)), 50)


if __name__ == "__main__":
    unittest.main()
