import CClickstreamHardware
import CClickstreamProcess
import Synchronization

/// The lock that owns a ``Recorder``, and the way its notices take to the observer.
package final class SharedRecorder: Sendable {
    private let recorder: Locked<Recorder>
    private let observers: Locked<[NoticeObserver]>
    private let outbox = Locked(Outbox())
    /// Calls whose threads found the lock taken.
    private let waiting = WaitingCalls()
    /// Whether a thread has the lock, as a hint: to ask the lock itself costs a system call when one has.
    private let isTaken = Atomic<Bool>(false)
    /// The thread that records for the others, 0 while there is none: they let it come first.
    private let combiner = Atomic<UInt>(0)
    /// How often nobody waited for that thread since somebody did.
    private let missed = Atomic<Int>(0)

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
            isTaken.store(true, ordering: .relaxed)
            defer { isTaken.store(false, ordering: .relaxed) }
            let result = body(&recorder)
            return (result, postNotices(of: &recorder))
        }
        if isTold { deliver() }
        return result
    }

    /// Records an event: as ``change(_:)`` with ``Recorder/record(_:_:_:at:)``, and where threads want to record at once, one
    /// of them does it for all ("flat combining", Hendler, Incze, Shavit and Tzafrir 2010). So the recorder stays in one
    /// processor's cache, and what goes from one to the other is no more than what the caller says.
    func record(_ name: String, _ attributes: Attributes, _ attempt: FastPathEvent.Attempt, time: any TimeSource) {
        let combiner = combiner.load(ordering: .relaxed)
        let isTold =
            combiner == 0 || combiner == clickstream_thread()
            ? changeIfAvailable { recorder in
                Self.record(name, attributes, attempt, time: time, in: &recorder)
                return recordWaiting(in: &recorder, time: time)
            } : nil
        if isTold ?? recordWhenPossible(name, attributes, attempt, time: time) { deliver() }
    }

    /// - Returns: `nil` if another thread has the lock.
    @inline(__always)
    private func changeIfAvailable(_ body: (inout Recorder) -> Bool) -> Bool? {
        guard !isTaken.load(ordering: .relaxed) else { return nil }
        return recorder.withLockIfAvailable { recorder in
            isTaken.store(true, ordering: .relaxed)
            defer { isTaken.store(false, ordering: .relaxed) }
            return body(&recorder)
        }
    }

    @inline(never)
    private static func record(
        _ name: String,
        _ attributes: Attributes,
        _ attempt: FastPathEvent.Attempt,
        time: any TimeSource,
        in recorder: inout Recorder
    ) {
        recorder.record(name, attributes, attempt, at: time.now())
    }

    /// Another thread records or soon will: it may record this, too; otherwise this thread does as soon as it can.
    @inline(never)
    private func recordWhenPossible(
        _ name: String,
        _ attributes: Attributes,
        _ attempt: FastPathEvent.Attempt,
        time: any TimeSource
    ) -> Bool {
        withUnsafeTemporaryAllocation(of: WaitingCall.self, capacity: 1) { memory in
            // One element is there.
            let call = memory.baseAddress.unsafelyUnwrapped
            call.initialize(to: WaitingCall(name: name, attributes: attributes, attempt: attempt))
            defer { call.deinitialize(count: 1) }
            waiting.add(call)
            var turnsFree = 0
            for _ in 1...Self.turns {
                if let isTold = call.pointee.outcome { return isTold }
                clickstream_pause()
                turnsFree = isTaken.load(ordering: .relaxed) ? 0 : turnsFree + 1
                guard turnsFree >= Self.patience else { continue }
                turnsFree = 0
                if let isTold = changeIfAvailable({ recordWaiting(in: &$0, with: call, time: time) }) { return isTold }
            }
            // Whoever has the lock is doing something else, or does not run: sleep until it is free.
            return change { recordWaiting(in: &$0, with: call, time: time) }
        }
    }

    /// Pauses, of 5 to 50 ns on the processors of today, after which a thread that waits goes to sleep: many times what an
    /// event takes.
    private static let turns = 1_024
    /// Pauses for which nobody records, until a thread that waits does: what lies between two calls of another.
    private static let patience = 40
    /// Calls for which nobody waited, until the others do not let their thread come first.
    private static let missesOfCombiner = 8

    /// Records for the threads that wait, in the order in which they came. Afterwards nobody waits who did before: who took
    /// a call from the list has recorded it when the lock is free again.
    /// - Parameter own: the call of this thread, if it waits.
    /// - Returns: whether there is something to deliver.
    private func recordWaiting(
        in recorder: inout Recorder,
        with own: UnsafeMutablePointer<WaitingCall>? = nil,
        time: any TimeSource
    ) -> Bool {
        guard !waiting.isEmpty else {
            if combiner.load(ordering: .relaxed) != 0,
                missed.wrappingAdd(1, ordering: .relaxed).newValue > Self.missesOfCombiner
            {
                combiner.store(0, ordering: .relaxed)
            }
            return postNotices(of: &recorder)
        }
        var first = waiting.takeAll()
        var recordsForOthers = false
        var next = first
        while let call = next {
            Self.record(call.pointee.name, call.pointee.attributes, call.pointee.attempt, time: time, in: &recorder)
            if call != own { recordsForOthers = true }
            next = call.pointee.next
        }
        combiner.store(recordsForOthers ? clickstream_thread() : 0, ordering: .relaxed)
        missed.store(0, ordering: .relaxed)
        let isTold = postNotices(of: &recorder)
        while let call = first {
            first = call.pointee.next
            call.pointee.end(isTold: isTold)
        }
        return isTold
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

    /// Puts the recorder's notices in line, in the order of the lock.
    /// - Returns: whether there were any.
    private func postNotices(of recorder: inout Recorder) -> Bool {
        let notices = recorder.finish()
        if notices.isEmpty { return false }
        let logsEvents = recorder.settings.configuration.logsEvents
        outbox.withLock { outbox in
            for notice in notices { outbox.waiting.append((notice, logsEvents)) }
        }
        return true
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
