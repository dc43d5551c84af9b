import CClickstream
import ClickstreamAnalytics
import ClickstreamCore

/// Client of a call: the process's, which may not be running yet, or a further one.
enum ClientReference {
    case process
    case further(ClickstreamClient)

    @inline(__always)
    init(_ pointer: OpaquePointer?) throws(Refusal) {
        if let handle = Handle(pointer), handle == .defaultClient {
            self = .process
        } else {
            self = .further(try Handles.clients.value(pointer))
        }
    }

    /// The client, which must be running.
    var running: ClickstreamClient {
        get throws(Refusal) {
            switch self {
            case .further(let client): return client
            case .process:
                guard let client = ClickstreamAnalytics.client else { throw Refusal(CLICKSTREAM_NOT_RUNNING) }
                return client
            }
        }
    }
}
