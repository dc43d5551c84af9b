from __future__ import annotations

import atexit
import dataclasses
import enum
import json
import logging
import os
from types import TracebackType
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple, Type, Union

from ._blocking import interruptible
from ._callback import is_running
from ._errors import ClickstreamError, check
from ._library import ffi, lib, record_fast
from ._values import Attributes, Value, checked, checked_items, encoded, utf8

_log = logging.getLogger("clickstream")
_NULL = ffi.NULL
_record = lib.clickstream_record_json_n


@dataclasses.dataclass(frozen=True)
class Report:
    """Result of a flush."""

    #: Events that the server accepted.
    sent: int
    #: Events that are still in the store.
    retained: int
    #: Events set aside as dead letters.
    set_aside: int
    #: Bytes of JSON sent, before compression.
    raw_bytes: int
    #: Bytes of request bodies, including failed attempts.
    sent_bytes: int
    #: Requests made.
    attempts: int
    #: Value of ``clickstream_flush_error``; 0 if no event is left.
    error: int
    #: HTTP status of the last failure, or 0.
    http_status: int
    #: Description of the error, empty if there is none.
    message: str

    @property
    def is_complete(self) -> bool:
        """True if no event is left to send."""
        return self.retained == 0


class NoticeKind(enum.IntEnum):
    """Kind of a notice: ``clickstream_notice_kind``."""

    RECORDED = 1
    CAPTURED = 2
    UNSTORED = 3
    REJECTED = 4
    SESSION = 5
    UPLOADED = 6
    RETAINED = 7
    DELIVERY_REFUSED = 8
    SET_ASIDE = 9
    EVICTED = 10
    WARNING = 11


@dataclasses.dataclass(frozen=True)
class Notice:
    """Notification of an observer; the fields are those of ``clickstream_notice``."""

    kind: int
    code: int
    count: int
    name: str
    json: bytes
    text: str


class Decision(enum.IntEnum):
    """Decision of a person on a purpose: ``clickstream_consent``."""

    UNDECIDED = 0
    GRANTED = 1
    DENIED = 2


class Purpose(enum.IntEnum):
    """Purpose of a decision: ``clickstream_purpose``."""

    #: Recording and sending events, in every format.
    ANALYTICS = 1
    #: The identity of the person: user id and user attributes in the events.
    PERSONALIZATION = 2


@dataclasses.dataclass
class Draft:
    """Event that middleware may change before it is recorded."""

    name: str
    attributes: Dict[str, Value]
    items: List[Dict[str, Value]]


class Observer:
    """Registration of a callback, active until :meth:`cancel`, the end of the client, or that of the interpreter."""

    def __init__(self, handle: Any, callback: Any) -> None:
        self._handle = handle
        # The callback must live as long as the library may call it: it is not released before the process ends.
        _callbacks.append(callback)
        _observers.add(self)

    def cancel(self) -> None:
        """Ends the registration, and waits for a call that is running on another thread, two seconds at most. Repeated calls
        have no effect."""
        _observers.discard(self)
        handle, self._handle = self._handle, None
        if handle is not None:
            check(lib.clickstream_observer_cancel(handle))


_callbacks: List[Any] = []
_observers: Set[Observer] = set()
#: Middleware of open clients: the client's address and handle, and the name.
_middleware: Dict[Tuple[int, bytes], Any] = {}


@atexit.register
def _end_callbacks() -> None:
    """No thread of the library may call an interpreter that has ended. Clients stay open: the library ends them at the exit of
    the process, so that an event of another exit handler, or of a thread that still runs, is stored."""
    for observer in list(_observers):
        try:
            observer.cancel()
        except ClickstreamError:
            # Cancelled by another thread meanwhile.
            pass
    for (_, name), handle in list(_middleware.items()):
        lib.clickstream_remove_middleware(handle, name)


