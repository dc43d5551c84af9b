#if compiler(>=6.3)
package import CClickstream
import ClickstreamAnalytics
import ClickstreamCore
import Dispatch

// MARK: Consent and erasure

extension ConsentPurpose {
    /// Purposes that values of `clickstream_purpose` combine: each is the bit of its position among the cases. `.ci/purposes`
    /// compares the header.
    fileprivate static func purposes(_ bits: UInt32) throws(Refusal) -> [ConsentPurpose] {
        guard bits != 0, bits >> allCases.count == 0 else { throw Refusal(CLICKSTREAM_INVALID_ARGUMENT) }
        return allCases.enumerated().filter { bits & 1 << $0.offset != 0 }.map(\.element)
    }
}

@c @implementation
package func clickstream_set_consent(
    _ client: OpaquePointer!,
    _ decision: clickstream_consent,
    _ purposes: UInt32
) -> clickstream_status {
    status { () throws(Refusal) in
        let purposes = try ConsentPurpose.purposes(purposes)
        let made: ConsentDecision
        switch decision {
        case CLICKSTREAM_CONSENT_UNDECIDED: made = .undecided
        case CLICKSTREAM_CONSENT_GRANTED: made = .granted
        case CLICKSTREAM_CONSENT_DENIED: made = .denied
        default: throw Refusal(CLICKSTREAM_INVALID_ARGUMENT)
        }
        switch try ClientReference(client) {
        case .process: ClickstreamAnalytics.setConsent(made, for: purposes)
        case .further(let client): client.setConsent(made, for: purposes)
        }
    }
}

@c @implementation
package func clickstream_get_consent(
    _ client: OpaquePointer!,
    _ purpose: clickstream_purpose,
    _ decision: UnsafeMutablePointer<clickstream_consent>!
) -> clickstream_status {
    status { () throws(Refusal) in
        let target = try required(decision)
        let purposes = try ConsentPurpose.purposes(purpose.rawValue)
        guard purposes.count == 1 else { throw Refusal(CLICKSTREAM_INVALID_ARGUMENT) }
        target.pointee =
            switch try ClientReference(client).running.consent(for: purposes[0]) {
            case .undecided: CLICKSTREAM_CONSENT_UNDECIDED
            case .granted: CLICKSTREAM_CONSENT_GRANTED
            case .denied: CLICKSTREAM_CONSENT_DENIED
            }
    }
}

@c @implementation
package func clickstream_erase_all(_ client: OpaquePointer!) -> clickstream_status {
    status { () throws(Refusal) in
        switch try ClientReference(client) {
        case .process: ClickstreamAnalytics.eraseAll()
        case .further(let client): client.eraseAll()
        }
    }
}

// MARK: Middleware

private typealias MiddlewareCallback = HostCallback<clickstream_middleware>

extension MiddlewareCallback {
    fileprivate func decide(_ draft: inout DraftEvent) -> DraftEvent.Decision {
        // Without a handle, which needs 2^20 concurrent calls, the function cannot see the event, which may be private.
        guard let handle = Handles.drafts.insert(draft) else { return .drop }
        let json = Array(draft.json.utf8) + [0]
        let decision = run { middleware, context in
            json.withUnsafeBytes { bytes in
                middleware(
                    handle.pointer,
                    bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                    json.count - 1,
                    context
                )
            }
        }
        if let changed = Handles.drafts.remove(handle) {
            if changed.name != draft.name { draft.name = changed.name }
            if changed.attributes != draft.attributes { draft.attributes = changed.attributes }
            if changed.items != draft.items { draft.items = changed.items }
        }
        return decision == CLICKSTREAM_DROP ? .drop : .keep
    }
}

extension DraftEvent {
    /// The event as an object with the members `name`, `attributes` and `items`.
    fileprivate var json: String {
        JSONValue(
            .object([
                JSONMember("name", JSONValue(.string(name))),
                JSONMember("attributes", JSONValue(attributes)),
                JSONMember("items", JSONValue(.array(items.map { JSONValue($0) }))),
            ])
        ).description
    }

