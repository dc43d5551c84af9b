import ClickstreamCore

/// Encoder of events of a server's visitors. Fields of the app are encoded once.
///
/// An event has no fields of the machine that records it, since they would describe the server. Fields that the visitor
/// does not have are left out.
struct VisitorWriter: Sendable {
    /// `"app_id":…` to `"sdk_version":…`.
    private var common: [UInt8] = []

    /// The number of attributes of a session.
    static let sessionAttributeCount = 4

    init(appID: String, app: ClickstreamClient.Device.App) {
        let texts = [
            (FieldName.appID, appID), (FieldName.appPackageName, app.package), (FieldName.appTitle, app.title),
            (FieldName.appVersion, app.version), (FieldName.sdkName, SDK.name), (FieldName.sdkVersion, SDK.version),
        ]
        for (name, value) in texts where !value.isEmpty || name == FieldName.appID {
            if !common.isEmpty { common.append(UInt8(ascii: ",")) }
            common.append(json: name)
            common.append(UInt8(ascii: ":"))
            common.append(json: value)
        }
    }

    /// Replaces the content of `line` by one fast-path event's JSON object.
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
        VisitorFields.withAttributes(of: session, at: time) { session in
            EventObject.write(
                event,
                id: id,
                at: time,
                common: common,
                fields: visitor.fields,
                session: session,
                attributes: visitor.attributes,
                globals: globals,
                into: &line
            )
        }
    }

    /// Replaces the content of `line` by one event's JSON object, with the attributes that the rules keep.
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
        EventObject.write(
            event,
            common: common,
            fields: visitor.fields,
            attributes: presets,
            globals: globals,
            verdict: verdict,
            error: error,
            into: &line
        )
    }

    /// Returns the attributes that a visitor adds to an event, in their order.
    static func presets(of visitor: Visitor, session: Visitor.Session?, at time: Timestamp) -> [Attributes.Element] {
        var presets: [Attributes.Element] = []
        if let session = session ?? visitor.session {
            presets = EventObject.attributes(
                ofSession: session.id,
                start: session.start,
                number: session.number,
                duration: session.duration(at: time)
            )
        }
        func add(_ name: String, _ value: AttributeValue?) {
            if let value { presets.append(Attributes.Element(name: name, value: value)) }
        }
        add(AttributeName.screenName, visitor.screen.map { .string($0.name) })
        add(AttributeName.screenID, visitor.screen?.id.map { .string($0) })
        add(AttributeName.screenUniqueID, visitor.screen?.uniqueID.map { .string($0) })
        add(AttributeName.userAgent, visitor.userAgent.map { .string($0) })
        add(AttributeName.ip, visitor.ip.map { .string($0) })
        return presets
    }
}
