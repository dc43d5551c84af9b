import ClickstreamCore

/// Delivery of notices to observers and to standard error. Thread-safe.
final class ServerNotices: Sendable {
    private let observers: Locked<[NoticeObserver]>

    init(_ observe: (@Sendable (Notice) -> Void)?) {
        observers = Locked(observe.map { [NoticeObserver($0)] } ?? [])
    }

    func add(_ observer: NoticeObserver) {
        observers.withLock { observers in
            observers.removeAll { $0.isCancelled }
            observers.append(observer)
        }
    }

    /// Calls all observers, on the calling thread, outside every lock.
    func post(_ notices: [Notice], printsEvents: Bool) {
        let observers = observers.withLock { $0 }
        for notice in notices {
            for observer in observers { observer.notify(notice) }
            Diagnostics.log(notice, events: printsEvents)
        }
    }
}
