"""A collector for one test, started by the command line on a free port, and events to send to it."""

import base64
import gzip
import hashlib
import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLI = os.environ.get("CLICKSTREAM_CLI") or os.path.join(ROOT, ".build/debug/clickstream-cli")
SHOPPING = os.path.join(ROOT, "Docs/Examples/shopping.yaml")


class Collector:
    """Context manager. After `stop`, `start` uses the same port and store."""

    def __init__(self, *arguments):
        self.folder = tempfile.TemporaryDirectory(prefix="clickstream-browser-")
        self.store = os.path.join(self.folder.name, "events.sqlite")
        self.arguments = ["--store", self.store, *arguments]
        self.port = 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()

    def start(self):
        command = [CLI, "collect", "--format", "json", "--port", str(self.port), *self.arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        announcement = json.loads(self.process.stdout.readline())
        self.url, self.endpoint, self.port = announcement["url"] + "/", announcement["endpoint"], announcement["port"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def replay(self, script=SHOPPING):
        """Plays a script against the real library, which sends to this collector."""
        subprocess.run(
            [CLI, "replay", script, "--endpoint", self.endpoint], check=True, capture_output=True, timeout=60
        )

    def script(self, name, changes):
        """Path of a copy of an example with texts replaced."""
        with open(os.path.join(ROOT, "Docs/Examples", name)) as file:
            text = file.read()
        for old, new in changes.items():
            assert old in text, old
            text = text.replace(old, new)
        path = os.path.join(self.folder.name, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def send(self, body, query=None, headers=None, encode=True, app="shop"):
        """Posts events, or a text unchanged. Returns the status."""
        if not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        data = body.encode() if isinstance(body, str) else body
        if encode:
            data = base64.b64encode(gzip.compress(data, 1))
        if query is None:
            query = {"event_bundle_sequence_id": 1, "hashCode": hashlib.sha256(data).hexdigest()[:8]}
        query = {"platform": "Linux", "appId": app, "upload_timestamp": int(time.time() * 1000), **query}
        url = self.endpoint + "?" + urllib.parse.urlencode(query)
        request = urllib.request.Request(url, data, {"Content-Type": "application/json", **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return response.status
        except urllib.error.HTTPError as error:
            return error.code

    def capture(self, form, body):
        """Posts the body of a captured format. Returns the status."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(self.url + form, data, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return response.status
        except urllib.error.HTTPError as error:
            return error.code

    def get(self, path):
        with urllib.request.urlopen(self.url + path.lstrip("/"), timeout=30) as response:
            return response.headers, response.read()


def event(name="click", *, session="s-1", number=1, time_ms=None, user=None, screen=None, unique="u-1", **attributes):
    """An event as an SDK writes it, less what no view shows."""
    now = int(time.time() * 1000) - 1000 if time_ms is None else time_ms
    users = {"_user_id": {"value": user, "set_timestamp": now}} if user is not None else {}
    reserved = {"_session_id": session, "_session_number": number, "_session_start_timestamp": now}
    if screen is not None:
        reserved |= {"_screen_name": screen, "_screen_unique_id": screen}
    return {
        "event_type": name, "event_id": str(uuid.uuid4()), "timestamp": now, "app_id": "shop", "platform": "Linux",
        "unique_id": unique, "user": users, "attributes": reserved | attributes,
    }
