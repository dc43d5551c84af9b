from __future__ import annotations

from ._library import ffi, lib


class ClickstreamError(ValueError):
    """A call was refused. Mistakes in names and values of events are not errors: observers receive them."""

    def __init__(self, status: int, message: str = "") -> None:
        self.status = status
        text = ffi.string(lib.clickstream_status_text(status)).decode()
        super().__init__(f"{text}: {message}" if message else text)


def check(status: int) -> None:
    if status:
        raise ClickstreamError(status)
