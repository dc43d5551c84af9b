/// Events with fields that another module prepared as JSON, such as those of a server's visitors. Only the order of the parts is
/// decided here.
extension EventWriter {
    /// Replaces the content of `line` by one fast-path event's JSON object.
    /// - Parameters:
    ///   - common: the fields of all events, from the first name to the last value.
    ///   - fields: `,"name":value` for each field of the event.
    ///   - session: `,"name":value` for each attribute of its session; may be empty.
    ///   - attributes: `,"name":value` for each attribute of its context; may be empty.
    ///   - globals: `,"name":value` for each global attribute; no name occurs in the event or in `attributes`.
    package static func write(
        _ event: FastPathEvent,
        id: UniqueID,
        at time: Timestamp,
        common: [UInt8],
        fields: UnsafeRawBufferPointer,
        session: UnsafeRawBufferPointer,
        attributes: UnsafeRawBufferPointer,
        globals: [UInt8],
        into line: inout EventLine
    ) {
        // In addition to the counted parts: punctuation and names, the id, a number.
        var room = 192 + event.name.count + event.attributes.count + common.count + globals.count
        room += fields.count + session.count + attributes.count
        line.removeAll()
        line.append(atMost: room) { sink in
            JSONWriter.append(raw: FieldName.Encoded.eventTypeOpen, to: &sink)
            sink.append(contentsOf: event.name)
            JSONWriter.append(raw: FieldName.Encoded.eventIDAfterText, to: &sink)
            sink.append(id)
            JSONWriter.append(raw: FieldName.Encoded.timestampAfterText, to: &sink)
            JSONWriter.append(time.milliseconds, to: &sink)
            sink.append(UInt8(ascii: ","))
            sink.append(contentsOf: common)
            sink.append(contentsOf: fields)
            JSONWriter.append(raw: FieldName.Encoded.attributesOpen, to: &sink)
            var isFirst = true
            sink.append(members: session, isFirst: &isFirst)
            sink.append(members: attributes, isFirst: &isFirst)
            sink.append(members: event.attributes, isFirst: &isFirst)
            globals.withUnsafeBytes { sink.append(members: $0, isFirst: &isFirst) }
            JSONWriter.append(raw: "}}", to: &sink)
        }
    }

    /// Replaces the content of `line` by one event's JSON object, with the attributes that the rules keep.
    /// - Parameters:
    ///   - common: the fields of all events, from the first name to the last value.
    ///   - fields: `,"name":value` for each field of the event.
    ///   - presets: the attributes of its session and context. An own attribute of the same name replaces one.
    ///   - error: the first violation, written to the attributes.
    package static func write(
        _ event: borrowing Event,
        common: [UInt8],
        fields: UnsafeRawBufferPointer,
        presets: [Attributes.Element],
        globals: Attributes,
        verdict: AttributeVerdict,
        error: Violation?,
        into line: inout EventLine
    ) {
        line.removeAll()
        JSONWriter.append(raw: FieldName.Encoded.eventType, to: &line)
        JSONWriter.append(event.name, to: &line)
        JSONWriter.append(raw: FieldName.Encoded.eventIDOpen, to: &line)
        event.id.withASCII { line.append(contentsOf: $0.assumingMemoryBound(to: UInt8.self)) }
        JSONWriter.append(raw: FieldName.Encoded.timestampAfterText, to: &line)
        JSONWriter.append(event.timestamp.milliseconds, to: &line)
        line.append(UInt8(ascii: ","))
        common.withUnsafeBufferPointer { line.append(contentsOf: $0) }
        line.append(contentsOf: fields)
        if !event.items.isEmpty { write(items: event.items, into: &line) }
        JSONWriter.append(raw: FieldName.Encoded.attributesOpen, to: &line)
        var isFirst = true
        func put(_ element: Attributes.Element) {
            JSONWriter.append(name: element.name, isFirst: isFirst, to: &line)
            JSONWriter.append(element.value, to: &line)
            isFirst = false
        }
        let hasError = error != nil
        for preset in presets {
            if event.preset[preset.name] != nil { continue }
            let isOwn = event.own.elements.enumerated().contains { $1.name == preset.name && verdict.keepsOwn(at: $0) }
            if !isOwn { put(preset) }
        }
        for element in event.preset.elements { put(element) }
        for (index, element) in event.own.elements.enumerated() where verdict.keepsOwn(at: index) {
            if event.preset[element.name] != nil || hasError && Validator.isErrorAttribute(element.name) { continue }
            put(element)
        }
        for (index, element) in globals.elements.enumerated() where verdict.keepsGlobal(at: index) {
            if event.preset[element.name] != nil || hasError && Validator.isErrorAttribute(element.name) { continue }
            put(element)
        }
        if let error {
            put(Attributes.Element(name: AttributeName.errorCode, value: .integer(Int64(error.code.rawValue))))
            put(Attributes.Element(name: AttributeName.errorMessage, value: .string(error.message)))
        }
        JSONWriter.append(raw: "}}", to: &line)
    }
}

extension MemorySink {
    /// Appends members of a JSON object that begin with a comma, without the comma if they are the first ones.
    @inline(__always)
    fileprivate mutating func append(members: UnsafeRawBufferPointer, isFirst: inout Bool) {
        guard !members.isEmpty else { return }
        append(contentsOf: isFirst ? UnsafeRawBufferPointer(rebasing: members[1...]) : members)
        isFirst = false
    }
}
