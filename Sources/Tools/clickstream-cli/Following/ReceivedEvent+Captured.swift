import ClickstreamCore
import ClickstreamJudges

extension ReceivedEvent {
    /// The main values of a captured event, by the labels of a line.
    var capturedValues: [JSONMember] {
        if form == .audit { return auditValues }
        let paths = form == .pulse ? Self.pulseValues : Self.contentsquareValues
        return paths.compactMap { label, path in
            var value: JSONValue? = event
            for name in path { value = value?[name] }
            return value.flatMap { $0.isNested || $0.isNull ? nil : JSONMember(label, $0) }
        }
    }

    /// The activity and the metadata of an audit event, and the number of rows by table and kind of change; of a custom
    /// event, its text.
    private var auditValues: [JSONMember] {
        let fields = ["_id", "event", "timestamp", "data", "activity"]
        let own = (event.members ?? []).filter { !fields.contains($0.name) && !$0.value.isNested }
        let activity = event["activity"].map { [JSONMember("activity", $0)] } ?? []
        guard let text = event["data"]?.string else { return activity + own }
        // Data of a custom event need not be JSON; those of others have a finding if they are not.
        guard name == "read" || name == "write", let payload = try? JSONReader.parse(Array(text.utf8)) else {
            return activity + own + [.text("data", text)]
        }
        return activity + own + Self.rowCounts(of: payload)
    }

    private static func rowCounts(of payload: JSONValue) -> [JSONMember] {
        if let table = payload["type"]?.string, let value = payload["value"], value.members == nil {
            return [JSONMember(table, JSONValue(.number(JSONNumber(integer: Int64(value.array?.count ?? 0)))))]
        }
        return (payload.members ?? []).flatMap { table in
            (table.value.members ?? []).map { list in
                JSONMember(
                    "\(table.name).\(list.name)",
                    JSONValue(.number(JSONNumber(integer: Int64(list.value.array?.count ?? 0))))
                )
            }
        }
    }

    private static let pulseValues: [(label: String, path: [String])] = [
        ("type", ["data", "element", "type"]), ("class", ["data", "element", "class"]),
        ("id", ["data", "element", "id"]), ("value", ["data", "element", "value"]),
        ("sequence", ["data", "element", "sequence"]), ("page", ["data", "parent_info", "class"]),
        ("gesture", ["data", "gesture_params", "type"]), ("target", ["data", "target_info", "class"]),
        ("direction", ["data", "scroll_info", "direction"]), ("distance", ["data", "scroll_info", "distance"]),
        ("depth", ["data", "scroll_info", "scroll_depth"]), ("items", ["data", "items_count"]),
    ]

    private static let contentsquareValues: [(label: String, path: [String])] = [
        ("screen", ["st"]), ("target", ["tvp"]), ("target_id", ["tvid"]), ("direction", ["fd"]), ("distance", ["tvd"]),
        ("velocity", ["tvv"]), ("value", ["tr", "vl"]), ("currency", ["tr", "cu"]), ("transaction", ["tr", "id"]),
        ("key", ["k"]), ("value", ["v"]),
    ]
}
