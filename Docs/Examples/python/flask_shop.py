import functools
import os

import clickstream
import flask

client_of = functools.cache(lambda process: clickstream.Client())
app = flask.Flask(__name__)


@app.after_request
def record_request(response: flask.Response) -> flask.Response:
    client_of(os.getpid()).record("request", {"path": flask.request.path, "status": response.status_code})
    return response


@app.get("/books/<book>")
def show(book: str) -> str:
    return f"The book {book}"
