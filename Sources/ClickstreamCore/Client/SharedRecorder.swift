/// The lock that owns a ``Recorder``, and the way its notices take to the observer.
package final class SharedRecorder: Sendable {
    private let recorder: Locked<Recorder>
    private let observers: Locked<[NoticeObserver]>
    private let outbox = Locked(Outbox())

    private struct Outbox: Sendable {
        var waiting: [(notice: Notice, isLogged: Bool)] = []
        var isDelivering = false
    }

    package init(_ recorder: consuming sending Recorder, observe: (@Sendable (Notice) -> Void)?) {
        self.recorder = Locked(recorder)
        observers = Locked(observe.map { [NoticeObserver($0)] } ?? [])
        change { _ in }
    }

    /// Changes the recorder under the lock, then tells the observer what there is to tell, outside it.
    package func change<Result: Sendable>(_ body: (inout Recorder) -> Result) -> Result {
        let (result, isTold) = recorder.withLock { recorder in
            let result = body(&recorder)
            let notices = recorder.takeNotices()
            if notices.isEmpty { return (result, false) }
            post(notices, logsEvents: recorder.configuration.logsEvents)
            return (result, true)
        }
        if isTold { deliver() }
        return result
    }

    /// Tells somebody else, too, from the next notice on.
    package func add(_ observer: NoticeObserver) {
        observers.withLock { observers in
            observers.removeAll { $0.isCancelled }
            observers.append(observer)
        }
        change { $0.observeLines() }
    }

    /// Looks at the recorder under the lock.
    package func read<Result: Sendable>(_ body: (borrowing Recorder) -> Result) -> Result {
        recorder.withLock { body($0) }
    }

    /// Puts notices in line, in the order of the lock.
    private func post(_ notices: [Notice], logsEvents: Bool) {
        outbox.withLock { outbox in
            for notice in notices { outbox.waiting.append((notice, logsEvents)) }
        }
    }

    /// Tells the observer what waits. One thread at a time does, so that the order is kept; the others leave it to that one.
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
                for observer in observers { observer.tell(notice) }
                Diagnostics.log(notice, events: isLogged)
            }
            outbox.withLock { $0.isDelivering = false }
        }
    }
}
