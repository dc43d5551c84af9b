"""Unmodified programs of Debian under the preloaded library: gtk4-widget-factory and gtk4-demo."""

import os
import re
import subprocess
import unittest

from captured import Click, Scroll, Touch, View, opened
from collector import Collector
from desktop import Desktop
from formats import FORMATS
from program import FOLDER, LIBRARY, Program
from visit import Visit

FACTORY = "gtk4-widget-factory"


def warnings(text):
    """Lines of GTK's and GLib's messages, without process number and time."""
    return sorted(
        re.sub(r"\d\d:\d\d:\d\d\.\d+|:\d+\)|0x[0-9a-f]+", "#", line) for line in text.splitlines()
        if re.search(r"WARNING|CRITICAL|ERROR", line)
    )


class Tour:
    """The same tour with and without capture. Steps are clicks on widgets of the pages; touches are not compared."""

    def __init__(self, desktop, program, visit):
        self.desktop, self.program, self.visit = desktop, program, visit

    def step(self, name, action, expected, seconds):
        self.visit.step(name, action, expected, seconds=seconds, ignoring=lambda event: isinstance(event, Touch))

    def click(self, step, expected=None, /, seconds=0.4, at=None, **find):
        def action():
            widget = self.program.find(**find)
            self.desktop.click(*(widget.at(*at) if at else widget.center))
        self.step(step, action, expected, seconds)

    def run(self):
        desktop, program = self.desktop, self.program
        self.step("start", lambda: desktop.window("Widget Factory"), None, seconds=2)
        self.click("toggle", [Click("button", "GtkToggleButton", "page1", "togglebutton")], name="togglebutton1")
        self.click("check", [Click("toggle", "GtkCheckButton", "page1", "checkbutton")], name="checkbutton2", at=(0.1,))
        self.click("radio", [Click("toggle", "GtkCheckButton", "page1", "radiobutton")], name="___object_16___", at=(0.1,))
        self.click("switch", [Click("toggle", "GtkSwitch", "page1")], name="switch1", seconds=0.8)
        self.click("slider", [Click("slider", "GtkScale", "page1")], name="scale1", at=(0.8,), seconds=0.8)
        self.click("spin", [Click("stepper", "GtkSpinButton", "page1")], name="spinbutton1", at=(0.95,), seconds=0.8)
        self.step("scroll", lambda: desktop.wheel(*program.find("scrolledwindow2").center, 2),
                  [Scroll("up", "GtkScrolledWindow", "page1")], seconds=1)
        self.click("tab", [Click("segment", "GtkNotebook", "page1", "page 2")], text="page 2", type="GtkLabel")
        self.click("color", name="colorbutton1", seconds=1.2)
        self.step("cancel the color", lambda: desktop.key("Escape"), None, seconds=0.8)
        self.click("gear", [Click("bar_button", "GtkMenuButton", "window", "open-menu-symbolic")], name="gear_menu_button")
        self.click("menu", [Click("button", "GtkModelButton", "window", "Transition Pages")],
                   text="Transition Pages", type="GtkLabel", seconds=0.8)
        for page in (2, 3, 1):
            expected = [Click("segment", "GtkToggleButton", "window", "Page 1"), View("page1")] if page == 1 else None
            self.click(f"page {page}", expected, text=f"Page {page}", type="GtkLabel", index=-1, seconds=1.5)
        self.step("busy", lambda: None, [], seconds=2)

        def changes():
            for name, function, value in [
                ("scale1", "set_value", 10), ("spinbutton1", "set_value", 7), ("switch1", "set_active", 0),
                ("checkbutton1", "set_active", 0), ("togglebutton1", "set_active", 0), ("entry1", "set_text", 0),
                ("scrolledwindow2", "scroll", 0), ("togglebutton1", "clicked", 0),
            ]:
                program.call(name, function, value)
        self.step("changes by the program", changes, [], seconds=1.5)


