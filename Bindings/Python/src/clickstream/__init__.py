"""Product analytics that survive a crash: Python interface of the Clickstream SDK.

>>> import clickstream
>>> with clickstream.Client(app_id="shop", endpoint="http://127.0.0.1:9090/collect") as client:
...     client.record("add_to_cart", {"category": "shoes", "value": 279.9})
"""
from ._client import Client, Decision, Draft, Notice, NoticeKind, Observer, Purpose, Report
from ._errors import ClickstreamError
from ._handler import ClickstreamHandler
from ._library import version
from ._values import Attributes, Value

__all__ = [
    "Attributes", "Client", "ClickstreamError", "ClickstreamHandler", "Decision", "Draft", "Notice", "NoticeKind", "Observer", "Purpose",
    "Report", "Value", "version",
]
__version__ = version()
