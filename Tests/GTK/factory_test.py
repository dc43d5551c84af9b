"""Unmodified programs of Debian under the preloaded library: gtk4-widget-factory and gtk4-demo."""

import os
import re
import subprocess
import unittest

from collector import Collector
from desktop import Desktop
from program import FOLDER, LIBRARY, Program
from visit import FORMS, NOTHING, Visit, words

FACTORY = "gtk4-widget-factory"


def clicked(type, kind, page, value=None, *more, key=None):
    """Expected clicks and pages of a step; touches are those of `touches`."""
    line = words("click", kind, type, value and repr(value), key and f"key {key!r}", "on", page)
    pulse = words("click", kind, value and repr(value), key and f"key {key!r}", "on", page)
    return {"clickstream": [line, *more], "pulse": [pulse, *more]}



def warnings(text):
    """Lines of GTK's and GLib's messages, without process number and time."""
    return sorted(
        re.sub(r"\d\d:\d\d:\d\d\.\d+|:\d+\)|0x[0-9a-f]+", "#", line) for line in text.splitlines()
        if re.search(r"WARNING|CRITICAL|ERROR", line)
    )


class Tour:
    """The same tour with and without capture. Steps are clicks on widgets of the pages."""

    def __init__(self, desktop, program, visit):
        self.desktop, self.program, self.visit = desktop, program, visit

    def click(self, step, expected, /, seconds=0.4, at=None, **find):
        def action():
            widget = self.program.find(**find)
            self.desktop.click(*(widget.at(*at) if at else widget.center))
        self.visit.step(step, action, seconds=seconds, **expected)

    def run(self):
        desktop, program = self.desktop, self.program
        self.visit.step("start", lambda: desktop.window("Widget Factory"), seconds=2)
        self.click("toggle", clicked("GtkToggleButton", "button", "page1", "togglebutton"), name="togglebutton1")
        self.click("check", clicked("GtkCheckButton", "toggle", "page1", "checkbutton"), name="checkbutton2", at=(0.1,))
        self.click("radio", clicked("GtkCheckButton", "toggle", "page1", "radiobutton"), name="___object_16___", at=(0.1,))
        self.click("switch", clicked("GtkSwitch", "toggle", "page1"), name="switch1", seconds=0.8)
        self.click("slider", clicked("GtkScale", "slider", "page1"), name="scale1", at=(0.8,), seconds=0.8)
        self.click("spin", clicked("GtkSpinButton", "stepper", "page1"), name="spinbutton1", at=(0.95,), seconds=0.8)
        self.visit.step("scroll", lambda: desktop.wheel(*program.find("scrolledwindow2").center, 2), seconds=1,
                        clickstream=["scroll up GtkScrolledWindow on page1"], pulse=["scroll up on page1"])
        self.click("tab", clicked("GtkNotebook", "segment", "page1", "page 2"), text="page 2", type="GtkLabel")
        self.click("color", clicked("GtkColorButton", "button", "page1"), name="colorbutton1", seconds=1.2)
        self.visit.steps.pop()
        self.visit.step("cancel the color", lambda: desktop.key("Escape"), seconds=0.8)
        self.click("gear", clicked("GtkMenuButton", "bar_button", "window", "open-menu-symbolic"), name="gear_menu_button")
        self.click("menu", clicked("GtkModelButton", "button", "window", "Transition Pages"),
                   text="Transition Pages", type="GtkLabel", seconds=0.8)
        for page in (2, 3, 1):
            loaded = [] if page == 1 else None
            self.click(f"page {page}", {} if loaded is None else clicked(
                "GtkToggleButton", "segment", "window", "Page 1", "view page1"), text=f"Page {page}", type="GtkLabel",
                index=-1, seconds=1.5)
        self.visit.step("busy", lambda: None, seconds=2, **NOTHING)

        def changes():
            for name, function, value in [
                ("scale1", "set_value", 10), ("spinbutton1", "set_value", 7), ("switch1", "set_active", 0),
                ("checkbutton1", "set_active", 0), ("togglebutton1", "set_active", 0), ("entry1", "set_text", 0),
                ("scrolledwindow2", "scroll", 0), ("togglebutton1", "clicked", 0),
            ]:
                program.call(name, function, value)
        self.visit.step("changes by the program", changes, seconds=1.5, **NOTHING)


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
            self.assertEqual(visit.differences(ignoring="touch "), [])
            pages = [event["data"]["element"]["class"] for event in server.events("pulse")
                     if event["event_type"] == "page_load"]
            self.assertEqual(sorted(set(pages) & {"window", "page1", "page2", "page3"}),
                             ["page1", "page2", "page3", "window"])
            for page in ["window", "page1", "page2", "page3"]:
                self.assertEqual(pages.count(page), 1, "a page is loaded once")
            for page in ["box10", "box12", "box15"]:
                self.assertNotIn(page, pages, "the tab of a notebook inside of a page")
            for form in FORMS:
                self.assertNotIn("by the program", str(server.events(form)))
            self.assertEqual(warnings(captured), warnings(plain))
            self.assertEqual(captured.replace(plain, ""), "")

    def test_german(self):
        with Desktop() as desktop, Collector(desktop.folder.name) as server:
            visit = Visit(server)
            locales = german(desktop.folder.name)
            with self.captured(desktop, server, locales) as program:
                tour = Tour(desktop, program, visit)
                visit.step("start", lambda: desktop.window("Widget Factory"), seconds=2)
                tour.click("toggle", clicked("GtkToggleButton", "button", "page1", "Umschaltknopf", key="togglebutton"),
                           text="Umschaltknopf", type="GtkLabel")
                tour.click("check", clicked("GtkCheckButton", "toggle", "page1", "Ankreuzfeld", key="checkbutton"),
                           name="checkbutton2", at=(0.1,))
                tour.click("gear", {}, name="gear_menu_button")
                tour.click("about", clicked(
                    "GtkModelButton", "button", "window", "Info zu Widget Factory", "load GtkAboutDialog",
                    "view GtkAboutDialog", "load main", "view main", key="About Widget Factory"),
                    text="Info zu Widget Factory", type="GtkLabel", seconds=1.5)
                tour.click("credits", clicked(
                    "GtkToggleButton", "segment", "GtkAboutDialog", "Mitwirkende", "load credits", "view credits",
                    key="Credits"), text="Mitwirkende", type="GtkLabel", seconds=1)
                self.assertEqual(program.close(), 0)
            server.wait_for("clickstream", lambda events: events[-1]["event_type"] == "_app_end")
            self.assertEqual(visit.differences(ignoring="touch "), [])


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
