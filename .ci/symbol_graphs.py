"""Symbol graphs of the libraries, from the debug build; those of ClickstreamGTK from the build of the example with its trait."""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

#: Names in the list of the Swift Package Index.
LIBRARIES = re.findall(r"^ +- (Clickstream\w*)$", (ROOT / ".spi.yml").read_text(), re.MULTILINE)

# ClickstreamGTK is empty without its trait. The example application enables it; .ci/gtk uses the same products.
GTK_BUILD = ROOT / ".build" / "gtk-test"


def run(*command):
    """Runs a command, and prints its output only if it fails."""
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        sys.exit(result.stdout)


def search_paths(module):
    """Options of the compiler that find the imports of a module, from SwiftPM's plan of the build."""
    is_gtk = module == "ClickstreamGTK"
    plan = ((GTK_BUILD if is_gtk else ROOT / ".build") / "debug.yaml").read_text()
    command = re.search(rf'"C\.{module}-[^"]*\.module":\n(?:    .*\n)*?    args: (.*)', plan)
    arguments = json.loads(command[1])
    paths = [
        argument
        for option, value in zip(arguments, arguments[1:])
        if option in ("-target", "-sdk", "-I", "-F", "-Xcc")
        for argument in (option, value)
    ]
    if is_gtk:
        flags = subprocess.run(["pkg-config", "--cflags", "gtk4"], check=True, stdout=subprocess.PIPE, text=True)
        for flag in flags.stdout.split():
            paths += ["-Xcc", flag]
    return paths


def extract(module, folder):
    """Writes the symbol graphs of what is public in a module into a folder."""
    run(
        *("swift", "symbolgraph-extract", "-module-name", module, "-output-dir", str(folder)),
        *("-minimum-access-level", "public", "-emit-extension-block-symbols", *search_paths(module)),
    )
