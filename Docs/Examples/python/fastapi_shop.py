import functools
import os
from typing import Awaitable, Callable

import clickstream
import fastapi

client_of = functools.cache(lambda process: clickstream.Client())
app = fastapi.FastAPI()


@app.middleware("http")
async def record_request(request: fastapi.Request, respond: Callable[[fastapi.Request], Awaitable[fastapi.Response]]) -> fastapi.Response:
    response = await respond(request)
    client_of(os.getpid()).record("request", {"path": request.url.path, "status": response.status_code})
    return response


@app.get("/books/{book}")
async def show(book: str) -> str:
    return f"The book {book}"