class FactoryTest(unittest.TestCase):
    maxDiff = None

    def captured(self, desktop, server, environment=None):
        return Program(desktop, FACTORY, preload=[LIBRARY], environment=server.environment("factory") | (environment or {}))

    def test_tour(self):
        with Desktop() as desktop, Collector(desktop.folder.name) as server:
            visit = Visit(server)
            with self.captured(desktop, server) as program:
                Tour(desktop, program, visit).run()
                self.assertEqual(program.close(), 0)
                captured = program.stderr()
            with Program(desktop, FACTORY) as program:
                Tour(desktop, program, Visit(server)).run()
                self.assertEqual(program.close(), 0)
                plain = program.stderr()
            server.wait_for("clickstream", lambda events: events[-1]["event_type"] == "_app_end")
            if os.environ.get("VISIT_PRINT"):
                visit.print()
            self.assertEqual(visit.differences(), [])
            pages = [event["data"]["element"]["class"] for event in server.events("pulse")
                     if event["event_type"] == "page_load"]
            self.assertEqual(sorted(set(pages) & {"window", "page1", "page2", "page3"}),
                             ["page1", "page2", "page3", "window"])
            for page in ["window", "page1", "page2", "page3"]:
                self.assertEqual(pages.count(page), 1, "a page is loaded once")
            for page in ["box10", "box12", "box15"]:
                self.assertNotIn(page, pages, "the tab of a notebook inside of a page")
            for form in FORMATS:
                self.assertNotIn("by the program", str(server.events(form)))
            self.assertEqual(warnings(captured), warnings(plain))
            self.assertEqual(captured.replace(plain, ""), "")

    def test_german(self):
        with Desktop() as desktop, Collector(desktop.folder.name) as server:
            visit = Visit(server)
            locales = german(desktop.folder.name)
            with self.captured(desktop, server, locales) as program:
                tour = Tour(desktop, program, visit)
                tour.step("start", lambda: desktop.window("Widget Factory"), None, seconds=2)
                tour.click("toggle", [Click("button", "GtkToggleButton", "page1", "Umschaltknopf", "togglebutton")],
                           text="Umschaltknopf", type="GtkLabel")
                tour.click("check", [Click("toggle", "GtkCheckButton", "page1", "Ankreuzfeld", "checkbutton")],
                           name="checkbutton2", at=(0.1,))
                tour.click("gear", name="gear_menu_button")
                tour.click("about", [
                    Click("button", "GtkModelButton", "window", "Info zu Widget Factory", "About Widget Factory"),
                    *opened("GtkAboutDialog", "main"),
                ], text="Info zu Widget Factory", type="GtkLabel", seconds=1.5)
                tour.click("credits", [
                    Click("segment", "GtkToggleButton", "GtkAboutDialog", "Mitwirkende", "Credits"), *opened("credits"),
                ], text="Mitwirkende", type="GtkLabel", seconds=1)
                self.assertEqual(program.close(), 0)
            server.wait_for("clickstream", lambda events: events[-1]["event_type"] == "_app_end")
            self.assertEqual(visit.differences(), [])


DEMOS = ["builder", "dialog", "entry_completion", "flowbox", "headerbar", "listbox", "menu", "paintable",
         "search_entry", "sliding_puzzle"]


class DemoTest(unittest.TestCase):
    def test_ten_demos(self):
        """Opens and closes ten demos of gtk4-demo."""
        with Desktop() as desktop, Collector(desktop.folder.name) as server:
            for name in DEMOS:
                with self.subTest(name):
                    ends = []
                    for preload in ([LIBRARY], []):
                        with Program(desktop, "gtk4-demo", "--run", name, "--autoquit", preload=preload,
                                     environment=server.environment("demo")) as program:
                            ends.append((program.process.wait(30), warnings(program.stderr())))
                    self.assertEqual(ends[0], ends[1])
                    self.assertEqual(ends[0][0], 0)
            events = server.wait_for("pulse", lambda events: len(events) >= len(DEMOS))
            self.assertGreaterEqual(len([event for event in events if event["event_type"] == "page_load"]), len(DEMOS))


def german(folder):
    """Makes a German locale, and catalogs of GTK and of the program; returns the variables that select them."""
    target = os.path.join(folder, "locales", "de", "LC_MESSAGES")
    os.makedirs(target)
    for domain in ["gtk40", "messages"]:
        subprocess.run(
            ["msgfmt", "-o", f"{target}/{domain}.mo", os.path.join(FOLDER, "Locales", domain + ".po")], check=True)
    archive = os.path.join(folder, "archive")
    os.makedirs(archive)
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", f"{archive}/de_DE.UTF-8"], check=True)
    return {"LC_ALL": "de_DE.UTF-8", "LOCPATH": archive, "GTK_PROBE_LOCALES": os.path.join(folder, "locales")}


if __name__ == "__main__":
    unittest.main()
