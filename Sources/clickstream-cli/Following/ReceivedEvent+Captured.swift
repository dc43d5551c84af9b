#if Tools
import ClickstreamCore
import ClickstreamTools

extension ReceivedEvent {
    /// The main values of a captured event, by the labels of a line.
    var capturedValues: [JSONMember] {
        let paths = form == .pulse ? Self.pulseValues : Self.contentsquareValues
        return paths.compactMap { label, path in
            var value: JSONValue? = event
            for name in path { value = value?[name] }
            return value.flatMap { $0.isNested || $0.isNull ? nil : JSONMember(label, $0) }
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
#endif
