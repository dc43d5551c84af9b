/// JSON object of an event on the wire: the order of its parts, and the precedence of its attributes.
///
/// The parts are the name, id and time; the fields of the event's origin; the items; and the attributes: those of the origin, such
/// as its session and screen, those of the event, the global ones, and the first violation. An origin is the app on this
/// device, or a visitor of a server. It encodes its parts once and caches them: see ``EventWriter``.
package enum EventObject {
    /// The maximum number of bytes of names and punctuation, the id and two numbers.
    private static var frame: Int { 192 }
    /// The number of attributes of a visitor with a session and a screen, which has more of them than the app.
    private static var maxOriginAttributes: Int { 9 }

    // MARK: Prepared parts

    /// Appends a fast-path event, all of whose parts are JSON already, with one check of the line's capacity.
    /// - Parameters:
    ///   - globals: `,"name":value` for each global attribute; no name occurs in the event or its origin.
    ///   - count: the maximum number of bytes that `origin` appends, besides `,"attributes":{` and a number.
    ///   - origin: appends the fields, `,"attributes":{` and the attributes of the origin; returns true if it has attributes.
    @inline(__always)
    static func append(
        _ event: FastPathEvent,
        id: UniqueID,
        at time: Timestamp,
        globals: [UInt8],
        to line: inout EventLine,
        maxOriginLength count: Int,
        origin: (inout MemorySink) -> Bool
    ) {
        line.append(maxLength: frame + event.name.count + count + event.attributes.count + globals.count) { sink in
            appendHead(id: id, at: time, to: &sink) { $0.append(contentsOf: event.name) }
            var isFirst = !origin(&sink)
            sink.append(members: event.attributes, isFirst: &isFirst)
            globals.withUnsafeBytes { sink.append(members: $0, isFirst: &isFirst) }
            JSONWriter.append(raw: "}}", to: &sink)
        }
    }

    /// Replaces the content of `line` by one fast-path event whose origin is described by another module.
    /// - Parameters:
    ///   - common: the fields of all events, from the first name to the last value.
    ///   - fields: `,"name":value` for each field of the origin.
    ///   - session: `,"name":value` for each attribute of its session; may be empty.
    ///   - attributes: `,"name":value` for each of its other attributes; may be empty.
    ///   - globals: `,"name":value` for each global attribute; no name occurs in the event or its origin.
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
        line.removeAll()
        let count = common.count + fields.count + session.count + attributes.count
        append(event, id: id, at: time, globals: globals, to: &line, maxOriginLength: count) { sink in
            sink.append(contentsOf: common)
            sink.append(contentsOf: fields)
            JSONWriter.append(raw: FieldName.Encoded.attributesOpen, to: &sink)
            var isFirst = true
            sink.append(members: session, isFirst: &isFirst)
            sink.append(members: attributes, isFirst: &isFirst)
            return !isFirst
        }
    }

    // MARK: Parts of any length

    /// Appends an event whose later parts have any length.
    /// - Parameters:
    ///   - name: a valid name, which needs no escape.
    ///   - count: the maximum number of bytes that `origin` appends, besides a number.
    ///   - origin: appends the fields of the origin.
    ///   - rest: appends the items and the attributes.
    @inline(__always)
    static func append(
        _ name: String,
        id: UniqueID,
        at time: Timestamp,
        to line: inout EventLine,
        maxOriginLength count: Int,
        origin: (inout MemorySink) -> Void,
        rest: (inout EventLine) -> Void
    ) {
        line.append(maxLength: frame + name.utf8.count + count) { sink in
            appendHead(id: id, at: time, to: &sink) { JSONWriter.append(plain: name, to: &$0) }
            origin(&sink)
        }
        rest(&line)
        JSONWriter.append(raw: "}}", to: &line)
    }

    /// Replaces the content of `line` by one event, with the attributes that the rules keep.
    /// - Parameters:
    ///   - common: the fields of all events, from the first name to the last value.
    ///   - fields: `,"name":value` for each field of the origin.
    ///   - attributes: the attributes of the origin.
    ///   - error: the first violation, written to the attributes.
    package static func write(
        _ event: borrowing Event,
        common: [UInt8],
        fields: UnsafeRawBufferPointer,
        attributes: [Attributes.Element],
        globals: Attributes,
        verdict: AttributeVerdict,
        error: Violation?,
        into line: inout EventLine
    ) {
        line.removeAll()
        append(event.name, id: event.id, at: event.timestamp, to: &line, maxOriginLength: common.count + fields.count) {
            $0.append(contentsOf: common)
            $0.append(contentsOf: fields)
        } rest: { line in
            openAttributes(after: event.items, to: &line)
            append(
                attributesOf: event,
                origin: attributes,
                globals: globals,
                verdict: verdict,
                error: error,
                to: &line
            )
        }
    }

    @inline(__always)
    private static func appendHead(
        id: UniqueID,
        at time: Timestamp,
        to sink: inout MemorySink,
        name: (inout MemorySink) -> Void
    ) {
        JSONWriter.append(raw: FieldName.Encoded.eventTypeOpen, to: &sink)
        name(&sink)
        JSONWriter.append(raw: FieldName.Encoded.eventIDAfterText, to: &sink)
        sink.append(id)
        JSONWriter.append(raw: FieldName.Encoded.timestampAfterText, to: &sink)
        JSONWriter.append(time.milliseconds, to: &sink)
        sink.append(UInt8(ascii: ","))
    }

    /// Appends the items of an event, and the start of its attributes.
    static func openAttributes(after items: [Attributes], to line: inout EventLine) {
        if !items.isEmpty {
            JSONWriter.append(raw: FieldName.Encoded.items, to: &line)
            line.append(UInt8(ascii: "["))
            for (index, item) in items.enumerated() {
                if index > 0 { line.append(UInt8(ascii: ",")) }
                line.append(UInt8(ascii: "{"))
                let elements = item.elements.span
                for position in elements.indices { append(elements[position], isFirst: position == 0, to: &line) }
                line.append(UInt8(ascii: "}"))
            }
            line.append(UInt8(ascii: "]"))
        }
        JSONWriter.append(raw: FieldName.Encoded.attributesOpen, to: &line)
    }

    // MARK: Precedence

    /// Appends the attributes of an event, each name once.
    ///
    /// Of several attributes with one name, the first of these is written: the one that the library sets for the event, the
    /// caller's, the origin's, the global one. The code and the message of a violation replace those of the caller and the
    /// global ones. `verdict` has decided between global attributes and those of the caller and the origin.
    /// - Parameter origin: the attributes of the origin; `nil` if they are appended already, since none of them is replaced.
    static func append(
        attributesOf event: borrowing Event,
        origin: [Attributes.Element]?,
        globals: Attributes,
        verdict: AttributeVerdict,
        error: Violation?,
        to line: inout EventLine
    ) {
        var isFirst = origin != nil
        for element in origin ?? [] where !replaces(element.name, event, verdict) {
            append(element, isFirst: isFirst, to: &line)
            isFirst = false
        }
        let preset = event.preset.elements.span
        for index in preset.indices {
            append(preset[index], isFirst: isFirst, to: &line)
            isFirst = false
        }
        // Evaluated once: each access to the optional copies it.
        let hasError = error != nil
        let own = event.own.elements.span
        for index in own.indices where verdict.keepsOwn(at: index) {
            if isReplaced(own[index].name, by: event.preset, hasError: hasError) { continue }
            append(own[index], isFirst: isFirst, to: &line)
            isFirst = false
        }
        let globals = globals.elements.span
        for index in globals.indices where verdict.keepsGlobal(at: index) {
            if isReplaced(globals[index].name, by: event.preset, hasError: hasError) { continue }
            append(globals[index], isFirst: isFirst, to: &line)
            isFirst = false
        }
        if let error {
            JSONWriter.append(name: AttributeName.errorCode, isFirst: isFirst, to: &line)
            JSONWriter.append(Int64(error.code.rawValue), to: &line)
            JSONWriter.append(name: AttributeName.errorMessage, to: &line)
            JSONWriter.append(error.message, to: &line)
        }
    }

    /// Returns true if the event has an attribute in place of the origin's of that name.
    private static func replaces(_ name: String, _ event: borrowing Event, _ verdict: AttributeVerdict) -> Bool {
        if event.preset[name] != nil { return true }
        let own = event.own.elements.span
        for index in own.indices where own[index].name == name && verdict.keepsOwn(at: index) { return true }
        return false
    }

    /// Returns true if the event has an attribute of the library in place of the caller's or the global one of that name.
    @inline(__always)
    private static func isReplaced(_ name: String, by preset: Attributes, hasError: Bool) -> Bool {
        !preset.isEmpty && preset[name] != nil || hasError && Validator.isErrorAttribute(name)
    }

    @inline(__always)
    private static func append(_ element: borrowing Attributes.Element, isFirst: Bool, to line: inout EventLine) {
        JSONWriter.append(name: element.name, isFirst: isFirst, to: &line)
        JSONWriter.append(element.value, to: &line)
    }

    /// Returns the attributes of the session of an origin, with capacity for its other attributes.
    package static func attributes(
        ofSession id: String,
        start: Timestamp,
        number: Int,
        duration: Int64
    ) -> [Attributes.Element] {
        var attributes: [Attributes.Element] = []
        attributes.reserveCapacity(maxOriginAttributes)
        attributes.append(Attributes.Element(name: AttributeName.sessionID, value: .string(id)))
        attributes.append(Attributes.Element(name: AttributeName.sessionStart, value: .integer(start.milliseconds)))
        attributes.append(Attributes.Element(name: AttributeName.sessionNumber, value: .integer(Int64(number))))
        attributes.append(Attributes.Element(name: AttributeName.sessionDuration, value: .integer(duration)))
        return attributes
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