class Client:
    """Analytics client of one app: records, stores and sends events. Thread-safe.

    Settings that are not given come from the environment (``CLICKSTREAM_APP_ID``, ...), then from
    ``amplifyconfiguration.json``, then from the defaults. Docs/configuration.md lists the keys.

    An event is in the page cache of the system when :meth:`record` returns: it survives the death of the process. It is sent
    in the background, by this process or the next. As a context manager, the client sends for at most two seconds at the end,
    unless it is closed already; it sends nothing after KeyboardInterrupt.

    In a child of ``fork`` (multiprocessing, ``gunicorn --preload``) a client of the parent raises ClickstreamError with the status
    14, and what the parent recorded stays the parent's: create a client of the child's own, with the same settings or others.
    """

    def __init__(
        self,
        configuration: Union[Mapping[str, Any], str, None] = None,
        *,
        app_id: Optional[str] = None,
        endpoint: Optional[str] = None,
        storage_directory: Union[str, "os.PathLike[str]", None] = None,
        configuration_file: Union[str, "os.PathLike[str]", None] = None,
        global_attributes: Optional[Attributes] = None,
    ) -> None:
        """Opens the store and records the launch events.

        :param configuration: settings by key, or the content of an ``amplifyconfiguration.json``.
        :raises ClickstreamError: if a setting is missing or invalid, or the store cannot be opened.
        """
        settings = _new_configuration()
        try:
            if configuration is not None:
                if isinstance(configuration, str):
                    text = configuration.encode()
                    check(lib.clickstream_configuration_set_json_n(settings, text, len(text)))
                else:
                    _set_keys(settings, configuration)
            if configuration_file is not None:
                path = os.fsencode(configuration_file)
                check(lib.clickstream_configuration_set_file_n(settings, path, len(path)))
            given: Dict[str, Any] = {
                "appId": app_id,
                "endpoint": endpoint,
                "storageDirectory": None if storage_directory is None else os.fspath(storage_directory),
                "globalAttributes": None if global_attributes is None else checked(global_attributes),
            }
            _set_keys(settings, {key: value for key, value in given.items() if value is not None})
            client = ffi.new("clickstream_client **")
            message = ffi.new("char[1024]")
            status = lib.clickstream_open(settings, client, message, 1024)
            if status:
                raise ClickstreamError(status, ffi.string(message).decode())
            self._handle = client[0]
            self._address = int(ffi.cast("uintptr_t", client[0]))
            # Report of a call of `close` that an exception ended.
            self._interrupted_close: Any = None
        finally:
            lib.clickstream_configuration_release(settings)

    # Recording

    def record(self, name: str, attributes: Optional[Attributes] = None, items: Sequence[Attributes] = ()) -> None:
        """Records an event. On return it survives the death of the process.

        An attribute that is None is omitted.

        :raises ClickstreamError: if the client is closed, or a value is not finite.
        :raises TypeError: for a value that is not a str, int, float, bool or None, or a name that is not a str.
        :raises ValueError: for a name with an unpaired surrogate.
        """
        if not items:
            status = record_fast(self._address, name, attributes)
            if status == 0:
                return
            if status is not None:
                self._check(status)
        text = utf8(name, "name")
        if items:
            own, lists = encoded(checked(attributes or {})), encoded(checked_items(items))
            status = _record(self._handle, text, len(text), own, len(own), lists, len(lists))
        elif attributes:
            own = encoded(checked(attributes))
            status = _record(self._handle, text, len(text), own, len(own), _NULL, 0)
        else:
            status = _record(self._handle, text, len(text), _NULL, 0, _NULL, 0)
        self._check(status)

    def set_global_attributes(self, attributes: Attributes) -> None:
        """Adds attributes to every later event of the process."""
        self._with_list(lib.clickstream_add_global_attributes, attributes)

    def delete_global_attributes(self, names: Iterable[str]) -> None:
        """Removes attributes from every later event.

        :raises TypeError: for a single string, whose characters would be the names.
        """
        if isinstance(names, str):
            raise TypeError("names is a str: pass a list of names")
        for name in names:
            text = utf8(name, "name")
            self._check(lib.clickstream_delete_global_attribute_n(self._handle, text, len(text)))

    def set_user_id(self, user_id: Optional[str]) -> None:
        """Logs a user in, or out with None."""
        if user_id is None:
            self._check(lib.clickstream_set_user_id_n(self._handle, _NULL, 0))
        else:
            text = utf8(user_id, "user_id")
            self._check(lib.clickstream_set_user_id_n(self._handle, text, len(text)))

    def add_user_attributes(self, attributes: Attributes) -> None:
        """Sets attributes of the current user, and stores them on disk."""
        self._with_list(lib.clickstream_add_user_attributes, attributes)

    def screen(self, name: str, screen_id: Optional[str] = None, unique_id: Optional[str] = None) -> None:
        """Reports that a screen appeared."""
        parts = (("name", name), ("screen_id", screen_id), ("unique_id", unique_id))
        texts = [None if text is None else utf8(text, meaning) for meaning, text in parts]
        arguments = [part for text in texts for part in ((_NULL, 0) if text is None else (text, len(text)))]
        self._check(lib.clickstream_screen_n(self._handle, *arguments))

    def foreground(self) -> None:
        """Reports that the app became visible."""
        self._check(lib.clickstream_foreground(self._handle))

    def background(self) -> None:
        """Reports that the app became invisible, and starts a flush."""
        self._check(lib.clickstream_background(self._handle))

    # Consent, erasure and middleware

    def set_consent(self, decision: Decision, *purposes: Purpose) -> None:
        """Stores a person's decision on purposes, and performs its consequences before it returns: Docs/privacy.md has all.

        :raises ClickstreamError: without a purpose.
        """
        combined = 0
        for purpose in purposes:
            combined |= Purpose(purpose)
        self._check(lib.clickstream_set_consent(self._handle, int(Decision(decision)), combined))

    def consent(self, purpose: Purpose) -> Decision:
        """Returns the stored decision on a purpose."""
        decision = ffi.new("clickstream_consent *")
        self._check(lib.clickstream_get_consent(self._handle, int(Purpose(purpose)), decision))
        return Decision(int(decision[0]))

    def erase_all(self) -> None:
        """Removes the identity, all queued events, sessions and decisions from the disk, and continues as a new installation."""
        self._check(lib.clickstream_erase_all(self._handle))

    def add_middleware(self, name: str, function: Callable[[Draft], Optional[Draft]]) -> None:
        """Adds a function that sees each event of the app before it is validated, after the functions added before.

        It returns the event, which it may change, or None to drop it; both are counted by the name of the function. An event for
        which it raises is dropped, since it may be private, and the exception is logged. It must not record. Threads call it at
        the same time. A function of the same name is replaced.
        """
        text = utf8(name, "name")

        def call(draft: Any, json_text: Any, length: int, context: Any) -> int:
            token = is_running.set(True)
            try:
                event = json.loads(ffi.buffer(json_text, length)[:])
                copy = Draft(event["name"], dict(event["attributes"]), [dict(item) for item in event["items"]])
                changed = function(copy)
                if changed is None:
                    return int(lib.CLICKSTREAM_DROP)
                if changed != Draft(event["name"], event["attributes"], event["items"]):
                    changes = encoded(
                        {
                            "name": changed.name,
                            "attributes": checked(changed.attributes),
                            "items": checked_items(changed.items),
                        }
                    )
                    self._check(lib.clickstream_draft_set_json_n(draft, changes, len(changes)))
                return int(lib.CLICKSTREAM_KEEP)
            except Exception:
                _log.exception("middleware %s failed: the event is dropped", name)
                return int(lib.CLICKSTREAM_DROP)
            finally:
                is_running.reset(token)

        callback = ffi.callback("clickstream_middleware", call, error=lib.CLICKSTREAM_DROP)
        _callbacks.append(callback)
        self._check(lib.clickstream_add_middleware(self._handle, text, callback, _NULL, _NULL))
        _middleware[self._address, text] = self._handle

    def remove_middleware(self, name: str) -> None:
        """Removes a function, and waits for calls that are running on other threads, two seconds at most.

        :raises ClickstreamError: if there is none of that name.
        """
        text = utf8(name, "name")
        _middleware.pop((self._address, text), None)
        self._check(lib.clickstream_remove_middleware(self._handle, text))

    # Switches

    def disable(self) -> None:
        """Stops recording and sending."""
        self._check(lib.clickstream_disable(self._handle))

    def enable(self) -> None:
        """Resumes recording and sending."""
        self._check(lib.clickstream_enable(self._handle))

    @property
    def is_enabled(self) -> bool:
        """True if events are recorded."""
        enabled = ffi.new("bool *")
        self._check(lib.clickstream_is_enabled(self._handle, enabled))
        return bool(enabled[0])

    # Configuration

    @property
    def configuration(self) -> Dict[str, Any]:
        """Current settings by key; contains the authentication cookie."""
        target = ffi.new("clickstream_configuration **")
        self._check(lib.clickstream_client_configuration(self._handle, target))
        try:
            length = ffi.new("size_t *")
            lib.clickstream_configuration_get_json(target[0], _NULL, 0, length)
            buffer = ffi.new("char[]", length[0] + 1)
            self._check(lib.clickstream_configuration_get_json(target[0], buffer, length[0] + 1, length))
            settings: Dict[str, Any] = json.loads(ffi.string(buffer))
            return settings
        finally:
            lib.clickstream_configuration_release(target[0])

    def configure(self, **settings: Any) -> None:
        """Changes settings by key, such as ``sessionTimeoutDuration=60000``, from the next call on.

        :raises ClickstreamError: for an unknown key or a value that it does not accept, with its name; nothing is changed then.
        """
        target = _new_configuration()
        try:
            _set_keys(target, settings)
            self._check(lib.clickstream_client_configure(self._handle, target))
        finally:
            lib.clickstream_configuration_release(target)

    # Delivery

    def flush_soon(self) -> None:
        """Starts sending, and returns immediately."""
        self._check(lib.clickstream_flush_soon(self._handle))

    def flush(self, timeout: Optional[float] = None) -> Report:
        """Sends queued events, and returns the result.

        On the main thread an exception of a signal handler, such as KeyboardInterrupt, ends the call at once. Sending continues
        in the background until the timeout; events that are not sent stay in the store.

        :param timeout: seconds after which the call returns; None for no limit.
        """
        report = ffi.new("clickstream_report *")
        deadline = -1 if timeout is None else _milliseconds(timeout)
        self._check(interruptible(lib.clickstream_flush, self._handle, deadline, report))
        return _report(report)

    def close(self, timeout: float = 0) -> Report:
        """Records the end of the app and closes the store. Events that are not sent are sent by the next process.

        On the main thread an exception of a signal handler, such as KeyboardInterrupt, ends the call at once. The client is
        closed then, too: sending continues in the background until the timeout or the end of the process, and another call
        returns at once.

        :param timeout: seconds for sending queued events first; 0 sends nothing.
        """
        report = ffi.new("clickstream_report *")
        try:
            status = interruptible(lib.clickstream_close, self._handle, _milliseconds(timeout), report)
        except BaseException:
            self._interrupted_close = report
            raise
        if status == lib.CLICKSTREAM_INVALID_HANDLE and self._interrupted_close is not None:
            return _report(self._interrupted_close)
        self._check(status)
        for key in [key for key in list(_middleware) if key[0] == self._address]:
            _middleware.pop(key, None)
        return _report(report)

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            # A request in flight delays the end by two seconds: it ends in the background.
            interruptible(lib.clickstream_close, self._handle, 0, _NULL, limit=0.1)
            return
        # The body may have closed the client, or ended in a child of fork. An error here would hide that of the body.
        try:
            self.close(timeout=2)
        except ClickstreamError as refused:
            if refused.status not in (lib.CLICKSTREAM_INVALID_HANDLE, lib.CLICKSTREAM_CHILD_PROCESS):
                raise

    # Observation

    def observe(self, callback: Callable[[Notice], None]) -> Observer:
        """Calls ``callback`` with every notice of the client, on the thread that caused it.

        An exception of the callback is logged and ignored. The callback must not call :meth:`flush` or :meth:`close`. What it
        logs is not recorded by a :class:`ClickstreamHandler`.
        """

        if not callable(callback):
            raise TypeError(f"callback {callback!r} cannot be called")

        def call(notice: Any, context: Any) -> None:
            token = is_running.set(True)
            try:
                callback(
                    Notice(
                        notice.kind,
                        notice.code,
                        notice.count,
                        ffi.buffer(notice.name, notice.name_length)[:].decode(),
                        ffi.buffer(notice.json, notice.json_length)[:],
                        ffi.buffer(notice.text, notice.text_length)[:].decode(),
                    )
                )
            except Exception:
                _log.exception("observer failed")
            finally:
                is_running.reset(token)

        function = ffi.callback("clickstream_callback", call)
        handle = ffi.new("clickstream_observer **")
        self._check(lib.clickstream_observe(self._handle, function, _NULL, _NULL, handle))
        return Observer(handle[0], function)

    def _with_list(self, function: Callable[[Any, Any], int], attributes: Attributes) -> None:
        text = encoded(checked(attributes))
        target = ffi.new("clickstream_attributes **")
        check(lib.clickstream_attributes_create_json_n(text, len(text), target))
        try:
            self._check(function(self._handle, target[0]))
        finally:
            lib.clickstream_attributes_release(target[0])

    def _check(self, status: int) -> None:
        """Raises the error of a status of this client's handle."""
        if status == lib.CLICKSTREAM_INVALID_HANDLE:
            raise ClickstreamError(status, "the client is closed")
        if status == lib.CLICKSTREAM_CHILD_PROCESS:
            raise ClickstreamError(status, "the client belongs to the parent of this process: create one after the fork")
        check(status)


