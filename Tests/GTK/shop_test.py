"""The demo application, driven by the mouse and the keyboard: each event once, in three formats."""

import os
import unittest

from collector import Collector
from desktop import Desktop
from program import SHOP, Program
from visit import NOTHING, Visit, click, only_touch

ITEM = (
    "[root]>GtkBox:eq(0)>GtkBox:eq(0)>GtkDropDown:eq(0)>GtkPopover:eq(0)>GtkPopoverContent:eq(0)>GtkBox:eq(0)"
    ">GtkScrolledWindow:eq(0)>GtkListView:eq(0)>GtkListItemWidget:eq(1)>GtkBox:eq(0)>GtkLabel:eq(0)"
)


def merged(*parts):
    return {form: sum((part.get(form, []) for part in parts), []) for form in NOTHING}


class ShopTest(unittest.TestCase):
    def test_each_event_once_in_three_formats(self):
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
            text = "\n".join(str(server.events(form)) for form in NOTHING)
            for typed in ["Ann", "secret", "by the program"]:
                self.assertNotIn(typed, text)

    def visit(self, desktop, shop, visit):
        click_on = lambda *find, **facts: lambda: desktop.click(*shop.find(*find, **facts).center)  # noqa: E731

        visit.step("start", lambda: desktop.window("Shop"), seconds=1.5,
                   clickstream=["load shop", "view shop", "load catalog", "view catalog"],
                   pulse=["load shop", "view shop", "load catalog", "view catalog"],
                   contentsquare=["start", "show", "view shop", "view catalog"])
        visit.step("wheel", lambda: desktop.wheel(*shop.find("products").center, 3), seconds=1,
                   clickstream=["scroll up catalog-scroller on catalog"],
                   pulse=["scroll up catalog-scroller on catalog"], contentsquare=[])
        visit.step("scroll back", lambda: desktop.wheel(*shop.find("products").center, 9, down=False), seconds=1,
                   clickstream=["scroll down catalog-scroller on catalog"],
                   pulse=["scroll down catalog-scroller on catalog"], contentsquare=[])
        visit.step("scroll by the program", lambda: shop.call("catalog-scroller", "scroll", 100), seconds=0.6,
                   **NOTHING)
        visit.step("open the categories", click_on("category"),
                   **only_touch("touch tap GtkDropDown[ai:catalog.category]"))
        visit.step("choose a category", click_on(text="Shoes", type="GtkLabel"), seconds=3.5,
                   **click("button", "category", "catalog", "Shoes", target=ITEM))
        visit.step("open a product", lambda: desktop.click(*shop.find(text="Shoes No. 6 – 23 EUR").center),
                   **merged(
                       click("table_view_cell", "GtkListItemWidget", "catalog", "Shoes No. 6 – 23 EUR", before=["product"],
                             target="[root]>GtkBox:eq(0)>GtkScrolledWindow:eq(0)>GtkListView:eq(0)"
                                    ">GtkListItemWidget:eq(1)>GtkLabel:eq(0)"),
                       {"clickstream": ["impression products on catalog"],
                        "pulse": ["impression products on catalog"]}))
        visit.step("step", lambda: desktop.click(*shop.find("quantity").at(0.95)),
                   **click("stepper", "quantity", "product", target="GtkSpinButton[ai:product.quantity]"))
        visit.step("slide", lambda: desktop.drag([shop.find("size").at(0.5), shop.find("size").at(0.7)]),
                   **click("slider", "size", "product", target="right GtkScale[ai:product.size]", touch="flick"))
        picture = lambda: shop.find("picture")  # noqa: E731
        visit.step("tap the picture", lambda: desktop.click(*picture().at(0.3)),
                   clickstream=["touch tap GtkDrawingArea[ai:product.picture]", "gesture tap picture on product"],
                   pulse=["gesture tap on product"], contentsquare=["touch tap GtkDrawingArea[ai:product.picture]"])
        visit.step("flick the picture", lambda: desktop.drag([picture().at(x) for x in (0.3, 0.4, 0.5)], 0.2),
                   clickstream=["touch flick right GtkDrawingArea[ai:product.picture]",
                                "gesture move picture on product"],
                   pulse=["gesture move on product"],
                   contentsquare=["touch flick right GtkDrawingArea[ai:product.picture]"])
        visit.step("drag the picture", lambda: desktop.drag(
            [(picture().at(0.5)[0], picture().at(0.5)[1] - 12 * step) for step in range(6)], 1.0),
            clickstream=["touch drag up GtkDrawingArea[ai:product.picture]", "gesture move picture on product"],
            pulse=["gesture move on product"],
            contentsquare=["touch drag up GtkDrawingArea[ai:product.picture]"])
        visit.step("press the picture", lambda: desktop.press(*picture().at(0.3), 0.8),
                   clickstream=["touch long_press GtkDrawingArea[ai:product.picture]",
                                "gesture long_press picture on product"],
                   pulse=["gesture long_press on product"],
                   contentsquare=["touch long_press GtkDrawingArea[ai:product.picture]"])
        # Tabs inside of a page are clicks: the cart remains the page.
        notebook = "[root]>GtkNotebook:eq(0)"
        visit.step("add to the cart", click_on("add-to-cart"),
                   **click("button", "add-to-cart", "product", "Add to cart",
                           target="GtkButton[ai:product.add-to-cart]", before=["cart"]))
        visit.step("check", lambda: desktop.click(*shop.find("gift").at(0.02)),
                   **click("toggle", "gift", "cart", "Gift wrap", target="GtkCheckButton[ai:cart.gift]"))
        visit.step("tab", click_on(text="Delivery", type="GtkLabel"),
                   **click("segment", "cart", "cart", "Delivery",
                           target=notebook + ">GtkBox:eq(0)>GtkGizmo:eq(0)>GtkGizmo:eq(1)>GtkLabel:eq(0)"))
        visit.step("radio", lambda: desktop.click(*shop.find("express").at(0.02)),
                   **click("toggle", "express", "cart", "Express", target="GtkCheckButton[ai:cart.express]"))
        visit.step("tab back", click_on(text="Items", type="GtkLabel"),
                   **click("segment", "cart", "cart", "Items",
                           target=notebook + ">GtkBox:eq(0)>GtkGizmo:eq(0)>GtkGizmo:eq(0)>GtkLabel:eq(0)"))
        visit.step("row of a list box", lambda: desktop.click(*shop.find("cart-items").at(0.5, 0.02)),
                   **click("table_view_cell", "GtkListBoxRow", "cart", "Shoes No. 6 – 23 EUR",
                           target=notebook + ">GtkStack:eq(0)>GtkBox:eq(0)>GtkScrolledWindow:eq(0)>GtkViewport:eq(0)>GtkListBox:eq(0)"
                                  ">GtkListBoxRow:eq(0)>GtkLabel:eq(0)"))
        visit.step("check out", click_on("check-out"), seconds=2,
                   **merged(click("button", "check-out", "cart", "Check out", target="GtkButton[ai:cart.check-out]"),
                            {"clickstream": ["transaction 46 EUR"], "contentsquare": ["transaction 46 978"]}))
        status = shop.find("status").text
        self.assertRegex(status, r"^Thank you: 46 EUR, \d+ events sent$", "the task on the main actor has not resumed")
        self.settings(desktop, shop, visit, click_on)
        self.windows(desktop, shop, visit, click_on)

    def settings(self, desktop, shop, visit, click_on):
        header = "[root]>GtkHeaderBar:eq(0)>GtkWindowHandle:eq(0)>GtkCenterBox:eq(0)"
        visit.step("segment", click_on(text="Settings", type="GtkLabel"),
                   **click("segment", "GtkToggleButton", "shop", "Settings", before=["settings"],
                           target=header + ">GtkStackSwitcher:eq(0)>GtkToggleButton:eq(2)"))
        visit.step("switch", click_on("notifications"),
                   **click("toggle", "notifications", "settings", target="GtkSwitch[ai:settings.notifications]"))
        visit.step("toggle", click_on("dark"),
                   **click("button", "dark", "settings", "Dark", target="GtkToggleButton[ai:settings.dark]"))
        visit.step("keyboard", lambda: desktop.key("space"),
                   **click("button", "dark", "settings", "Dark", tap=False))
        visit.step("slide by keys", lambda: (shop.command("tree"), desktop.key("Tab"), desktop.key("Right")), seconds=0.8,
                   **click("slider", "volume", "settings", tap=False))
        visit.step("enter a name", lambda: (desktop.click(*shop.find("user").center), desktop.type("Ann"),
                                            desktop.key("Return")),
                   clickstream=["touch tap GtkEntry[ai:settings.user]", "click button user '3 characters' on settings"],
                   pulse=["click button user on settings"], contentsquare=["touch tap GtkEntry[ai:settings.user]"])
        visit.step("enter a password", lambda: (desktop.click(*shop.find("password").center), desktop.type("secret"),
                                                desktop.key("Return")),
                   **click("button", "password", "settings", target="GtkPasswordEntry[ai:settings.password]"))
        visit.step("reset", click_on("reset"),
                   **click("button", "reset", "settings", "Reset", target="GtkButton[ai:settings.reset]"))

        def changes():
            for name, function, value in [
                ("volume", "set_value", 80), ("notifications", "set_active", 1), ("newsletter", "set_active", 1),
                ("dark", "set_active", 1), ("language", "set_selected", 2), ("user", "set_text", 0),
                ("password", "set_text", 0), ("reset", "clicked", 0),
            ]:
                shop.call(name, function, value)
        visit.step("changes by the program", changes, seconds=1.5, **NOTHING)

    def windows(self, desktop, shop, visit, click_on):
        header = "[root]>GtkHeaderBar:eq(0)>GtkWindowHandle:eq(0)>GtkCenterBox:eq(0)"
        item = (
            header + ">GtkBox:eq(1)>GtkMenuButton:eq(0)>GtkPopoverMenu:eq(0)>GtkPopoverContent:eq(0)"
            ">GtkScrolledWindow:eq(0)>GtkViewport:eq(0)>GtkStack:eq(0)>GtkMenuSectionBox:eq(0)>GtkBox:eq(0)"
            ">GtkModelButton:eq(1)"
        )
        visit.step("open the menu", click_on("menu"),
                   **click("bar_button", "menu", "shop", "open-menu-symbolic", target="GtkMenuButton[ai:shop.menu]"))
        visit.step("menu item", click_on(text="About Shop", type="GtkLabel"), seconds=1,
                   **click("button", "GtkModelButton", "shop", "About Shop", target=item, before=["about"]))
        visit.step("close the window", click_on("close-about"), seconds=1,
                   **click("button", "close-about", "about", "Close", target="GtkButton[ai:about.close-about]",
                           after=["settings"]))
        visit.step("bar button", click_on("home"),
                   **click("bar_button", "home", "shop", "go-home-symbolic", target="GtkButton[ai:shop.home]", after=["catalog"]))
        window = desktop.window("Shop")
        visit.step("minimize", lambda: desktop.run("xdotool", "windowminimize", window), seconds=1,
                   clickstream=[], pulse=[], contentsquare=["hide"])
        visit.step("restore", lambda: desktop.run("xdotool", "windowactivate", "--sync", window), seconds=1,
                   clickstream=[], pulse=[], contentsquare=["show"])

    def check_values(self, visit):
        """Values of single events in the formats that have them."""
        names = [event["event_type"] for event in visit.events("clickstream", "minimize")]
        self.assertIn("_app_end", names)
        names = [event["event_type"] for event in visit.events("clickstream", "restore")]
        self.assertIn("_app_start", names)
        scroll, = visit.events("pulse", "wheel")
        info = scroll["data"]["scroll_info"]
        self.assertEqual(info["direction"], "up")
        self.assertGreater(info["scroll_distance"] if "scroll_distance" in info else info["distance"], 50)


if __name__ == "__main__":
    unittest.main()
