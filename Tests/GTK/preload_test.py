"""The preloaded library itself: programs without GTK, configuration, the ends of a program, and what it costs."""

import json
import os
import signal
import statistics
import subprocess
import sys
import time
import unittest

from collector import Collector
from desktop import Desktop, wait_until
from formats import FORMATS
from program import LIBRARY, SHOP, UNIQUE, Program

FACTORY = "gtk4-widget-factory"
# Parts of a measurement of memory.
PARTS = 6


def loaded(process):
    """Libraries in a process."""
    with open(f"/proc/{process.pid}/maps") as file:
        return {os.path.basename(line.split()[-1]) for line in file if ".so" in line}


class SilenceTest(unittest.TestCase):
    def test_programs_without_gtk(self):
        """Output and status are the same with and without the library, and no other library is loaded."""
        commands = [
            ["ls", "-la", "/usr/lib"], ["ls", "/no/such/folder"], ["bash", "-c", "echo $((6 * 7)); ls / | head -3; exit 3"],
            ["python3", "-c", "import gettext, json; print(json.dumps([1])); print(gettext.gettext('x'))"],
            ["cat", "/proc/self/stat/none"], ["sort", "--no-such-option"],
        ]
        plain = dict(os.environ, LC_ALL="C.UTF-8", LANGUAGE="")
        for command in commands:
            with self.subTest(command):
                results = [
                    subprocess.run(command, env=environment, capture_output=True)
                    for environment in (plain, plain | {"LD_PRELOAD": LIBRARY, "CLICKSTREAM_APP_ID": "x"})
                ]
                self.assertEqual(*[(result.returncode, result.stdout, result.stderr) for result in results])

    def test_libraries(self):
        process = subprocess.Popen(
            ["bash", "-c", "read line"], stdin=subprocess.PIPE, env=dict(os.environ, LD_PRELOAD=LIBRARY))
        try:
            wait_until(lambda: "libclickstream-gtk.so" in loaded(process), what="the library in bash")
            libraries = " ".join(loaded(process))
            for name in ["gtk", "glib", "gobject", "swift", "capture", "Foundation"]:
                self.assertNotIn(name, libraries.replace("libclickstream-gtk.so", ""))
        finally:
            process.kill()
            process.wait()
            process.stdin.close()

    def test_memory_of_its_own(self):
        """The library has no dependency but the C library."""
        result = subprocess.run(["readelf", "-d", LIBRARY], capture_output=True, text=True, check=True)
        needed = [line.split("[")[1].rstrip("]") for line in result.stdout.splitlines() if "NEEDED" in line]
        self.assertEqual(needed, ["libc.so.6"])


