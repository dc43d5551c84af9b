#if compiler(>=6.3)
public import CClickstream
import ClickstreamAnalytics
import ClickstreamCore

/// Callback of an observer with its context, which is released with this object.
private final class ObserverCallback: @unchecked Sendable {
    // Unchecked: the fields are constant, and the context is passed to the caller's functions only, which the header
    // requires to be callable from any thread.
    private let callback: clickstream_callback
    private let context: UnsafeMutableRawPointer?
    private let release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?

    init(
        _ callback: clickstream_callback,
        _ context: UnsafeMutableRawPointer?,
        _ release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    ) {
        self.callback = callback
        self.context = context
        self.release = release
    }

    deinit {
        release?(context)
    }

    func call(_ notice: Notice) {
        let content = NoticeContent(notice)
        content.withNotice { notice in
            withUnsafePointer(to: notice) { pointer in
                BlockingFunction.$isInCallback.withValue(true) { callback(pointer, context) }
            }
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
            name = format
            json = line
        case .unstored(let name, _, let reason):
            kind = CLICKSTREAM_NOTICE_UNSTORED
            self.name = name
            text = reason
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
            (count, text) = (events, reason)
        case .evicted(let events, let reason):
            kind = CLICKSTREAM_NOTICE_EVICTED
            (count, text) = (events, reason)
        case .warning(let message):
            kind = CLICKSTREAM_NOTICE_WARNING
            text = message
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
public func clickstream_observe(
    _ client: OpaquePointer!,
    _ callback: clickstream_callback!,
    _ context: UnsafeMutableRawPointer!,
    _ release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)!,
    _ observer: UnsafeMutablePointer<OpaquePointer?>!
) -> clickstream_status {
    status { () throws(Refusal) in
        let callback = try required(callback)
        let reference = try ClientReference(client)
        let body = ObserverCallback(callback, context, release)
        let registration =
            switch reference {
            case .process: ClickstreamAnalytics.observe { body.call($0) }
            case .further(let client): client.observe { body.call($0) }
            }
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
public func clickstream_observer_cancel(_ observer: OpaquePointer!) -> clickstream_status {
    status { () throws(Refusal) in try Handles.observers.release(observer).cancel() }
}
#endif
