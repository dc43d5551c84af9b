import CClickstream
import ClickstreamAnalytics
import ClickstreamCore

/// Settings of a configuration handle.
struct Settings: Sendable {
    /// Snapshot of a running client's configuration; `nil` for a configuration that was created empty.
    private let snapshot: ClickstreamClient.Configuration?
    /// The snapshot, or the defaults, with all changes.
    private(set) var current: ClickstreamClient.Configuration
    /// The changes, in their order.
    private var changes: [(key: String, value: ConfigurationKey.Value)] = []
    var path: String?

    init(snapshot: ClickstreamClient.Configuration? = nil) {
        self.snapshot = snapshot
        current = snapshot ?? ClickstreamClient.Configuration(appID: "")
    }

    /// Sets a key.
    /// - Returns: `CLICKSTREAM_OK`, or the reason why nothing was set.
    mutating func set(_ key: String, to value: ConfigurationKey.Value) -> clickstream_status {
        switch ConfigurationKey.apply(name: key, value: value, to: &current)?.kind {
        case .unknownKey: return CLICKSTREAM_UNKNOWN_KEY
        case .unfitValue: return CLICKSTREAM_INVALID_VALUE
        case .doubtfulValue, nil: break
        }
        changes.append((key, value))
        return CLICKSTREAM_OK
    }

    /// Sets all keys of an `amplifyconfiguration.json` or of a flat object; with an error, none.
    mutating func set(_ json: JSONValue) -> clickstream_status {
        guard var members = json.members else { return CLICKSTREAM_INVALID_JSON }
        if json[ConfigurationFile.pluginPath[0]] != nil {
            guard let plugin = ConfigurationFile.plugin(of: json)?.members else { return CLICKSTREAM_INVALID_JSON }
            members = plugin
        }
        var changed = self
        for member in members {
            let status = changed.set(member.name, to: ConfigurationKey.Value(member.value))
            guard status == CLICKSTREAM_OK else { return status }
        }
        self = changed
        return CLICKSTREAM_OK
    }

    /// Returns the value of a key.
    func value(_ key: String) throws(Refusal) -> ConfigurationKey.Value {
        guard let key = ConfigurationKey.named(key) else { throw Refusal(CLICKSTREAM_UNKNOWN_KEY) }
        return key.value(in: current)
    }

    /// All keys that have a value, as a JSON object.
    var json: String {
        var members: [JSONMember] = []
        for key in ConfigurationKey.all {
            switch key.value(in: current) {
            case .boolean(let truth): members.append(.boolean(key.name, truth))
            case .integer(let integer): members.append(.number(key.name, integer))
            case .text(let text): members.append(.text(key.name, text))
            case .attributes(let attributes): members.append(JSONMember(key.name, JSONValue(attributes)))
            case .null, .unfit: break
            }
        }
        return JSONValue(.object(members)).description
    }

    /// Applies the changes to the configuration of a running client.
    func apply(to configuration: inout ClickstreamClient.Configuration) {
        for (key, value) in changes {
            // A value that is accepted once is accepted again: acceptance does not depend on other keys.
            _ = ConfigurationKey.apply(name: key, value: value, to: &configuration)
        }
    }

    /// The settings for the start of a client.
    var code: ClickstreamConfiguration {
        let code = ClickstreamConfiguration()
        code.configurationFile = path
        code.set { [self] configuration in
            if let snapshot { configuration = snapshot }
            apply(to: &configuration)
        }
        return code
    }
}

extension JSONValue {
    /// Creates an object of attributes. A decimal keeps its digits.
    init(_ attributes: Attributes) {
        self.init(
            .object(
                attributes.map { element in
                    switch element.value {
                    case .string(let text): JSONMember.text(element.name, text)
                    case .integer(let integer): JSONMember.number(element.name, integer)
                    case .boolean(let truth): JSONMember.boolean(element.name, truth)
                    case .double(let double) where double.isFinite:
                        JSONMember(element.name, JSONValue(.number(JSONNumber(double: double))))
                    case .decimal(let number) where number.isFinite:
                        JSONMember(
                            element.name,
                            JSONValue(
                                .number(JSONNumber(text: number.text, integer: nil, double: Double(number.text) ?? 0))
                            )
                        )
                    case .double, .decimal: JSONMember(element.name, JSONValue(.null))
                    }
                }
            )
        )
    }
}
