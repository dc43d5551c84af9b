"""A reverse proxy that serves a collector under a path prefix and answers everything else with 404."""

import http.client
import http.server
import threading


class PrefixProxy:
    """Context manager. Passes requests with the prefix on without it, and responses as they arrive."""

    def __init__(self, port, prefix):
        class Handler(http.server.BaseHTTPRequestHandler):
            def forward(self):
                path = self.path[len(prefix):] or "/"
                if not self.path.startswith(prefix) or not path.startswith("/"):
                    return self.send_error(404)
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                upstream = http.client.HTTPConnection("127.0.0.1", port)
                try:
                    headers = {name: value for name, value in self.headers.items() if name != "Connection"}
                    upstream.request(self.command, path, body, headers)
                    response = upstream.getresponse()
                    self.send_response_only(response.status)
                    for name, value in response.getheaders():
                        if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                            self.send_header(name, value)
                    self.end_headers()
                    while data := response.read1(65536):
                        self.wfile.write(data)
                except OSError:
                    pass  # The browser has closed the connection.
                finally:
                    upstream.close()

            do_GET = do_POST = forward

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
