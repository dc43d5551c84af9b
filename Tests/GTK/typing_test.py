"""Typing into each editable widget of GTK: key presses create no event, and no event has the text."""

import os
import unittest

from captured import Click
from collector import Collector
from desktop import Desktop, wait_until
from formats import FORMATS
from program import LIBRARY, TYPING, Program
from visit import Visit

# Name of the step, facts that find the widget to click on, and the text. A space is a key that activates other widgets.
# The text for the font chooser finds fonts: a list that disappears may be an event.
FIELDS = [
    ("entry", {"name": "entry"}, "Ann 101"),
    ("search", {"name": "search"}, "Ann 102"),
    ("password", {"name": "password"}, "Ann 103"),
    ("spin button", {"name": "spin"}, "104104"),
    ("editable label", {"name": "editable-label"}, "Ann 105"),
    ("entry with completion", {"name": "completion"}, "sm 106"),
    ("combo box with text", {"name": "combo-text"}, "Ann 107"),
    ("combo box with a model", {"name": "combo"}, "Ann 108"),
    ("font chooser", {"type": "GtkSearchEntry", "index": -1}, "DejaVu"),
    ("color chooser", {"type": "GtkEntry", "index": -1}, "110"),
]


class TypingTest(unittest.TestCase):
    maxDiff = None

    def test_every_editable_widget(self):
        with Desktop() as desktop, Collector(desktop.folder.name) as server:
            visit = Visit(server)
            with Program(desktop, TYPING, preload=[LIBRARY], environment=server.environment("typing")) as program:
                self.visit(desktop, program, visit)
                self.assertEqual(program.close(), 0)
            server.wait_for("clickstream", lambda events: events[-1]["event_type"] == "_app_end")
            if os.environ.get("VISIT_PRINT"):
                visit.print()
            self.assertEqual(visit.differences(), [])
            for form in FORMATS:
                text = str(server.events(form))
                for _, _, typed in FIELDS:
                    # A timestamp may contain the digits.
                    self.assertNotRegex(text, rf"(?<!\w){typed}(?!\w)")

    def visit(self, desktop, program, visit):
        def type_into(name, text, press=lambda: None):
            """Types; what a focus, a popover or a page before it causes belongs to the step of `press`."""
            visit.step(f"open the {name}", press, seconds=1.2)
            visit.step(f"type into the {name}", lambda: desktop.type(text), [], seconds=1.2)

        def click_on(**find):
            return lambda: desktop.click(*program.find(**find).center)

        visit.step("start", lambda: desktop.window("Typing"), seconds=2)
        # A choice is a click, also in a combo box that text can be typed into.
        visit.step("choose", lambda: desktop.wheel(*program.find("combo-text").at(0.97), 1),
                   [Click("button", "combo-text", "typing")], seconds=0.8)
        for name, find, text in FIELDS:
            type_into(name, text, click_on(**find))
            wait_until(lambda: any(widget.type == "GtkText" and text in widget.text for widget in program.tree()),
                       what=f"the text of the {name}")
            if name == "editable label":
                # Otherwise the next click ends the editing, and does nothing else.
                visit.step("end the editing", lambda: desktop.key("Return"), seconds=0.8)
        visit.step("leave the spin button", click_on(name="spin"), seconds=1.2)
        visit.step("enter a number and leave", lambda: (desktop.type("7"), desktop.key("Tab")), [], seconds=1.2)

        # Lines that scroll.
        type_into("text view", "line 111\n" * 12, click_on(name="text-view"))
        visit.step("open the drop-down", click_on(name="drop-down"), seconds=1.2)
        # The search has the focus.
        type_into("search of the drop-down", "lar")
        visit.step("close the drop-down", lambda: desktop.key("Escape"), seconds=0.8)
        visit.step("enter the field for emoji", click_on(name="emoji"), seconds=0.8)
        type_into("emoji chooser", "smile", lambda: desktop.key("ctrl+period"))
        visit.step("close the emoji chooser", lambda: desktop.key("Escape"), seconds=0.8)


if __name__ == "__main__":
    unittest.main()
