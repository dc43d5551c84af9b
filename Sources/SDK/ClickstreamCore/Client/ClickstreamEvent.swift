/// Event as a Swift type: a static name, and properties that become attributes.
///
/// ```swift
/// struct AddToCart: ClickstreamEvent {
///     static let name = "add_to_cart"
///     var price: Double
///     var currency: String?
///     var items: [Product] = []
/// }
/// ```
///
/// Flat properties become attributes with the names of their coding keys: strings, integers, floating-point numbers,
/// `Bool`, `Decimal`, enums with such a raw value, `Date` as milliseconds since 1970, `URL` as text. `nil` is omitted. A
/// property with the key `items` that is a list of flat objects becomes the items. A nested value is omitted and
/// reported as a ``Violation``: ``ErrorCode/attributeValueNested``, or ``ErrorCode/itemValueNested`` with the whole item.
public protocol ClickstreamEvent: Encodable {
    /// The name of the event, as for ``ClickstreamClient/record(_:attributes:items:user:)-(_,Attributes,_,_)``.
    static var name: String { get }
}

/// A typed event as attributes and items, with the violations found while it was encoded.
package struct EncodedEvent: Sendable, Equatable {
    package let name: String
    package let attributes: Attributes
    package let items: [Attributes]
    package let violations: [Violation]

    package init<Event: ClickstreamEvent>(_ event: Event) {
        let sink = EncodedValues()
        do {
            try event.encode(to: ObjectEncoder(sink, item: nil))
        } catch {
            // An error thrown by the event's own code: what was encoded before is recorded.
            sink.reportNested(Event.name, item: nil)
        }
        name = Event.name
        attributes = sink.attributes
        items = sink.keptItems
        violations = sink.violations
    }
}

extension Recorder {
    /// Records a typed event.
    package mutating func record(_ event: EncodedEvent, at moment: Moment) {
        record(event.name, event.attributes, event.items, found: event.violations, at: moment)
    }
}

extension ClickstreamClient {
    /// Records a typed event. A nested value is omitted, and reported with code 2006 or 4008.
    ///
    /// Costs the encoding by `Encodable` besides that of its attributes: less than 100 nanoseconds per property
    /// (`Tests/Performance/Record/run latency`).
    public func record(_ event: some ClickstreamEvent) {
        let encoded = EncodedEvent(event)
        if RecordingExtensions.areUsed {
            recordExtended(
                DraftEvent(encoded.name, attributes: encoded.attributes, items: encoded.items),
                found: encoded.violations
            )
        } else if encoded.violations.isEmpty {
            record(encoded.name, attributes: encoded.attributes, items: encoded.items)
        } else {
            perform { $0.record(encoded, at: $1) }
        }
    }
}
