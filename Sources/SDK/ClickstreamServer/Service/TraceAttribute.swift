#if Server
import ClickstreamCore
import Instrumentation
import ServiceContextModule

/// Id of the current trace, as an attribute of events.
enum TraceAttribute {
    /// The name of the attribute.
    static let name = "trace_id"

    /// Returns the attributes with the id of the trace of the current task, if there is one.
    ///
    /// The id comes from the header `traceparent` of W3C, which the installed instrument writes. Without a span, costs one
    /// task-local lookup.
    static func adding(to attributes: Attributes) -> Attributes {
        guard let context = ServiceContext.current, attributes[name] == nil else { return attributes }
        var headers: [String: String] = [:]
        InstrumentationSystem.instrument.inject(context, into: &headers, using: HeaderInjector())
        guard let trace = headers["traceparent"].flatMap(id(of:)) else { return attributes }
        var attributes = attributes
        attributes.set(name, to: .string(trace))
        return attributes
    }

    /// Returns the trace id of a `traceparent`: `00-<32 hexadecimal digits>-<16>-<2>`.
    static func id(of parent: String) -> String? {
        let parts = parent.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[1].utf8.count == 32, parts[1].allSatisfy(\.isHexDigit),
            parts[1].contains(where: { $0 != "0" })
        else { return nil }
        return String(parts[1])
    }

    private struct HeaderInjector: Injector {
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
            carrier[key.lowercased()] = value
        }
    }
}
#endif
