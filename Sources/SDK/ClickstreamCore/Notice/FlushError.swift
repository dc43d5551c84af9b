/// The reason for which a flush left events in the queue. The events are kept.
///
/// Further cases may be added: a `switch` outside this package needs `@unknown default`. ``description`` is a text for a
/// person, and may change.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public indirect enum FlushError: Error, Sendable, Hashable {
    /// The client was created without a transport.
    case noTransport
    /// Recording and sending are disabled.
    case disabled
    /// No endpoint is configured.
    case noEndpoint
    /// The configured endpoint is not a URL that requests can be sent to.
    case invalidEndpoint(reason: String)
    /// The client has ended.
    case clientEnded
    /// The process is a child of `fork`; the client belongs to its parent.
    case childProcess
    /// The device is offline, as reported by ``ClickstreamClient/setOnline(_:)``.
    case offline
    /// Another process is delivering the events of this store.
    case storeInUse
    /// The deadline of the flush has passed. `after` is the last failure before it, `nil` if there was none.
    case deadlinePassed(after: FlushError?)
    /// The pause after a failure has not ended. `for` is the time left, in whole milliseconds, and `after` the failure.
    case pausing(for: Duration, after: FlushError?)
    /// The server redirects to another address (3xx). Redirects are not followed.
    case redirected(status: Int, location: String?)
    /// The server does not accept this app (401, 403).
    case unauthorized(status: Int)
    /// A web page came in place of the server's reply: 2xx with the content type `text/html`, as of a captive portal or a
    /// proxy.
    case webPage(status: Int)
    /// The server answered with another status than 2xx.
    case status(Int)
    /// The server refuses a body of this size (413).
    case tooLarge(bytes: Int)
    /// The server refuses too many parts of a batch to find the events at fault in one search.
    case tooManyRefusals(FlushError)
    /// The server refuses every part of a batch: the fault is not that of an event.
    case everythingRefused(FlushError)
    /// There was no connection, or no complete reply.
    case transport(TransportError)
    /// The store on disk cannot be read or written.
    case store(StoreError)
    /// The flush ended before all events were sent, for no other reason.
    case interrupted
}

extension FlushError {
    /// The error of a file in the store. A path there that is not a folder is not the store's own, which
    /// ``StoreError/notFolder(path:)`` is about.
    init(_ error: FileError) {
        let mapped = StoreError(error)
        if case .notFolder = mapped { self = .store(.failed(error)) } else { self = .store(mapped) }
    }

    /// True if the deadline of the flush has passed.
    package var isDeadline: Bool {
        if case .deadlinePassed = self { true } else { false }
    }

    /// The failure before the deadline or the pause; otherwise this error itself. `nil` if the deadline passed without a failure.
    package var failure: FlushError? {
        switch self {
        case .deadlinePassed(let failure), .pausing(_, let failure): failure?.failure
        default: self
        }
    }

    /// True if the server accepts nothing from this client until an endpoint, an app id or a cookie changes.
    var isClientRefused: Bool {
        switch self {
        case .redirected, .unauthorized: true
        default: false
        }
    }

    /// True if a web page came in place of the server's reply.
    var isWebPage: Bool {
        if case .webPage = self { true } else { false }
    }
}

extension FlushError: CustomStringConvertible {
    /// One line for a person.
    public var description: String {
        switch self {
        case .noTransport: "nothing is sent: this client has no transport"
        case .disabled: "recording and sending are disabled"
        case .noEndpoint: "no endpoint is configured"
        case .invalidEndpoint(let reason): "the endpoint cannot be used: \(reason)"
        case .clientEnded: "the client has ended"
        case .childProcess: "this process is a child of fork, and the client belongs to its parent"
        case .offline: "the device is offline"
        case .storeInUse: "another process is delivering"
        case .deadlinePassed(nil): "the deadline has passed"
        case .deadlinePassed(let failure?): "\(failure); the deadline has passed"
        case .pausing(let pause, let failure):
            "waiting \(pause.wholeMilliseconds) ms after a failure: \(failure?.description ?? "")"
        case .redirected(let status, let location):
            "the server redirects\(location.map { " to \($0)" } ?? "") (\(status)): configure the endpoint it names"
        case .unauthorized(let status):
            "the server denies access (\(status)): check app id, endpoint path and auth cookie"
        case .webPage(let status):
            "the response is a web page (\(status), text/html), as of a captive portal or a proxy: "
                + "log in to the network, or correct the endpoint"
        case .status(let status): "the server responded with \(status)"
        case .tooLarge(let bytes): "the server refuses \(bytes) bytes as too large (413)"
        case .tooManyRefusals(let refusal): "\(refusal), to too many parts of a batch"
        case .everythingRefused(let refusal): "\(refusal), to every part of a batch: its fault, not that of an event"
        case .transport(let error): "\(error)"
        case .store(let error): "\(error)"
        case .interrupted: "the flush ended early"
        }
    }
}
