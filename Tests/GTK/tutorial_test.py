"""The commands of Docs/gtk-tutorial.md, and the code that it shows."""

import glob
import os
import re
import subprocess
import time
import unittest

from collector import CLI, Collector
from desktop import Desktop
from formats import FORMATS
from program import LIBRARY, PROBE, ROOT, SHOP, Program

PAGE = os.path.join(ROOT, "Docs", "gtk-tutorial.md")


def blocks(language):
    """The blocks of the page in a language."""
    with open(PAGE) as file:
        found = re.findall(r"^```(\w*)\n(.*?)^```$", file.read(), re.S | re.M)
    return [text for name, text in found if name == language]


class TutorialTest(unittest.TestCase):
    def run_block(self, desktop, server, block, visit):
        """Runs commands of the page with this test's server and libraries, while `visit` uses the program."""
        text = block.replace("http://127.0.0.1:9090", server.url).replace("LD_PRELOAD=", f"LD_PRELOAD={PROBE}:")
        text = text.replace(".build/gtk/libclickstream-gtk.so", LIBRARY)
        text = text.replace("Docs/Examples/gtk-shop/.build/debug/Shop", f"LD_PRELOAD={PROBE} {SHOP}")
        with Program(desktop, "bash", "-euo", "pipefail", "-c", text, probe=False) as program:
            visit(program)
            with open(program.probe + ".in", "w") as file:
                file.write("quit\n")
            self.assertEqual(program.process.wait(20), 0, program.stderr())

    def test_commands(self):
        shell = blocks("sh")
        self.assertEqual(len(shell), 7, shell)
        self.assertIn("--port", subprocess.run([CLI, "collect", "--help"], capture_output=True, text=True).stdout)
        with Desktop() as desktop, Collector(desktop.folder.name) as server:
            def visit_factory(program):
                desktop.window("Widget Factory")
                desktop.click(*program.find("togglebutton1").center)
                desktop.click(*program.find(text="Page 2", type="GtkLabel").center)
                time.sleep(0.8)
            self.run_block(desktop, server, shell[3], visit_factory)
            query = shell[4].replace("http://127.0.0.1:9090", server.url)
            printed = subprocess.run(["bash", "-c", query], capture_output=True, text=True, check=True).stdout.splitlines()
            shown = blocks("")[0].splitlines()
            position = 0
            for line in shown:
                if line != "…":
                    self.assertIn(line, printed[position:], printed)
                    position = printed.index(line, position) + 1
            self.run_block(desktop, server, shell[6], lambda program: (desktop.window("Shop"), program.find("home")))
            self.assertIn("shop", [event["app_id"] for event in server.events("clickstream")])
            for form in FORMATS:
                self.assertGreater(len(server.events(form)), 2)

    def test_commands_of_the_build(self):
        """The commands that take long are those that this test's libraries are built with."""
        shell = "\n".join(blocks("sh"))
        self.assertIn("make gtk-library\n", shell)
        with open(os.path.join(ROOT, "Makefile")) as file:
            self.assertRegex(file.read(), r"gtk-library: tools\n\t\./Bindings/GTK/build\n")
        self.assertIn("swift build --package-path Docs/Examples/gtk-shop\n", shell)

    def test_code(self):
        """The code of the page is part of the example."""
        example = ""
        for path in glob.glob(os.path.join(ROOT, "Docs/Examples/gtk-shop", "**", "*.swift"), recursive=True):
            with open(path) as file:
                example += file.read()
        for block in blocks("swift"):
            self.assertIn(block.strip("\n"), example)


if __name__ == "__main__":
    unittest.main()
