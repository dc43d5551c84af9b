/// Encoder of events of the app on this device as JSON objects of the wire format, one line each.
///
/// Parts common to many events are encoded once and cached until they change; ``EventObject`` assembles them. Encoding
/// allocates nothing beyond the growth of the buffer. Source: the manual's sample event and its table of common attributes.
package struct EventWriter: Sendable {
    /// The encoded app, device and SDK fields, `"app_id":…,` to `"zone_offset":…`.
    private var common: [UInt8] = []
    /// The encoded user of ordinary events, `,"unique_id":…,"user":{…}`.
    private var user: [UInt8] = []
    /// The encoded user with all attributes.
    private var profile: [UInt8] = []
    /// The encoded session, from `"_session_id":…` up to the duration's value, which differs per event.
    private var session: [UInt8] = []
    /// The encoded screen, `,"_screen_name":…,"_screen_unique_id":…`, or empty.
    private var screen: [UInt8] = []
    private var screenShown: Screen?
    private var sessionShown: Session
    /// The encoded part between the time and the session duration of a fast-path event.
    private var usual: [UInt8] = []

    package init(session: Session) {
        sessionShown = session
    }

    /// Attributes that the library adds to every event.
    package struct Presets: Sendable, Equatable {
        fileprivate let hasScreen: Bool

        /// The presets of an event before the first screen.
        package static let least = Presets(hasScreen: false)

        /// All possible presets.
        static let all = Presets(hasScreen: true)

        package var count: Int { sessionNames.count + (hasScreen ? 2 : 0) }

        package func contains(_ name: String) -> Bool {
            sessionNames.contains(name)
                || (hasScreen && (name == AttributeName.screenName || name == AttributeName.screenUniqueID))
        }
    }

    /// The current presets: a plain value, cheaper to copy than the encoder.
    package private(set) var presets = Presets.least

    private static let sessionNames = [
        AttributeName.sessionID, AttributeName.sessionStart, AttributeName.sessionNumber, AttributeName.sessionDuration,
    ]

    /// Encodes the app and device fields.
    package mutating func prepare(appID: String, device: ClickstreamClient.Device, deviceID: String) {
        common.removeAll(keepingCapacity: true)
        let texts = [
            (FieldName.appID, appID), (FieldName.appPackageName, device.app.package),
            (FieldName.appTitle, device.app.title),
            (FieldName.appVersion, device.app.version), (FieldName.brand, device.brand),
            (FieldName.carrier, device.carrier),
            (FieldName.countryCode, device.country), (FieldName.deviceID, deviceID),
            (FieldName.deviceUniqueID, device.advertisingID),
            (FieldName.locale, device.locale), (FieldName.make, device.make), (FieldName.model, device.model),
            (FieldName.networkType, device.networkType), (FieldName.osVersion, device.osVersion),
            (FieldName.platform, device.platform),
            (FieldName.sdkName, SDK.name), (FieldName.sdkVersion, SDK.version),
            (FieldName.systemLanguage, device.language),
        ]
        for (name, value) in texts {
            JSONWriter.append(name, to: &common)
            common.append(UInt8(ascii: ":"))
            JSONWriter.append(value, to: &common)
            common.append(UInt8(ascii: ","))
        }
        let numbers = [
            (FieldName.screenHeight, device.screenHeight), (FieldName.screenWidth, device.screenWidth),
            (FieldName.zoneOffset, device.zoneOffset),
        ]
        for (index, (name, value)) in numbers.enumerated() {
            if index > 0 { common.append(UInt8(ascii: ",")) }
            JSONWriter.append(name, to: &common)
            common.append(UInt8(ascii: ":"))
            JSONWriter.append(Int64(value), to: &common)
        }
        prepareUsual()
    }

    /// Encodes the user fields.
    package mutating func prepare(user current: User, attributesInEveryEvent: Bool) {
        func prepared(attributes: Bool) -> [UInt8] {
            var bytes: [UInt8] = []
            JSONWriter.append(raw: FieldName.Encoded.uniqueID, to: &bytes)
            JSONWriter.append(current.uniqueID, to: &bytes)
            JSONWriter.append(raw: FieldName.Encoded.user, to: &bytes)
            current.write(attributes: attributes, into: &bytes)
            return bytes
        }
        profile = prepared(attributes: true)
        user = attributesInEveryEvent ? profile : prepared(attributes: false)
        prepareUsual()
    }

    /// Encodes the session attributes.
    package mutating func prepare(session current: Session) {
        sessionShown = current
        session.removeAll(keepingCapacity: true)
        JSONWriter.append(AttributeName.sessionID, to: &session)
        session.append(UInt8(ascii: ":"))
        JSONWriter.append(current.id, to: &session)
        JSONWriter.append(name: AttributeName.sessionStart, to: &session)
        JSONWriter.append(current.start.milliseconds, to: &session)
        JSONWriter.append(name: AttributeName.sessionNumber, to: &session)
        JSONWriter.append(Int64(current.number), to: &session)
        JSONWriter.append(name: AttributeName.sessionDuration, to: &session)
        prepareUsual()
    }

    /// Encodes the screen attributes.
    package mutating func prepare(screen current: Screen?) {
        screenShown = current
        presets = Presets(hasScreen: current != nil)
        screen.removeAll(keepingCapacity: true)
        guard let current else { return }
        JSONWriter.append(name: AttributeName.screenName, to: &screen)
        JSONWriter.append(current.name, to: &screen)
        JSONWriter.append(name: AttributeName.screenUniqueID, to: &screen)
        JSONWriter.append(current.uniqueID, to: &screen)
    }

    /// Joins the parts common to fast-path events, so that each event needs one copy.
    private mutating func prepareUsual() {
        usual.removeAll(keepingCapacity: true)
        usual += common
        usual += user
        JSONWriter.append(raw: FieldName.Encoded.attributesOpen, to: &usual)
        usual += session
    }

    /// Appends one fast-path event's JSON object to `line`.
    /// - Parameters:
    ///   - globals: `,"name":value` for each global attribute; no name occurs in the event or the presets.
    ///   - moment: the time from which the session duration is computed.
    @inline(__always)
    func write(
        _ event: FastPathEvent,
        id: UniqueID,
        globals: [UInt8],
        at moment: Moment,
        into line: inout EventLine
    ) {
        let count = usual.count + screen.count
        EventObject.append(event, id: id, at: moment.wall, globals: globals, to: &line, maxOriginLength: count) {
            sink in
            appendUsual(at: moment, to: &sink)
            return true
        }
    }

    /// Appends the JSON object of an event without items whose attributes differ in name from all others.
    /// - Parameters:
    ///   - globals: `,"name":value` for each global attribute; no name occurs in the event or the presets.
    ///   - moment: the time from which the session duration is computed.
    ///   - attributes: appends `,"name":value` for each attribute.
    @inline(__always)
    func write(
        _ name: String,
        id: UniqueID,
        globals: [UInt8],
        at moment: Moment,
        into line: inout EventLine,
        attributes: (inout EventLine) -> Void
    ) {
        let count = usual.count + screen.count
        EventObject.append(name, id: id, at: moment.wall, to: &line, maxOriginLength: count) { sink in
            appendUsual(at: moment, to: &sink)
        } rest: { line in
            attributes(&line)
            append(prepared: globals, to: &line)
        }
    }

    /// Appends all fields and presets, which no attribute of the event replaces.
    @inline(__always)
    private func appendUsual(at moment: Moment, to sink: inout MemorySink) {
        sink.append(contentsOf: usual)
        JSONWriter.append(sessionShown.duration(at: moment), to: &sink)
        sink.append(contentsOf: screen)
    }

    /// Appends one event's JSON object to `line`.
    /// - Parameters:
    ///   - verdict: the own and global attributes that the event keeps.
    ///   - error: the first violation, written to the attributes.
    ///   - moment: the time from which the session duration is computed.
    package func write(
        _ event: borrowing Event,
        globals: Attributes,
        verdict: AttributeVerdict,
        error: Violation?,
        at moment: Moment,
        into line: inout EventLine
    ) {
        let user = event.carriesWholeProfile ? profile : user
        let duration = sessionShown.duration(at: moment)
        let isShadowed =
            !verdict.isUsual && shadowsPreset(event.own, verdict: verdict) || shadowsPreset(event.preset, verdict: nil)
        let count = common.count + user.count
        EventObject.append(event.name, id: event.id, at: event.timestamp, to: &line, maxOriginLength: count) { sink in
            sink.append(contentsOf: common)
            sink.append(contentsOf: user)
        } rest: { line in
            EventObject.openAttributes(after: event.items, to: &line)
            if !isShadowed {
                append(prepared: session, to: &line)
                JSONWriter.append(duration, to: &line)
                append(prepared: screen, to: &line)
            }
            let origin = isShadowed ? presetAttributes(duration: duration) : nil
            EventObject.append(
                attributesOf: event,
                origin: origin,
                globals: globals,
                verdict: verdict,
                error: error,
                to: &line
            )
        }
    }

    /// Returns true if an attribute has the name of a session or screen attribute. Rare: such names begin with `_s`.
    private func shadowsPreset(_ attributes: Attributes, verdict: AttributeVerdict?) -> Bool {
        let elements = attributes.elements.span
        for index in elements.indices where Characters.areReserved(elements[index].name) {
            if presets.contains(elements[index].name), verdict?.keepsOwn(at: index) ?? true { return true }
        }
        return false
    }

    /// The attributes of session and screen, for an event that replaces some of them.
    private func presetAttributes(duration: Int64) -> [Attributes.Element] {
        var attributes = EventObject.attributes(
            ofSession: sessionShown.id,
            start: sessionShown.start,
            number: sessionShown.number,
            duration: duration
        )
        if let screen = screenShown {
            attributes.append(Attributes.Element(name: AttributeName.screenName, value: .string(screen.name)))
            attributes.append(Attributes.Element(name: AttributeName.screenUniqueID, value: .string(screen.uniqueID)))
        }
        return attributes
    }

    @inline(__always)
    private func append(prepared bytes: [UInt8], to line: inout EventLine) {
        bytes.withUnsafeBufferPointer { line.append(contentsOf: $0) }
    }
}
