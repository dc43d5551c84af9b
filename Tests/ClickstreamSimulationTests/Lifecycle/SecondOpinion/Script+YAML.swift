import ClickstreamCore
import ClickstreamReplay

extension Script {
    /// The script as a person writes it, so that a finding can be replayed; without time zone and device.
    var yaml: String {
        var lines = ["clickstream: 1", "seed: \(seed)"]
        if let start { lines.append("start: \(start)") }
        lines.append("config: \(Self.flow(facts.configuration))")
        if let app = Self.flow(facts.app) { lines.append("app: \(app)") }
        if let device = Self.flow(facts.device) { lines.append("device: \(device)") }
        lines.append("steps:")
        lines += steps.map { "  - " + Self.line($0.action) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func line(_ action: Step.Action) -> String {
        switch action {
        case .launch(let facts): launch(facts)
        case .foreground: "foreground"
        case .background: "background"
        case .terminate: "terminate"
        case .kill: "kill"
        case .crash(let message, let stack): "crash: { message: \(quoted(message)), stack: \(quoted(stack)) }"
        case .wait(let milliseconds): "wait: \(milliseconds)ms"
        case .sleep(let milliseconds): "sleep: \(milliseconds)ms"
        case .clock(.by(let milliseconds)): "clock: \(milliseconds < 0 ? "-" : "+")\(abs(milliseconds))ms"
        case .clock(.to(let time)): "clock: \(time)"
        case .screen(let name, let id, let uniqueID, _):
            "screen: "
                + flow([
                    ("name", quoted(name)), ("id", id.map { quoted($0) }), ("unique_id", uniqueID.map { quoted($0) }),
                ])
        case .record(let name, let attributes, let items):
            "record: "
                + flow([
                    ("name", quoted(name)), ("attributes", attributes.isEmpty ? nil : flow(attributes)),
                    ("items", items.isEmpty ? nil : "[ " + items.map { flow($0) }.joined(separator: ", ") + " ]"),
                ])
        case .userID(let id): "user_id: " + (id.map { quoted($0) } ?? "null")
        case .addUserAttributes(let attributes): "user: " + flow(attributes)
        case .addGlobalAttributes(let attributes): "global: " + flow(attributes)
        case .deleteGlobalAttributes(let names):
            "delete_global: [ " + names.map { quoted($0) }.joined(separator: ", ") + " ]"
        case .configure(let entries, _): "configure: " + flow(entries)
        case .enable: "enable"
        case .disable: "disable"
        case .consent(let steps):
            "consent: " + flow(steps.map { ($0.purpose.rawValue, $0.decision.rawValue) })
        case .flush: "flush"
        case .network(let change): "network: \(change)"
        case .repeat(let times, let steps):
            "repeat: { times: \(times), steps: [ "
                + steps.map { "{ \(line($0.action)) }" }.joined(separator: ", ") + " ] }"
        // Histories have no user interface.
        default: preconditionFailure("Invalid state: \(action)")
        }
    }

    private static func launch(_ facts: LaunchFacts) -> String {
        let parts = [
            ("app", flow(facts.app)), ("device", flow(facts.device)),
            ("config", facts.configuration.isEmpty ? nil : flow(facts.configuration)),
        ]
        return parts.allSatisfy { $0.1 == nil } ? "launch" : "launch: " + flow(parts)
    }

    private static func flow(_ app: AppFacts) -> String? {
        let parts = [("version", app.version.map { quoted($0) })]
        return parts.allSatisfy { $0.1 == nil } ? nil : flow(parts)
    }

    private static func flow(_ device: DeviceFacts) -> String? {
        let parts = [("os_version", device.osVersion.map { quoted($0) })]
        return parts.allSatisfy { $0.1 == nil } ? nil : flow(parts)
    }

    private static func flow(_ entries: [ConfigurationEntry]) -> String {
        flow(
            entries.map { entry in
                switch entry.value {
                case .boolean(let flag): (entry.key, "\(flag)")
                case .integer(let number): (entry.key, "\(number)")
                case .text(let text): (entry.key, quoted(text))
                case .attributes(let attributes): (entry.key, flow(attributes))
                case .null, .unfit: (entry.key, "null")
                }
            }
        )
    }

    private static func flow(_ attributes: Attributes) -> String {
        flow(attributes.map { (quoted($0.name), scalar($0.value)) })
    }

    private static func flow(_ pairs: [(String, String?)]) -> String {
        let parts = pairs.compactMap { name, value in value.map { "\(name): \($0)" } }
        return parts.isEmpty ? "{}" : "{ " + parts.joined(separator: ", ") + " }"
    }

    private static func scalar(_ value: AttributeValue) -> String {
        switch value {
        case .string(let text): quoted(text)
        case .integer(let number): "\(number)"
        case .double(let number): number.isFinite ? "\(number)" : number.isNaN ? ".nan" : number < 0 ? "-.inf" : ".inf"
        case .boolean(let flag): "\(flag)"
        case .decimal(let number): number.text
        }
    }

    private static func quoted(_ text: String) -> String {
        JSONValue(.string(text)).description
    }
}
