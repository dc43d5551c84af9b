from __future__ import annotations

import logging
from typing import Dict

from ._client import Client
from ._values import Value


class ClickstreamHandler(logging.Handler):
    """Logging handler that records each log record as an event.

    The event has the attributes ``logger``, ``level``, ``message`` (at most 1 024 characters), ``module`` and ``line``, and
    ``exception`` with the exception's type.
    """

    def __init__(self, client: Client, event: str = "log", level: int = logging.WARNING) -> None:
        super().__init__(level)
        self._client = client
        self._event = event

    def emit(self, record: logging.LogRecord) -> None:
        # Messages of the binding itself would record events without end.
        if record.name == "clickstream":
            return
        try:
            attributes: Dict[str, Value] = {
                "logger": record.name,
                "level": record.levelname,
                "message": self.format(record)[:1024],
                "module": record.module,
                "line": record.lineno,
            }
            if record.exc_info and record.exc_info[0]:
                attributes["exception"] = record.exc_info[0].__name__
            self._client.record(self._event, attributes)
        except Exception:
            self.handleError(record)
