#if compiler(>=6.3)
package import CClickstream
import ClickstreamAnalytics
import ClickstreamCore
import Dispatch

typealias ObserverCallback = HostCallback<clickstream_callback>

extension ObserverCallback {
    func call(_ notice: Notice) {
        run { callback, context in
            NoticeContent(notice).withNotice { notice in
                withUnsafePointer(to: notice) { callback($0, context) }
            }
        }
    }
}

/// Registration of a callback with a client.
struct ObserverRegistration: Sendable {
    /// All registrations that are not cancelled, by the client.
    private static let all = ProcessLocal(since: .reset) { Registrations() }
    private final class Registrations: Sendable {
        let byClient = Locked<[Handle: [ObserverRegistration]]>([:])
    }

    let client: Handle
    let observer: NoticeObserver
    let callback: ObserverCallback

    init(of callback: ObserverCallback, with client: Handle, as observer: NoticeObserver) {
        (self.client, self.observer, self.callback) = (client, observer, callback)
        Self.all.current.byClient.withLock { $0[client, default: []].append(self) }
    }

    /// Ends the registration, and waits for a call that is running.
    func cancel() {
        Self.all.current.byClient.withLock { $0[client]?.removeAll { $0.callback === callback } }
        observer.cancel()
        callback.end(by: .callbackDeadline)
    }

    /// Waits for running calls of a client that has ended. Ends its registrations, except with the process's client, whose
    /// registrations are for the next start, too.
    static func clientHasEnded(_ client: Handle, by deadline: DispatchTime) {
        let registrations = all.current.byClient.withLock { all in
            client == .defaultClient ? all[client] ?? [] : all.removeValue(forKey: client) ?? []
        }
        for registration in registrations {
            if client != .defaultClient {
                registration.observer.cancel()
                registration.callback.cancel()
            }
            registration.callback.awaitCalls(by: deadline)
        }
    }
}

/// Content of a notice, in the terms of the header.
struct NoticeContent {
    var kind: clickstream_notice_kind
    var code = 0
    var count = 0
    var name = ""
    var json: [UInt8] = []
    var text = ""

    init(_ notice: Notice) {
        switch notice {
        case .recorded(let name, _, let line, let violations):
            kind = CLICKSTREAM_NOTICE_RECORDED
            self.name = name
            json = line
            take(violations)
        case .captured(let format, let line):
            kind = CLICKSTREAM_NOTICE_CAPTURED
            name = format.rawValue
            json = line
        case .unstored(let name, _, let reason):
            kind = CLICKSTREAM_NOTICE_UNSTORED
            self.name = name
            text = reason.description
        case .rejected(let violations):
            kind = CLICKSTREAM_NOTICE_REJECTED
            take(violations)
        case .sessionDecided(let number, let isNew, let reason):
            kind = CLICKSTREAM_NOTICE_SESSION
            (count, code, text) = (number, isNew ? 1 : 0, reason)
        case .uploaded(let events, _, _):
            kind = CLICKSTREAM_NOTICE_UPLOADED
            count = events
        case .retained(let events, let reason):
            kind = CLICKSTREAM_NOTICE_RETAINED
            (count, text) = (events, reason.description)
        case .deliveryRefused(let reason):
            kind = CLICKSTREAM_NOTICE_DELIVERY_REFUSED
            text = reason.description
        case .setAside(let events, let reason):
            kind = CLICKSTREAM_NOTICE_SET_ASIDE
            (count, text) = (events, reason.description)
        case .evicted(let events, let reason):
            kind = CLICKSTREAM_NOTICE_EVICTED
            (count, text) = (events, reason.description)
        case .warning(let warning):
            kind = CLICKSTREAM_NOTICE_WARNING
            (name, text) = (warning.code.rawValue, warning.message)
        }
    }

    private mutating func take(_ violations: [Violation]) {
        guard let first = violations.first else { return }
        (code, text) = (first.code.rawValue, first.message)
    }

    /// Calls `body` with the notice for C, whose texts are valid during the call.
    fileprivate func withNotice(_ body: (clickstream_notice) -> Void) {
        let (name, text) = (Array(name.utf8) + [0], Array(text.utf8) + [0])
        let json = json + [0]
        name.withUnsafeBytes { name in
            json.withUnsafeBytes { json in
                text.withUnsafeBytes { text in
                    body(
                        clickstream_notice(
                            kind: kind,
                            code: Int32(truncatingIfNeeded: code),
                            count: Int64(count),
                            name: name.baseAddress?.assumingMemoryBound(to: CChar.self),
                            name_length: name.count - 1,
                            json: json.baseAddress?.assumingMemoryBound(to: CChar.self),
                            json_length: json.count - 1,
                            text: text.baseAddress?.assumingMemoryBound(to: CChar.self),
                            text_length: text.count - 1
                        )
                    )
                }
            }
        }
    }
}

@c @implementation
package func clickstream_observe(
    _ client: OpaquePointer!,
    _ callback: clickstream_callback!,
    _ context: UnsafeMutableRawPointer!,
    _ release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)!,
    _ observer: UnsafeMutablePointer<OpaquePointer?>!
) -> clickstream_status {
    status { () throws(Refusal) in
        let callback = try required(callback)
        let reference = try ClientReference(client)
        let handle = try required(Handle(client))
        let body = ObserverCallback(callback, context, release)
        let observing =
            switch reference {
            case .process: ClickstreamAnalytics.observe { body.call($0) }
            case .further(let client): client.observe { body.call($0) }
            }
        let registration = ObserverRegistration(of: body, with: handle, as: observing)
        guard let observer else { return }
        do throws(Refusal) {
            try Handles.observers.insert(registration, into: observer)
        } catch {
            registration.cancel()
            throw error
        }
    }
}

@c @implementation
package func clickstream_observer_cancel(_ observer: OpaquePointer!) -> clickstream_status {
    status { () throws(Refusal) in try Handles.observers.release(observer).cancel() }
}
#endif
