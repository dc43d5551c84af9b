import CClickstream
import ClickstreamAnalytics
import ClickstreamCore

/// Tables of all handles of the process.
enum Handles {
    private struct Tables: Sendable {
        let attributes = HandleTable<Attributes>(of: .attributes)
        let configurations = HandleTable<Settings>(of: .configuration)
        let clients = HandleTable<ClickstreamClient>(of: .client)
        let observers = HandleTable<ObserverRegistration>(of: .observer)
        let drafts = HandleTable<DraftEvent>(of: .draft)
        let owner = OwningProcess()
    }

    private static let tables = ProcessLocal(since: .reset) { Tables() }

    static var attributes: HandleTable<Attributes> { tables.current.attributes }
    static var configurations: HandleTable<Settings> { tables.current.configurations }
    static var clients: HandleTable<ClickstreamClient> { tables.current.clients }
    static var observers: HandleTable<ObserverRegistration> { tables.current.observers }
    static var drafts: HandleTable<DraftEvent> { tables.current.drafts }

    /// False in a child of `fork`, until the library is reset there: a thread of the parent may hold a lock of the tables.
    static var areOurs: Bool { tables.current.owner.isCurrent }

    /// The status of a handle that no table contains.
    static func refusal(of handle: Handle) -> Refusal {
        Refusal(handle.isOfParent ? CLICKSTREAM_CHILD_PROCESS : CLICKSTREAM_INVALID_HANDLE)
    }
}

/// Status other than `CLICKSTREAM_OK` that ends a call.
struct Refusal: Error {
    let status: clickstream_status

    init(_ status: clickstream_status) {
        self.status = status
    }
}

/// Runs the body of a call and returns its status.
@inline(__always)
func status(of body: () throws(Refusal) -> Void) -> clickstream_status {
    guard Handles.areOurs else { return CLICKSTREAM_CHILD_PROCESS }
    do throws(Refusal) {
        try body()
        return CLICKSTREAM_OK
    } catch {
        return error.status
    }
}

/// Returns the value of an output parameter or another required pointer.
@inline(__always)
func required<Value>(_ value: Value?) throws(Refusal) -> Value {
    guard let value else { throw Refusal(CLICKSTREAM_INVALID_ARGUMENT) }
    return value
}

extension HandleTable {
    /// Returns the value of a handle from C.
    @inline(__always)
    func value(_ pointer: OpaquePointer?) throws(Refusal) -> Value {
        guard let handle = Handle(pointer) else { throw Refusal(CLICKSTREAM_INVALID_ARGUMENT) }
        guard let value = value(handle) else { throw Handles.refusal(of: handle) }
        return value
    }

    /// Changes the value of a handle from C in place. `body` is not called for an invalid handle.
    @inline(__always)
    func change<Result: Sendable>(
        _ pointer: OpaquePointer?,
        _ body: (inout Value) -> Result
    ) throws(Refusal) -> Result {
        guard let handle = Handle(pointer) else { throw Refusal(CLICKSTREAM_INVALID_ARGUMENT) }
        guard let result = change(handle, body) else { throw Handles.refusal(of: handle) }
        return result
    }

    /// Adds a value and writes its handle to an output parameter.
    func insert(_ value: Value, into target: UnsafeMutablePointer<OpaquePointer?>) throws(Refusal) {
        guard let handle = insert(value) else { throw Refusal(CLICKSTREAM_TOO_MANY_HANDLES) }
        target.pointee = handle.pointer
    }

    /// Removes the value of a handle from C.
    func release(_ pointer: OpaquePointer?) throws(Refusal) -> Value {
        guard let handle = Handle(pointer) else { throw Refusal(CLICKSTREAM_INVALID_ARGUMENT) }
        guard let value = remove(handle) else { throw Handles.refusal(of: handle) }
        return value
    }
}