    /// Replaces the parts that an object has as members.
    fileprivate mutating func replace(by json: JSONValue) throws(Refusal) {
        guard let members = json.members else { throw Refusal(CLICKSTREAM_INVALID_JSON) }
        for member in members {
            switch member.name {
            case "name":
                guard case .string(let text) = member.value.kind else { throw Refusal(CLICKSTREAM_INVALID_JSON) }
                name = text
            case "attributes":
                attributes = try Attributes(json: member.value)
            case "items":
                guard let elements = member.value.array else { throw Refusal(CLICKSTREAM_INVALID_JSON) }
                var lists: [Attributes] = []
                for element in elements { lists.append(try Attributes(json: element)) }
                items = lists
            default:
                throw Refusal(CLICKSTREAM_INVALID_JSON)
            }
        }
    }
}

@c @implementation
package func clickstream_draft_set_json(
    _ draft: OpaquePointer!,
    _ json: UnsafePointer<CChar>!
) -> clickstream_status {
    clickstream_draft_set_json_n(draft, json, length(json))
}

@c @implementation
package func clickstream_draft_set_json_n(
    _ draft: OpaquePointer!,
    _ json: UnsafePointer<CChar>!,
    _ json_length: Int
) -> clickstream_status {
    status { () throws(Refusal) in
        let json = try Text(json, json_length).json
        var changed = try Handles.drafts.value(draft)
        try changed.replace(by: json)
        let result = changed
        try Handles.drafts.change(draft) { $0 = result }
    }
}

/// Middleware of this process, by client and name.
enum Middlewares {
    private final class Callbacks: Sendable {
        let byName = Locked<[Handle: [String: MiddlewareCallback]]>([:])
    }
    private static let process = ProcessLocal(since: .reset) { Callbacks() }

    fileprivate static func add(
        _ callback: MiddlewareCallback,
        _ name: String,
        of client: Handle
    ) -> MiddlewareCallback? {
        process.current.byName.withLock { $0[client, default: [:]].updateValue(callback, forKey: name) }
    }

    fileprivate static func remove(_ name: String, of client: Handle) -> MiddlewareCallback? {
        process.current.byName.withLock { $0[client]?.removeValue(forKey: name) }
    }

    /// Ends the middleware of a client that has ended, and waits for running calls.
    static func clientHasEnded(_ client: Handle, by deadline: DispatchTime) {
        let callbacks = process.current.byName.withLock { $0.removeValue(forKey: client) } ?? [:]
        for callback in callbacks.values { callback.end(by: deadline) }
    }
}

@c @implementation
package func clickstream_add_middleware(
    _ client: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ middleware: clickstream_middleware!,
    _ context: UnsafeMutableRawPointer!,
    _ release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)!
) -> clickstream_status {
    status { () throws(Refusal) in
        let middleware = try required(middleware)
        let name = try Text(name, length(name)).string
        let reference = try ClientReference(client)
        let handle = try required(Handle(client))
        let callback = MiddlewareCallback(middleware, context, release)
        switch reference {
        case .process: ClickstreamAnalytics.addMiddleware(name) { callback.decide(&$0) }
        case .further(let client): client.addMiddleware(name) { callback.decide(&$0) }
        }
        Middlewares.add(callback, name, of: handle)?.cancel()
    }
}

@c @implementation
package func clickstream_remove_middleware(
    _ client: OpaquePointer!,
    _ name: UnsafePointer<CChar>!
) -> clickstream_status {
    status { () throws(Refusal) in
        let name = try Text(name, length(name)).string
        let reference = try ClientReference(client)
        guard let callback = Middlewares.remove(name, of: try required(Handle(client))) else {
            throw Refusal(CLICKSTREAM_UNKNOWN_KEY)
        }
        switch reference {
        case .process: ClickstreamAnalytics.removeMiddleware(name)
        case .further(let client): client.removeMiddleware(name)
        }
        callback.end(by: .callbackDeadline)
    }
}
#endif
