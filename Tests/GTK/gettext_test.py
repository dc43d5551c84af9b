"""The table of translated texts, with real catalogs and a German locale."""

import os
import subprocess
import sys
import tempfile
import unittest

from factory_test import german
from program import FOLDER, ROOT

TABLE = os.path.join(ROOT, "Sources", "Desktop", "CClickstreamGettext")


class GettextTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="clickstream-gettext-")
        facts = german(cls.folder.name)
        cls.environment = os.environ | facts | {"LOCALES": facts["GTK_PROBE_LOCALES"], "LANGUAGE": ""}
        # The threads of the parent are leaked in a child of fork.
        cls.environment["TSAN_OPTIONS"] = "report_thread_leaks=0"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def build(self, *flags):
        program = os.path.join(self.folder.name, "gettext")
        subprocess.run(
            ["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O2", *flags, "-I", f"{TABLE}/include", "-o", program,
             os.path.join(FOLDER, "gettext.c"), f"{TABLE}/gettext.c", "-lpthread"], check=True)
        return program

    def run_program(self, program, *words):
        result = subprocess.run([program, *words], env=self.environment, capture_output=True, text=True, timeout=120)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.splitlines()

    def test_keys(self):
        lines = self.run_program(self.build())
        self.assertEqual(lines, [
            "Umschaltknopf: togglebutton", "Ankreuzfeld: checkbutton", "Info zu Widget Factory: About Widget Factory",
            "_Info zu Widget Factory: _About Widget Factory", "untranslated: none", "Löschen: Delete",
            "Abbrechen: Cancel", "%d Produkt: %d product", "%d Produkte: %d product", "no plurals: none", ": none",
            # Of several ids with the same translation, the latest counts.
            "gleich: second",
            # A text with an underscore is also the label without its mnemonic; a literal underscore is none.
            "datei_name: file_name", "dateiname: filename", "c__d: a__b",
            # A key that is longer than the buffer.
            "12 tog",
        ])

    def test_bounds(self):
        self.assertEqual(self.run_program(self.build(), "full"),
                         ["text 16383: id 16383", "text 16384: none", "16384 texts, 100 dropped"])

    def test_threads(self):
        """Four threads, and children of fork, under the thread sanitizer."""
        for flags in [["-g", "-fsanitize=thread"], ["-fsanitize=address,undefined"]]:
            with self.subTest(flags):
                self.assertEqual(self.run_program(self.build(*flags), "threads"), ["4 texts"])

    def test_cost(self):
        """A text that was returned before costs little more than the C library's function."""
        plain, recorded = map(float, self.run_program(self.build(), "cost")[0].replace(",", ".").split())
        print(f"gettext: {plain:.1f} ns, recorded {recorded:.1f} ns", file=sys.stderr)
        self.assertLess(recorded - plain, 15)


if __name__ == "__main__":
    unittest.main()