class ConfigurationTest(unittest.TestCase):
    def run_factory(self, desktop, environment, file=None):
        program = Program(desktop, FACTORY, preload=[LIBRARY], environment=environment)
        if file is not None:
            with open(os.path.join(program.folder, "amplifyconfiguration.json"), "w") as output:
                output.write(file if isinstance(file, str) else json.dumps(file))
        with program:
            desktop.window("Widget Factory")
            self.assertEqual(program.close(), 0)
            return program.stderr()

    def test_broken(self):
        """One line on standard error, and the program runs."""
        plugins = lambda **sections: {"analytics": {"plugins": sections}}  # noqa: E731
        sdk = {"appId": "factory"}
        cases = [
            ({}, None, "'appId' is missing"),
            ({"CLICKSTREAM_APP_ID": "a", "CLICKSTREAM_ENDPOINT": "nowhere"}, None, "'endpoint' cannot be used"),
            ({"CLICKSTREAM_APP_ID": "a", "CLICKSTREAM_CONFIGURATION_FILE": "/no/such/file"}, None, "/no/such/file: no such file"),
            ({}, "{ not json", "not JSON"),
            ({"CLICKSTREAM_APP_ID": "a", "CLICKSTREAM_AUTO_EVENTS": "buttonClick,taps"}, None, "CLICKSTREAM_AUTO_EVENTS must be a list"),
            ({}, plugins(awsClickstreamPlugin=sdk, clickstreamCapture=[]), "must be an object"),
            *[
                ({}, plugins(awsClickstreamPlugin=sdk, clickstreamCapture={form: settings}), reason)
                for form, format in FORMATS.items() for settings, reason in format.BROKEN
            ],
        ]
        with Desktop() as desktop:
            for environment, file, reason in cases:
                with self.subTest(reason):
                    lines = self.run_factory(desktop, environment, file).splitlines()
                    lines = [line for line in lines if "lickstream" in line]
                    self.assertEqual(len(lines), 1, lines)
                    self.assertTrue(lines[0].startswith("clickstream: capture from GTK is not started: "), lines)
                    self.assertIn(reason, lines[0])

    def test_file(self):
        """A file in a folder that the environment names; the environment takes precedence."""
        with Desktop() as desktop, Collector(desktop.folder.name) as server:
            path = os.path.join(desktop.folder.name, "capture.json")
            with open(path, "w") as file:
                json.dump({"analytics": {"plugins": {
                    "awsClickstreamPlugin": {"appId": "from_file", "endpoint": "http://127.0.0.1:9/collect"},
                    "clickstreamCapture": {
                        "autoEvents": ["viewController"], "optOut": ["GtkSwitch"], "masked": ["GtkLabel"],
                        "pulse": {"endpoint": server.url + "/pulse"},
                    },
                }}}, file)
            environment = {"CLICKSTREAM_CONFIGURATION_FILE": path, "CLICKSTREAM_ENDPOINT": server.endpoint}
            self.assertNotIn("lickstream", self.run_factory(desktop, environment))
            events = server.wait_for("clickstream", lambda events: events[-1:] and events[-1]["event_type"] == "_app_end")
            self.assertEqual({event["app_id"] for event in events}, {"from_file"})
            self.assertGreater(len(server.events("pulse")), 4)
            for form in FORMATS.keys() - {"clickstream", "pulse"}:
                self.assertEqual(server.events(form), [])
            names = {event["event_type"] for event in events}
            self.assertIn("_screen_load", names)
            self.assertFalse({"_click", "_gesture", "_scroll"} & names)


class EndTest(unittest.TestCase):
    def captured(self, desktop, server, environment=None):
        return Program(desktop, FACTORY, preload=[LIBRARY], environment=server.environment("factory") | (environment or {}))

    def test_exit(self):
        """At exit, the events of the last moment are sent."""
        with Desktop() as desktop, Collector(desktop.folder.name) as server:
            with self.captured(desktop, server) as program:
                desktop.window("Widget Factory")
                desktop.click(*program.find("togglebutton1").center)
                start = time.monotonic()
                self.assertEqual(program.close(), 0)
                self.assertLess(time.monotonic() - start, 3)
            names = [event["event_type"] for event in server.events("clickstream")]
            self.assertEqual(names.count("_click"), 1)
            self.assertEqual(names[-1], "_app_end")

    def test_exit_without_a_server(self):
        """A server that does not reply delays the exit by two seconds at most."""
        import socket
        with Desktop() as desktop, socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen(50)
            environment = {
                "CLICKSTREAM_APP_ID": "factory", "CLICKSTREAM_ENDPOINT": f"http://127.0.0.1:{server.getsockname()[1]}/collect",
            }
            with Program(desktop, FACTORY, preload=[LIBRARY], environment=environment) as program:
                desktop.window("Widget Factory")
                program.tree()
                start = time.monotonic()
                self.assertEqual(program.close(), 0)
                self.assertLess(time.monotonic() - start, 5)

    def test_signal(self):
        """SIGTERM sends the events, and ends the program as without the library."""
        with Desktop() as desktop, Collector(desktop.folder.name) as server:
            with self.captured(desktop, server) as program:
                desktop.window("Widget Factory")
                desktop.click(*program.find("togglebutton1").center)
                program.tree()
                status, seconds = program.signal(signal.SIGTERM)
            self.assertEqual(status, -signal.SIGTERM)
            self.assertLess(seconds, 4)
            names = [event["event_type"] for event in server.events("clickstream")]
            self.assertIn("_click", names)
            self.assertEqual(names[-1], "_app_end")

    def test_second_instance(self):
        """A second instance of an application activates the first one, and captures nothing itself."""
        with Desktop() as desktop, Collector(desktop.folder.name) as server:
            environment = server.environment("unique")
            with Program(desktop, UNIQUE, preload=[LIBRARY], environment=environment) as first:
                desktop.window("Unique")
                first.tree()
                with Program(desktop, UNIQUE, preload=[LIBRARY], environment=environment) as second:
                    self.assertEqual(second.process.wait(10), 0)
                    self.assertEqual(second.stderr(), "")
                wait_until(lambda: len([widget for widget in first.tree() if widget.depth == 0]) == 2,
                           what="the window of the second activation")
                self.assertEqual(first.close(), 0)
            events = server.events("clickstream")
            names = [event["event_type"] for event in events]
            self.assertEqual(names.count("_first_open"), 1)
            self.assertEqual(names.count("_session_start"), 1)
            self.assertEqual(names.count("_screen_load"), 2)

    def test_children(self):
        """A child process with GTK is captured as the same app; one without is not affected."""
        with Desktop() as desktop, Collector(desktop.folder.name) as server:
            words = ["bash", "-c", f"ls / > /dev/null; {FACTORY}; python3 -c 'print(5)'"]
            with Program(desktop, *words, preload=[LIBRARY], environment=server.environment("factory")) as program:
                desktop.window("Widget Factory")
                with open(program.probe + ".in", "w") as file:
                    file.write("quit\n")
                self.assertEqual(program.process.wait(15), 0)
                self.assertEqual(program.stderr(), "5\n")
            names = [event["event_type"] for event in server.events("clickstream")]
            self.assertEqual(names.count("_first_open"), 1)


