"""Context of calls from the library into Python."""
from __future__ import annotations

import contextvars

#: True in an observer's callback, in middleware, and in the asyncio tasks that they start.
is_running: contextvars.ContextVar[bool] = contextvars.ContextVar("clickstream_callback", default=False)
