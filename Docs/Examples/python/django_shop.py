import functools
import os
from typing import Callable

import clickstream
from django.http import HttpRequest, HttpResponse

client_of = functools.cache(lambda process: clickstream.Client())


def record_requests(respond: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    def middleware(request: HttpRequest) -> HttpResponse:
        response = respond(request)
        client_of(os.getpid()).record("request", {"path": request.path, "status": response.status_code})
        return response

    return middleware
