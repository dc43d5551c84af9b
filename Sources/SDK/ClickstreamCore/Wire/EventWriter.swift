/// Encoder of events as JSON objects of the wire format, one line each.
///
/// Parts common to many events are encoded once and cached until they change. Encoding allocates nothing beyond the
/// growth of the buffer. Source: the manual's sample event and its table of common attributes.
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
    package mutating func prepare(appID: String, device: Device, deviceID: String) {
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
        for (place, (name, value)) in numbers.enumerated() {
            if place > 0 { common.append(UInt8(ascii: ",")) }
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
        // In addition to the counted parts: punctuation and names, the id, two numbers.
        let room = 192 + event.name.count + event.attributes.count + usual.count + screen.count + globals.count
        line.append(atMost: room) { sink in
            JSONWriter.append(raw: FieldName.Encoded.eventTypeOpen, to: &sink)
            sink.append(contentsOf: event.name)
            JSONWriter.append(raw: FieldName.Encoded.eventIDAfterText, to: &sink)
            sink.append(id)
            JSONWriter.append(raw: FieldName.Encoded.timestampAfterText, to: &sink)
            JSONWriter.append(moment.wall.milliseconds, to: &sink)
            sink.append(UInt8(ascii: ","))
            sink.append(contentsOf: usual)
            JSONWriter.append(sessionShown.duration(at: moment), to: &sink)
            sink.append(contentsOf: screen)
            sink.append(contentsOf: event.attributes)
            sink.append(contentsOf: globals)
            JSONWriter.append(raw: "}}", to: &sink)
        }
    }

    /// Appends the start of an event's JSON object, up to and including the attributes of all events. The caller
    /// appends further attributes, then `}}`.
    func writeStart(_ name: String, _ id: UniqueID, at moment: Moment, into line: inout EventLine) {
        line.append(atMost: 192 + name.utf8.count + usual.count + screen.count) { sink in
            JSONWriter.append(raw: FieldName.Encoded.eventTypeOpen, to: &sink)
            JSONWriter.append(plain: name, to: &sink)
            JSONWriter.append(raw: FieldName.Encoded.eventIDAfterText, to: &sink)
            sink.append(id)
            JSONWriter.append(raw: FieldName.Encoded.timestampAfterText, to: &sink)
            JSONWriter.append(moment.wall.milliseconds, to: &sink)
            sink.append(UInt8(ascii: ","))
            sink.append(contentsOf: usual)
            JSONWriter.append(sessionShown.duration(at: moment), to: &sink)
            sink.append(contentsOf: screen)
        }
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
        into line: inout some ByteSink & ~Copyable
    ) {
        JSONWriter.append(raw: FieldName.Encoded.eventType, to: &line)
        JSONWriter.append(event.name, to: &line)
        JSONWriter.append(raw: FieldName.Encoded.eventIDOpen, to: &line)
        event.id.withASCII { line.append(contentsOf: $0.assumingMemoryBound(to: UInt8.self)) }
        JSONWriter.append(raw: FieldName.Encoded.timestampAfterText, to: &line)
        JSONWriter.append(event.timestamp.milliseconds, to: &line)
        line.append(UInt8(ascii: ","))
        append(prepared: common, to: &line)
        append(prepared: event.carriesWholeProfile ? profile : user, to: &line)
        if !event.items.isEmpty { Self.write(items: event.items, into: &line) }
        JSONWriter.append(raw: FieldName.Encoded.attributesOpen, to: &line)
        writeAttributes(of: event, globals: globals, verdict: verdict, error: error, at: moment, into: &line)
        JSONWriter.append(raw: "}}", to: &line)
    }

    /// Appends the items of an event, with the name of the field.
    static func write(items: [Attributes], into line: inout some ByteSink & ~Copyable) {
        JSONWriter.append(raw: FieldName.Encoded.items, to: &line)
        line.append(UInt8(ascii: "["))
        for (place, item) in items.enumerated() {
            if place > 0 { line.append(UInt8(ascii: ",")) }
            line.append(UInt8(ascii: "{"))
            let elements = item.elements.span
            for position in elements.indices {
                JSONWriter.append(name: elements[position].name, isFirst: position == 0, to: &line)
                JSONWriter.append(elements[position].value, to: &line)
            }
            line.append(UInt8(ascii: "}"))
        }
        JSONWriter.append(raw: "]", to: &line)
    }

    private func writeAttributes(
        of event: borrowing Event,
        globals: Attributes,
        verdict: AttributeVerdict,
        error: Violation?,
        at moment: Moment,
        into line: inout some ByteSink & ~Copyable
    ) {
        let duration = sessionShown.duration(at: moment)
        var isFirst = false
        if !verdict.isUsual && shadowsPreset(event.own, verdict: verdict) || shadowsPreset(event.preset, verdict: nil) {
            isFirst = writePresetsOneByOne(of: event, verdict: verdict, duration: duration, into: &line) == 0
        } else {
            append(prepared: session, to: &line)
            JSONWriter.append(duration, to: &line)
            append(prepared: screen, to: &line)
        }
        // Evaluated once: each access to the optional copies it.
        let hasError = error != nil
        let preset = event.preset.elements.span
        for place in preset.indices {
            append(preset[place], isFirst: isFirst, to: &line)
            isFirst = false
        }
        let own = event.own.elements.span
        for place in own.indices where verdict.keepsOwn(at: place) {
            if !preset.isEmpty, event.preset[own[place].name] != nil { continue }
            if hasError, Validator.isErrorAttribute(own[place].name) { continue }
            append(own[place], isFirst: isFirst, to: &line)
            isFirst = false
        }
        let globals = globals.elements.span
        for place in globals.indices where verdict.keepsGlobal(at: place) {
            if !preset.isEmpty, event.preset[globals[place].name] != nil { continue }
            if hasError, Validator.isErrorAttribute(globals[place].name) { continue }
            append(globals[place], isFirst: isFirst, to: &line)
            isFirst = false
        }
        if let error {
            JSONWriter.append(name: AttributeName.errorCode, isFirst: isFirst, to: &line)
            JSONWriter.append(Int64(error.code.rawValue), to: &line)
            JSONWriter.append(name: AttributeName.errorMessage, to: &line)
            JSONWriter.append(error.message, to: &line)
        }
    }

    /// Returns true if an attribute has the name of a session or screen attribute. Rare: such names begin with `_s`.
    private func shadowsPreset(_ attributes: Attributes, verdict: AttributeVerdict?) -> Bool {
        let elements = attributes.elements.span
        for place in elements.indices where Characters.areReserved(elements[place].name) {
            if presets.contains(elements[place].name), verdict?.keepsOwn(at: place) ?? true { return true }
        }
        return false
    }

    /// - Returns: the number of attributes written.
    private func writePresetsOneByOne(
        of event: borrowing Event,
        verdict: AttributeVerdict,
        duration: Int64,
        into line: inout some ByteSink & ~Copyable
    ) -> Int {
        var presets: [(String, AttributeValue)] = [
            (AttributeName.sessionID, .string(sessionShown.id)),
            (AttributeName.sessionStart, .integer(sessionShown.start.milliseconds)),
            (AttributeName.sessionNumber, .integer(Int64(sessionShown.number))),
            (AttributeName.sessionDuration, .integer(duration)),
        ]
        if let screenShown {
            presets.append((AttributeName.screenName, .string(screenShown.name)))
            presets.append((AttributeName.screenUniqueID, .string(screenShown.uniqueID)))
        }
        var count = 0
        for (name, value) in presets where event.preset[name] == nil {
            let isOwn = event.own.elements.enumerated().contains { $1.name == name && verdict.keepsOwn(at: $0) }
            if isOwn { continue }
            append(Attributes.Element(name: name, value: value), isFirst: count == 0, to: &line)
            count += 1
        }
        return count
    }

    @inline(__always)
    private func append(
        _ element: borrowing Attributes.Element,
        isFirst: Bool,
        to line: inout some ByteSink & ~Copyable
    ) {
        JSONWriter.append(name: element.name, isFirst: isFirst, to: &line)
        JSONWriter.append(element.value, to: &line)
    }

    @inline(__always)
    private func append(prepared bytes: [UInt8], to line: inout some ByteSink & ~Copyable) {
        bytes.withUnsafeBufferPointer { line.append(contentsOf: $0) }
    }
}
