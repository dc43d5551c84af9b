"""A server that keeps what it takes, and answers as a scenario says."""
import base64
import gzip
import http.server
import json
import threading


def events_of(body):
    """The events of an upload: a JSON array, or base64 of gzip of one."""
    if not body.startswith(b"["):
        body = gzip.decompress(base64.b64decode(body))
    return json.loads(body)


def well(events, number):
    """Takes everything but an event that is called poison, which it will never take."""
    return 400 if any(event["event_type"] == "poison" for event in events) else 200


def unwell(events, number):
    """Refuses more than two events at once and those that are called poison, and fails from the seventh request on."""
    if number > 6:
        return 503
    return 413 if len(events) > 2 else well(events, number)


class Server:
    """Listens on loopback until it is closed. `answer` gives the status for the events and the number of a request."""

    def __init__(self):
        self.reset(well)
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                events = events_of(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(outer.take(events))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.endpoint = f"http://127.0.0.1:{self.http.server_address[1]}/collect"

    def reset(self, answer):
        """Forgets everything."""
        self.lock = threading.Lock()
        self.answer, self.requests = answer, 0
        # Each form in which an event came, by its id.
        self.taken = {}

    def answer_from_now(self, answer):
        """Keeps what was taken, and counts requests anew."""
        self.answer, self.requests = answer, 0

    def take(self, events):
        with self.lock:
            self.requests += 1
            status = self.answer(events, self.requests)
            if status == 200:
                for event in events:
                    self.taken.setdefault(event["event_id"], []).append(json.dumps(event, sort_keys=True))
            return status

    def close(self):
        self.http.shutdown()
        self.http.server_close()
