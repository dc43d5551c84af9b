import Synchronization

/// An event whose caller found the recorder taken by another thread, on the caller's stack until it is recorded.
struct WaitingCall: ~Copyable {
    let name: String
    let attributes: Attributes
    let attempt: FastPathEvent.Attempt
    /// The call that came before; once they are taken, the one that came after.
    fileprivate(set) var next: UnsafeMutablePointer<WaitingCall>?
    private var isTold = false
    private let isDone = Atomic<Bool>(false)

    init(name: String, attributes: Attributes, attempt: FastPathEvent.Attempt) {
        self.name = name
        self.attributes = attributes
        self.attempt = attempt
    }

    /// Whether recording it left something to tell the observers; `nil` while it is not recorded.
    var outcome: Bool? { isDone.load(ordering: .acquiring) ? isTold : nil }

    /// It is recorded: its caller goes on, and takes the memory away.
    mutating func end(isTold: Bool) {
        self.isTold = isTold
        isDone.store(true, ordering: .releasing)
    }
}

/// The calls that wait, as a list that threads put themselves on without a lock.
struct WaitingCalls: ~Copyable {
    /// The call that came last.
    private let last = Atomic<UnsafeMutablePointer<WaitingCall>?>(nil)

    var isEmpty: Bool { last.load(ordering: .relaxed) == nil }

    /// - Parameter call: stays where it is until it is done.
    func add(_ call: UnsafeMutablePointer<WaitingCall>) {
        var before = last.load(ordering: .relaxed)
        while true {
            call.pointee.next = before
            let (isExchanged, now) = last.weakCompareExchange(
                expected: before,
                desired: call,
                successOrdering: .releasing,
                failureOrdering: .relaxed
            )
            if isExchanged { return }
            before = now
        }
    }

    /// - Returns: the first of all, in the order in which they came.
    func takeAll() -> UnsafeMutablePointer<WaitingCall>? {
        var rest = last.exchange(nil, ordering: .acquiring)
        var first: UnsafeMutablePointer<WaitingCall>?
        while let call = rest {
            rest = call.pointee.next
            call.pointee.next = first
            first = call
        }
        return first
    }
}

// A call is touched by its own thread until it is added and once it is done, and in between by the one that took it.
extension WaitingCalls: @unchecked Sendable {}
