"""A headless desktop: an X server, a window manager and a session bus, and the user's hands on it."""

import os
import shutil
import subprocess
import tempfile
import time

PROGRAMS = {
    "Xvfb": "xvfb", "openbox": "openbox", "xdotool": "xdotool", "dbus-daemon": "dbus", "msgfmt": "gettext",
    "localedef": "locales", "gtk4-broadwayd": "libgtk-4-bin", "gtk4-widget-factory": "gtk-4-examples",
    "gtk4-demo": "gtk-4-examples", "chromium": "chromium", "cc": "gcc", "pkg-config": "pkg-config",
}


def missing_packages():
    """Debian packages of the programs that are not installed."""
    return sorted({package for program, package in PROGRAMS.items() if not shutil.which(program)})


def wait_until(condition, seconds=10.0, what="a condition"):
    """Polls a condition, and returns its first true value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"timeout after {seconds} s: {what}")
        time.sleep(0.01)


class Processes:
    """Child processes of a context, which are ended with it."""

    def __init__(self):
        self.children = []

    def start(self, *words, **options):
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, **options)
        self.children.append(process)
        return process

    def stop(self):
        for process in reversed(self.children):
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(5)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        self.children = []


class Desktop:
    """Context manager: an X server with a window manager and a bus."""

    def __init__(self, size="1600x1200"):
        self.size = size
        self.processes = Processes()
        self.folder = tempfile.TemporaryDirectory(prefix="clickstream-gtk-")
        # The program that receives the input.
        self.program = None

    def __enter__(self):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.display = self.start_server(quiet)
        address = f"unix:path={self.folder.name}/bus"
        self.processes.start("dbus-daemon", "--session", "--nofork", "--address=" + address, **quiet)
        wait_until(lambda: os.path.exists(f"{self.folder.name}/bus"), what="the session bus")
        self.environment = os.environ | {
            "DISPLAY": self.display, "DBUS_SESSION_BUS_ADDRESS": address, "GDK_BACKEND": "x11",
            "GSETTINGS_BACKEND": "memory", "GTK_A11Y": "none", "LC_ALL": "C.UTF-8", "LANGUAGE": "",
            "XDG_STATE_HOME": f"{self.folder.name}/state", "XDG_CONFIG_HOME": f"{self.folder.name}/config",
            "XDG_CACHE_HOME": f"{self.folder.name}/cache", "GTK_THEME": "Adwaita", "GSK_RENDERER": "cairo",
        }
        for name in ["WAYLAND_DISPLAY", "LANG"]:
            self.environment.pop(name, None)
        self.processes.start("openbox", env=self.environment, **quiet)
        wait_until(
            lambda: "_NET_SUPPORTING_WM_CHECK" in self.run("xprop", "-root", "_NET_SUPPORTING_WM_CHECK", check=False)
            and "not found" not in self.run("xprop", "-root", "_NET_SUPPORTING_WM_CHECK", check=False),
            what="the window manager",
        )
        return self

    def __exit__(self, *_):
        self.processes.stop()
        self.folder.cleanup()

    def start_server(self, quiet):
        """Starts an X server on a free display: another test may take the same one at the same time."""
        for number in range(81, 90):
            socket = f"/tmp/.X11-unix/X{number}"
            if os.path.exists(socket) or os.path.exists(f"/tmp/.X{number}-lock"):
                continue
            server = self.processes.start("Xvfb", f":{number}", "-screen", "0", self.size + "x24", "-noreset", **quiet)
            wait_until(lambda: os.path.exists(socket) or server.poll() is not None, what=f"the display :{number}")
            if server.poll() is None:
                return f":{number}"
        raise AssertionError("the displays :81 to :89 are in use")

    def run(self, *words, check=True):
        result = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=30)
        if check and result.returncode != 0:
            raise AssertionError(f"{' '.join(words)}: {result.stderr}")
        return result.stdout.strip()

    # The pointer rests before a press, as that of a user does.

    def click(self, x, y, button=1):
        self.press(x, y, button=button)

    def press(self, x, y, seconds=0.0, button=1):
        """Presses a button for some time."""
        self.hold(x, y, button)
        time.sleep(seconds)
        self.release(button)

    def drag(self, points, seconds=0.2):
        """Presses at the first point, moves through the others, and releases."""
        step = seconds / max(1, len(points) - 1)
        moves = []
        for x, y in points[1:]:
            moves += ["sleep", f"{step:.3f}", "mousemove", str(round(x)), str(round(y))]
        self.hold(*points[0], moves=moves)
        self.release()

    def hold(self, x, y, button=1, moves=()):
        """Moves the pointer, presses a button, moves further, and waits until the program has handled the press."""
        presses, _ = self.program.input()
        words = ["mousemove", str(round(x)), str(round(y)), "sleep", "0.05", "mousedown", str(button)]
        self.run("xdotool", *words, *moves)
        wait_until(lambda: self.program.input()[0] > presses, what=f"the press at {x:g}, {y:g}")

    def release(self, button=1):
        """Releases a button between two frames of the program.

        GTK cancels a click if the layout changes in a frame between the release and its event: it creates a motion with
        the state of the buttons that the X server has at that time, which is no longer that of a press.
        """
        _, releases = self.program.input()
        with self.program.paused():
            self.run("xdotool", "mouseup", str(button))
        wait_until(lambda: self.program.input()[1] > releases, what="the release")

    def wheel(self, x, y, count, down=True):
        self.run(
            "xdotool", "mousemove", str(round(x)), str(round(y)), "sleep", "0.05",
            "click", "--repeat", str(count), "--delay", "30", "5" if down else "4",
        )

    def key(self, *names):
        self.run("xdotool", "key", *names)

    def type(self, text):
        self.run("xdotool", "type", "--delay", "20", text)

    def window(self, title):
        """The window with that title; waits until it is visible."""
        found = wait_until(
            lambda: self.run("xdotool", "search", "--onlyvisible", "--name", title, check=False).split(),
            what=f"the window '{title}'",
        )
        return found[-1]