def _reset_after_fork() -> None:
    _observers.clear()
    _middleware.clear()
    lib.clickstream_reset_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)


def _new_configuration() -> Any:
    """Returns a handle of an empty configuration, or raises the reason why there is none."""
    settings = lib.clickstream_configuration_create()
    if settings == _NULL:
        # Every function with a status refuses a child of fork first, before it checks the handle.
        is_child = lib.clickstream_configuration_release(_NULL) == lib.CLICKSTREAM_CHILD_PROCESS
        raise ClickstreamError(lib.CLICKSTREAM_CHILD_PROCESS if is_child else lib.CLICKSTREAM_TOO_MANY_HANDLES)
    return settings


def _set_keys(target: Any, settings: Mapping[str, Any]) -> None:
    """Sets keys of a configuration, which is not to be used if this raises. An error names the key."""
    for key, value in settings.items():
        text = encoded({key: value})
        status = lib.clickstream_configuration_set_json_n(target, text, len(text))
        if status:
            raise ClickstreamError(status, repr(key))


def _milliseconds(seconds: float) -> int:
    """Milliseconds of a timeout, at most 30 years: infinity has no integer. Not a number counts as 0."""
    return int(min(max(0.0, seconds), 1e9) * 1000)


def _report(report: Any) -> Report:
    return Report(
        report.sent, report.retained, report.set_aside, report.raw_bytes, report.sent_bytes, report.attempts,
        int(report.error), report.http_status, ffi.string(report.message).decode(errors="replace"),
    )