class CostTest(unittest.TestCase):
    @staticmethod
    def ticks(program):
        """Processor time of a process, in clock ticks."""
        with open(f"/proc/{program.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def test_idle(self):
        """A captured program at rest uses no processor: the main queue's descriptor does not keep the loop awake."""
        with Desktop() as desktop, Collector(desktop.folder.name) as server:
            environment = server.environment("idle") | {"CLICKSTREAM_COLLECTOR": ""}
            with Program(desktop, SHOP, environment=environment, probe=True) as program:
                desktop.window("Shop")
                # The buttons' tasks resume on the main actor: the queue has been used.
                desktop.click(*program.find(text="Cart", type="GtkLabel").center)
                desktop.click(*program.find("check-out").center)
                wait_until(lambda: program.find("status").text.startswith("Thank you"), what="the main actor")
                desktop.run("xdotool", "mousemove", "1", "1", "sleep", "2")
                start, moment = self.ticks(program), time.monotonic()
                time.sleep(5)
                share = (self.ticks(program) - start) / os.sysconf("SC_CLK_TCK") / (time.monotonic() - moment)
                print(f"idle: {share:.1%} of a processor", file=sys.stderr)
                # The demo's progress bar is not on the screen; it wakes the program five times a second.
                self.assertLess(share, 0.03)
                program.close()

    def test_windows(self):
        """Windows that are opened and closed leave nothing behind. GTK_TEST_WINDOWS is their number."""
        count = int(os.environ.get("GTK_TEST_WINDOWS", "600"))
        growth = {}
        with Desktop() as desktop, Collector(desktop.folder.name) as server:
            for name, preload in [("plain", []), ("captured", [LIBRARY])]:
                environment = server.environment("windows") | {"CLICKSTREAM_ENDPOINT": ""}
                if name == "captured":
                    environment |= {"CLICKSTREAM_MAX_STORE_EVENTS": "1000"}
                with Program(desktop, FACTORY, preload=preload, environment=environment) as program:
                    desktop.window("Widget Factory")
                    program.command(f"windows {count // 3}", 600)
                    # The median of parts: a heap grows in steps, also in a program that keeps nothing.
                    parts, memory, start = [], program.memory(), time.monotonic()
                    for _ in range(PARTS):
                        program.command(f"windows {count // PARTS}", 1200)
                        parts.append(program.memory() - memory)
                        memory += parts[-1]
                    growth[name] = statistics.median(parts) * 1024 / (count // PARTS)
                    seconds = time.monotonic() - start
                    wait_until(lambda: program.living() == 0, what="the release of all widgets")
                    print(f"{name}: {growth[name]:.0f} bytes and {seconds / count * 1000:.1f} ms a window", file=sys.stderr)
                    program.close()
        self.assertLess(growth["captured"] - growth["plain"], 200)


if __name__ == "__main__":
    unittest.main()
