import ClickstreamCore
import ClickstreamReplay

/// The event: of the caller, sampled, and with what is common to all.
extension SecondOpinion {
    /// X2 to X4.
    mutating func record(_ name: String, _ attributes: Attributes, _ items: [Attributes]) {
        guard name.unicodeScalars.count <= 50 else { return complain(1_002) }
        guard Verdict.isName(name) else { return complain(1_001) }
        let (own, code) = Verdict.sorted(attributes.map { $0 })
        var all = Self.with(code ?? Verdict.code(of: items), in: own)
        if let rate = rate(of: name) {
            guard isInSample(name, rate) else {
                outcomes.sampledOut += 1
                return
            }
            all["_sampling_rate"] = .real(rate)
        }
        var event = sighting(name, all, without: attributes.map(\.name))
        event.items = items.compactMap(Verdict.id)
        past[now].reported.append(event)
    }

    static func with(_ code: Int64?, in own: [String: Sighting.Value]) -> [String: Sighting.Value] {
        guard let code else { return own }
        return own.merging(["_error_code": .whole(code), "_error_message": .words]) { $1 }
    }

    mutating func complain(_ code: Int64) {
        report("_clickstream_error", ["_error_code": .whole(code), "_error_message": .words])
    }

    // MARK: Sampling

    private func rate(of name: String) -> Double? {
        guard case .attributes(let rates)? = value("sampling") else { return nil }
        switch rates[name] {
        case .integer(let number): return Double(number)
        case .double(let number): return number
        default: return nil
        }
    }

    /// By the first 53 bits of the digest of device and name, as a fraction.
    private func isInSample(_ name: String, _ rate: Double) -> Bool {
        var position = 0.0
        for byte in SHA256.digest(of: Array("\(deviceID) \(name)".utf8)).prefix(8).reversed() {
            position = (position + Double(byte)) / 256
        }
        return position < rate
    }

    // MARK: The event itself

    mutating func report(
        _ name: String,
        _ attributes: [String: Sighting.Value] = [:],
        in stretch: Stretch? = nil
    ) {
        past[now].reported.append(sighting(name, attributes, in: stretch))
    }

    /// The event with what is common to all: session, screen, globals, user.
    /// - Parameter names: globals that do not hold for it, since it has, or was to have, its own.
    func sighting(
        _ name: String,
        _ attributes: [String: Sighting.Value],
        without names: [String] = [],
        in given: Stretch? = nil
    ) -> Sighting {
        let stretch = given ?? currentStretch
        var all = globals.filter { !names.contains($0.key) }
        all["_screen_name"] = shown?.name
        all["_screen_unique_id"] = shown?.uniqueID
        all["_session_id"] = .sessionID(stretch)
        all["_session_number"] = .whole(stretch.number)
        all["_session_start_timestamp"] = .whole(start(of: stretch))
        all["_session_duration"] = .whole(duration(of: stretch))
        // What is wrong with a step is recorded before the step changes anything.
        let profile = profile(before: name == "_profile_set" ? now + 1 : now)
        var user = profile.traits
        if !gate.isPersonal { user = user.filter { $0.key == "_user_first_touch_timestamp" } }
        if name != "_profile_set", !isSet("userAttributesInEveryEvent", otherwise: true) {
            user = user.filter { $0.key == "_user_id" || $0.key == "_user_first_touch_timestamp" }
        }
        return Sighting(
            name: name,
            time: past[now].wall,
            attributes: all.merging(attributes) { $1 },
            user: user,
            person: profile.person,
            appVersion: stated(\.app.version, before: now + 1) ?? ""
        )
    }

    // MARK: Looking back: globals

    var configuredGlobals: [Attributes.Element] {
        if case .attributes(let attributes)? = value("globalAttributes") { Array(attributes) } else { [] }
    }

    private var globals: [String: Sighting.Value] {
        var globals: [String: Sighting.Value] = [:]
        let end = if case .addGlobalAttributes = past[now].action { life.endIndex - 1 } else { life.endIndex }
        for entry in life[..<end] {
            switch entry.action {
            case .launch: globals = Verdict.sorted(configuredGlobals).kept
            case .addGlobalAttributes(let attributes):
                globals.merge(Verdict.sorted(attributes.map { $0 }).kept) { $1 }
            case .deleteGlobalAttributes(let names):
                for name in names { globals[name] = nil }
            default: break
            }
        }
        return globals
    }
}
