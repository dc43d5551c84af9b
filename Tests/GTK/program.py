"""A program with GTK 4 under test, and the widgets that it shows."""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time

from desktop import wait_until

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
BUILD = os.environ.get("GTK_TEST_BUILD", os.path.join(ROOT, ".build-gtk"))
SHOP = os.path.join(BUILD, "debug", "Shop")
LIBRARY = os.path.join(BUILD, "library", "libclickstream-gtk.so")
UNIQUE = os.path.join(BUILD, "library", "unique")
TYPING = os.path.join(BUILD, "library", "typing")
PROBE = os.path.join(BUILD, "library", "libprobe.so")


class Widget:
    """A mapped widget, with its place on the screen."""

    def __init__(self, facts):
        self.__dict__.update(facts)
        self.type = facts["class"]

    def __repr__(self):
        return f"{self.type} '{self.name}' '{self.text}' {self.width:g}x{self.height:g} at {self.x:g},{self.y:g}"

    @property
    def center(self):
        return self.x + self.width / 2, self.y + self.height / 2

    def at(self, horizontal, vertical=0.5):
        """A point inside, by fractions of the width and height."""
        return self.x + self.width * horizontal, self.y + self.height * vertical


class Program:
    """Context manager: a process that is observed by the probe, and ended by closing its windows."""

    def __init__(self, desktop, *words, preload=(), environment=None, folder=None, probe=True):
        self.desktop = desktop
        self.folder = folder or tempfile.mkdtemp(prefix="program-", dir=desktop.folder.name)
        self.words = words
        self.probe = os.path.join(self.folder, "probe")
        libraries = ([PROBE] if probe else []) + list(preload)
        self.environment = desktop.environment | {"GTK_PROBE": self.probe} | (environment or {})
        if libraries:
            self.environment["LD_PRELOAD"] = ":".join(libraries)
        self.position = 0

    def __enter__(self):
        self.errors = open(os.path.join(self.folder, "stderr"), "w+")
        self.process = subprocess.Popen(
            self.words, env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=self.errors,
            stderr=self.errors,
        )
        self.desktop.program = self
        return self

    def __exit__(self, *_):
        self.desktop.program = None
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.errors.close()

    def stderr(self):
        self.errors.flush()
        with open(self.errors.name) as file:
            return file.read()

    # The probe

    def command(self, line, seconds=10.0):
        """Performs a command of the probe, and returns the lines of its result."""
        wait_until(lambda: os.path.exists(self.probe + ".in") and os.path.exists(self.probe), what="the probe")
        with open(self.probe + ".in", "w") as file:
            file.write(line + "\n")

        def result():
            if self.process.poll() is not None:
                raise AssertionError(f"{self.words[0]} ended with {self.process.returncode}: {self.stderr()}")
            with open(self.probe) as file:
                file.seek(self.position)
                text = file.read()
            return text if text.endswith("end\n") else None

        text = wait_until(result, seconds, what=f"the probe's answer to '{line}'")
        self.position += len(text.encode())
        return text.splitlines()[:-1]

    def tree(self):
        return [Widget(json.loads(line)) for line in self.command("tree")]

    def find(self, name=None, text=None, type=None, seconds=5.0, index=0):
        """The widget with that name (or builder id), text or type; waits until it is mapped, and has stopped moving."""
        last = [None]

        def found():
            matches = [
                widget for widget in self.tree()
                if (name is None or name in (widget.name, widget.id)) and (text is None or widget.text == text)
                and (type is None or widget.type == type) and widget.width > 0
            ]
            if not -len(matches) <= index < len(matches):
                last[0] = None
                return None
            position = (matches[index].x, matches[index].y, matches[index].width)
            is_at_rest = position == last[0]
            last[0] = position
            return matches[index] if is_at_rest else None

        return wait_until(found, seconds, what=f"the widget {name or text or type} of {self.words[0]}")

    def call(self, name, function, value=0):
        """Changes a widget as the program itself would."""
        answer = self.command(f"call {name} {function} {value}")
        assert answer == ["done"], (name, function, answer)

    def input(self):
        """The numbers of presses and releases of a button that the program has handled."""
        return tuple(map(int, self.command("input")[0].split()))

    @contextlib.contextmanager
    def paused(self):
        """Stops the program between two frames. It handles the input of that time before the next frame."""
        self.command("pause")
        yield
        self.command("input")

    def memory(self):
        """Resident set in kilobytes."""
        return int(self.command("memory")[0])

    def living(self):
        """The number of widgets of the probe's windows that are not released."""
        return int(self.command("living")[0])

    # The end

    def close(self, seconds=10.0):
        """Closes all windows, and returns the exit status."""
        with open(self.probe + ".in", "w") as file:
            file.write("quit\n")
        return self.process.wait(seconds)

    def signal(self, number=signal.SIGTERM, seconds=10.0):
        """Sends a signal; returns the exit status, and the seconds until then."""
        start = time.monotonic()
        self.process.send_signal(number)
        return self.process.wait(seconds), time.monotonic() - start
