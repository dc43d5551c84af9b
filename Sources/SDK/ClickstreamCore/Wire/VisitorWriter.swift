/// Encoder of events of a server's visitors. Fields of the app are encoded once.
///
/// An event has no fields of the machine that records it, since they would describe the server. Fields that the visitor
/// does not have are left out.
struct VisitorWriter: Sendable {
    /// `"app_id":…` to `"sdk_version":…`.
    private var common: [UInt8] = []

    /// Names of the attributes of a session.
    static let sessionNames = [
        AttributeName.sessionID, AttributeName.sessionStart, AttributeName.sessionNumber, AttributeName.sessionDuration,
    ]

    init(appID: String, app: Device.App) {
        let texts = [
            (FieldName.appID, appID), (FieldName.appPackageName, app.package), (FieldName.appTitle, app.title),
            (FieldName.appVersion, app.version), (FieldName.sdkName, SDK.name), (FieldName.sdkVersion, SDK.version),
        ]
        for (name, value) in texts where !value.isEmpty || name == FieldName.appID {
            JSONWriter.append(name: name, isFirst: common.isEmpty, to: &common)
            JSONWriter.append(value, to: &common)
        }
    }

    /// Appends one fast-path event's JSON object to `line`.
    /// - Parameters:
    ///   - session: session that was assigned to a visitor without one.
    ///   - globals: `,"name":value` for each global attribute; no name occurs in the event or the visitor.
    @inline(__always)
    func write(
        _ event: FastPathEvent,
        id: UniqueID,
        _ visitor: VisitorFields,
        session: Visitor.Session?,
        globals: [UInt8],
        at time: Timestamp,
        into line: inout EventLine
    ) {
        // In addition to the counted parts: punctuation and names, the id, a number, the session.
        var room = 192 + event.name.count + event.attributes.count + common.count + globals.count
        room += visitor.fields.count + visitor.attributes.count
        if let session { room += VisitorFields.sessionRoom + 6 * session.id.utf8.count }
        line.append(atMost: room) { sink in
            JSONWriter.append(raw: FieldName.Encoded.eventTypeOpen, to: &sink)
            sink.append(contentsOf: event.name)
            JSONWriter.append(raw: FieldName.Encoded.eventIDAfterText, to: &sink)
            sink.append(id)
            JSONWriter.append(raw: FieldName.Encoded.timestampAfterText, to: &sink)
            JSONWriter.append(time.milliseconds, to: &sink)
            sink.append(UInt8(ascii: ","))
            sink.append(contentsOf: common)
            sink.append(contentsOf: visitor.fields)
            JSONWriter.append(raw: FieldName.Encoded.attributesOpen, to: &sink)
            var isFirst = true
            if let session {
                VisitorFields.write(session, at: time, isFirst: true, to: &sink)
                isFirst = false
            }
            sink.append(members: visitor.attributes, isFirst: &isFirst)
            sink.append(members: event.attributes, isFirst: &isFirst)
            globals.withUnsafeBytes { sink.append(members: $0, isFirst: &isFirst) }
            JSONWriter.append(raw: "}}", to: &sink)
        }
    }

    /// Appends one event's JSON object to `line`, with the attributes that the rules keep.
    /// - Parameters:
    ///   - presets: the attributes of the visitor.
    ///   - error: the first violation, written to the attributes.
    func write(
        _ event: borrowing Event,
        _ visitor: VisitorFields,
        presets: [Attributes.Element],
        globals: Attributes,
        verdict: AttributeVerdict,
        error: Violation?,
        into line: inout EventLine
    ) {
        JSONWriter.append(raw: FieldName.Encoded.eventType, to: &line)
        JSONWriter.append(event.name, to: &line)
        JSONWriter.append(raw: FieldName.Encoded.eventIDOpen, to: &line)
        event.id.withASCII { line.append(contentsOf: $0.assumingMemoryBound(to: UInt8.self)) }
        JSONWriter.append(raw: FieldName.Encoded.timestampAfterText, to: &line)
        JSONWriter.append(event.timestamp.milliseconds, to: &line)
        line.append(UInt8(ascii: ","))
        common.withUnsafeBufferPointer { line.append(contentsOf: $0) }
        line.append(contentsOf: visitor.fields)
        if !event.items.isEmpty { EventWriter.write(items: event.items, into: &line) }
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
        for (place, element) in event.own.elements.enumerated() where verdict.keepsOwn(at: place) {
            if event.preset[element.name] != nil || hasError && Validator.isErrorAttribute(element.name) { continue }
            put(element)
        }
        for (place, element) in globals.elements.enumerated() where verdict.keepsGlobal(at: place) {
            if event.preset[element.name] != nil || hasError && Validator.isErrorAttribute(element.name) { continue }
            put(element)
        }
        if let error {
            put(Attributes.Element(name: AttributeName.errorCode, value: .integer(Int64(error.code.rawValue))))
            put(Attributes.Element(name: AttributeName.errorMessage, value: .string(error.message)))
        }
        JSONWriter.append(raw: "}}", to: &line)
    }

    /// Returns the attributes that a visitor adds to an event, in their order.
    static func presets(of visitor: Visitor, session: Visitor.Session?, at time: Timestamp) -> [Attributes.Element] {
        var presets: [Attributes.Element] = []
        func add(_ name: String, _ value: AttributeValue?) {
            if let value { presets.append(Attributes.Element(name: name, value: value)) }
        }
        if let session = session ?? visitor.session {
            add(AttributeName.sessionID, .string(session.id))
            add(AttributeName.sessionStart, .integer(session.start.milliseconds))
            add(AttributeName.sessionNumber, .integer(Int64(session.number)))
            add(AttributeName.sessionDuration, .integer(session.duration(at: time)))
        }
        add(AttributeName.screenName, visitor.screen.map { .string($0.name) })
        add(AttributeName.screenID, visitor.screen?.id.map { .string($0) })
        add(AttributeName.screenUniqueID, visitor.screen?.uniqueID.map { .string($0) })
        add(AttributeName.userAgent, visitor.userAgent.map { .string($0) })
        add(AttributeName.ip, visitor.ip.map { .string($0) })
        return presets
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
