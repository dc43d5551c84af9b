/// Mutex that owns a ``Recorder``, clock of its inputs, and queue of its notices to the observers.
package final class SharedRecorder: Sendable {
    private let recorder: Locked<Recorder>
    private let time: any TimeSource
    private let observers: Locked<[NoticeObserver]>
    private let outbox = Locked(Outbox())

    /// Begins a flush; see ``setFlush(_:)``.
    private let flush = Locked<(@Sendable () -> Void)?>(nil)

    private struct Outbox: Sendable {
        var waiting: [(notice: Notice, isLogged: Bool)] = []
        var isDelivering = false
    }

    init(
        _ recorder: consuming sending Recorder,
        time: any TimeSource,
        observe: (@Sendable (Notice) -> Void)?
    ) {
        self.recorder = Locked(recorder)
        self.time = time
        observers = Locked(observe.map { [NoticeObserver($0)] } ?? [])
        change { _ in }
    }

    /// Changes the recorder under the lock, then delivers its notices outside the lock.
    package func change<Result: Sendable>(_ body: (inout Recorder) -> Result) -> Result {
        let (result, hasNotices) = recorder.withLock { recorder in
            let result = body(&recorder)
            return (result, postNotices(of: &recorder))
        }
        if hasNotices { deliver() }
        return result
    }

    /// Passes an input to the recorder, with its time, under the lock; then, outside the lock, delivers the notices, and begins
    /// a flush if the input requests one.
    /// - Parameter moment: the time of the input; `nil` for now.
    package func receive<Result: Sendable>(
        at moment: Moment? = nil,
        _ body: (inout Recorder, Moment) -> Result
    ) -> Result {
        receive(at: moment, time: time, body)
    }

    /// - Parameter time: ``time``, as a parameter: a clock that is read from this object costs two reference counts more, since the
    ///   compiler copies what `body` captures.
    @inline(__always)
    private func receive<Result: Sendable>(
        at moment: Moment?,
        time: any TimeSource,
        _ body: (inout Recorder, Moment) -> Result
    ) -> Result {
        let (result, requestsFlush) = change { recorder in
            let moment = moment ?? time.now()
            let isDeparture = recorder.receiveInput(at: moment)
            let result = body(&recorder, moment)
            return (result, isDeparture && recorder.access.lifecycle.visibility != .ended)
        }
        if requestsFlush { flush.withLock { $0 }?() }
        return result
    }

    /// Sets the call that begins a flush, for a recorder that requests one. Made outside the lock.
    package func setFlush(_ flush: @escaping @Sendable () -> Void) {
        self.flush.withLock { $0 = flush }
    }

    /// Delivers a notice that did not come from the recorder.
    func note(_ notice: Notice) {
        change { $0.access.note(notice) }
    }

    /// Adds an observer, from the next notice on.
    package func add(_ observer: NoticeObserver) {
        observers.withLock { observers in
            observers.removeAll { $0.isCancelled }
            observers.append(observer)
        }
        change { $0.access.observeLines() }
    }

    /// Reads the recorder under the lock.
    package func read<Result: Sendable>(_ body: (borrowing Recorder) -> Result) -> Result {
        recorder.withLock { body($0) }
    }

    /// Queues the recorder's notices, in the order of the lock.
    /// - Returns: false if there are none.
    private func postNotices(of recorder: inout Recorder) -> Bool {
        let notices = recorder.access.finish()
        if notices.isEmpty { return false }
        let logsEvents = recorder.configuration.logsEvents
        outbox.withLock { outbox in
            for notice in notices { outbox.waiting.append((notice, logsEvents)) }
        }
        return true
    }

    /// Delivers the queued notices. One thread at a time, which keeps the order; it also delivers those that other
    /// threads queue meanwhile.
    package func deliver() {
        while true {
            let notices: [(notice: Notice, isLogged: Bool)] = outbox.withLock { outbox in
                guard !outbox.isDelivering, !outbox.waiting.isEmpty else { return [] }
                outbox.isDelivering = true
                defer { outbox.waiting.removeAll() }
                return outbox.waiting
            }
            guard !notices.isEmpty else { return }
            let observers = observers.withLock { $0 }
            for (notice, isLogged) in notices {
                for observer in observers { observer.notify(notice) }
                Diagnostics.log(notice, events: isLogged)
            }
            outbox.withLock { $0.isDelivering = false }
        }
    }
}
