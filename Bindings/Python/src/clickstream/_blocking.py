"""Calls of library functions that block."""
from __future__ import annotations

import threading
from typing import Any, Callable, List

from ._callback import is_running


def interruptible(function: Callable[..., int], *arguments: Any, limit: float = threading.TIMEOUT_MAX) -> int:
    """Calls a library function, and returns its status.

    Python runs signal handlers on the main thread only, between two bytecodes: not while that thread is in the library. The
    main thread therefore waits for a thread of the call's own. An exception of a signal handler, such as KeyboardInterrupt,
    ends the wait; the call continues on its thread, and does not prevent the end of the interpreter.

    :param limit: seconds after which the wait ends with the status 0; the call continues then, too.
    """
    # In a callback the library refuses to block, by the thread of the call.
    if is_running.get() or threading.get_ident() != threading.main_thread().ident:
        return function(*arguments)
    statuses: List[int] = []
    done = threading.Event()

    def call() -> None:
        try:
            statuses.append(function(*arguments))
        finally:
            done.set()

    try:
        threading.Thread(target=call, name="clickstream", daemon=True).start()
    except RuntimeError:
        # The system has no thread left, or the interpreter is ending.
        return function(*arguments)
    return statuses[0] if done.wait(limit) else 0
