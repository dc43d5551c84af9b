import ClickstreamCore

/// Composer of events of visitors on the general path: applies the rules, and encodes what they keep.
struct VisitorComposer {
    let writer: VisitorWriter
    let globals: Attributes
    let ids: any IDSource

    /// Encodes an event, or the `_clickstream_error` that replaces one with an invalid name.
    /// - Parameters:
    ///   - session: session that was assigned to a visitor without one.
    ///   - found: violations of the visitor's values.
    ///   - rate: the share of devices that record events of this name; `nil` for all of them.
    func compose(
        _ name: String,
        _ attributes: Attributes,
        _ items: [Attributes],
        _ visitor: Visitor,
        _ fields: VisitorFields,
        session: Visitor.Session?,
        found: [Violation],
        sampled rate: Double? = nil,
        into line: inout EventLine,
        at time: Timestamp
    ) -> (composed: WrittenEvent, rejected: Violation?) {
        if let violation = Validator.checkEventName(name) {
            let preset: Attributes = [
                AttributeName.errorCode: violation.code.rawValue,
                AttributeName.errorMessage: violation.message,
            ]
            let error = Event(EventName.clickstreamError, id: ids.next(), timestamp: time, preset: preset)
            return (compose(error, visitor, fields, session: session, found: [], into: &line), violation)
        }
        var event = Event(name, id: ids.next(), timestamp: time, own: attributes, items: items)
        if let rate { event.preset.set(AttributeName.samplingRate, to: .double(rate)) }
        return (compose(event, visitor, fields, session: session, found: found, into: &line), nil)
    }

    private func compose(
        _ event: Event,
        _ visitor: Visitor,
        _ fields: VisitorFields,
        session: Visitor.Session?,
        found: [Violation],
        into line: inout EventLine
    ) -> WrittenEvent {
        var (event, violations) = (event, found)
        let presets = VisitorWriter.presets(of: visitor, session: session, at: event.timestamp)
        let verdict = Validator.checkAttributes(
            own: event.own,
            globals: globals,
            presetCount: presets.count + event.preset.count,
            isPreset: { name in event.preset[name] != nil || presets.contains { $0.name == name } },
            into: &violations
        )
        if !event.items.isEmpty { event.items = Validator.checkItems(event.items, into: &violations) }
        writer.write(
            event,
            fields,
            presets: presets,
            globals: globals,
            verdict: verdict,
            error: event.preset[AttributeName.errorCode] == nil ? violations.firstError : nil,
            into: &line
        )
        return WrittenEvent(name: event.name, id: event.id, violations: violations)
    }
}
