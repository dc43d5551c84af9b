from __future__ import annotations

import logging
import sys
from typing import Any, Callable, Dict, Mapping

from ._callback import is_running
from ._client import Client, Notice
from ._errors import ClickstreamError
from ._library import lib
from ._values import Value

#: Attribute of log records that are not recorded by any handler; kept by ``logging.handlers.QueueHandler``.
_MARK = "clickstream_excluded"


class ClickstreamHandler(logging.Handler):
    """Logging handler that records each log record as an event.

    The event has the attributes ``logger``, ``level``, ``message`` (at most 1 024 characters), ``module`` and ``line``, and
    ``exception`` with the exception's type.

    Not recorded, since the event could cause the next log record without end: what an observer or middleware logs, also
    through a ``QueueHandler``; records with a :class:`Notice` as message, argument or ``extra``, on any thread; records of the
    logger ``clickstream`` and of the loggers below it. An observer that hands a notice's texts to another thread, which logs
    them, uses such a logger there.

    Once the client is closed, and in a child of ``fork`` that inherits it, nothing is recorded: one line on standard error
    reports it.
    """

    def __init__(self, client: Client, event: str = "log", level: int = logging.WARNING) -> None:
        super().__init__(level)
        self._client = client
        self._event = event
        self._is_refusal_reported = False
        _mark_records()

    def emit(self, record: logging.LogRecord) -> None:
        if _is_excluded(record):
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
        except ClickstreamError as refused:
            if refused.status in (lib.CLICKSTREAM_INVALID_HANDLE, lib.CLICKSTREAM_CHILD_PROCESS):
                self._report(refused)
            else:
                self.handleError(record)
        except Exception:
            self.handleError(record)

    def _report(self, refused: ClickstreamError) -> None:
        """Writes one line to standard error, for the first record that is refused; under the conditions of ``handleError``."""
        if self._is_refusal_reported or not logging.raiseExceptions or not sys.stderr:
            return
        self._is_refusal_reported = True
        try:
            sys.stderr.write(f"Clickstream: warning: log records are no longer recorded: {refused}\n")
        except (OSError, ValueError):
            # Standard error is closed.
            pass


def _is_excluded(record: logging.LogRecord) -> bool:
    """True if the record may be caused by an event, or contains a notice."""
    if is_running.get() or hasattr(record, _MARK) or f"{record.name}.".startswith("clickstream."):
        return True
    # The fields are the message and those of `extra`.
    arguments = record.args.values() if isinstance(record.args, Mapping) else record.args or ()
    return any(isinstance(value, Notice) for value in (*record.__dict__.values(), *arguments))


_marks_records = False


def _mark_records() -> None:
    """Marks excluded log records when they are made: a handler behind a queue runs on another thread, without arguments."""
    global _marks_records
    if _marks_records:
        return
    _marks_records = True
    make: Callable[..., logging.LogRecord] = logging.getLogRecordFactory()

    def marked(*arguments: Any, **options: Any) -> logging.LogRecord:
        record = make(*arguments, **options)
        if _is_excluded(record):
            setattr(record, _MARK, True)
        return record

    logging.setLogRecordFactory(marked)
