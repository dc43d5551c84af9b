package import ClickstreamCore

extension JSONValue {
    /// The value as JSON text with each member and element on a line of its own, with control characters escaped.
    package func indented(_ depth: Int = 0) -> String {
        let inner = String(repeating: "  ", count: depth + 1)
        let outer = String(repeating: "  ", count: depth)
        switch kind {
        case .array(let elements) where !elements.isEmpty:
            return "[\n" + elements.map { inner + $0.indented(depth + 1) }.joined(separator: ",\n") + "\n\(outer)]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map { "\(inner)\(JSONValue(.string($0.name))): \($0.value.indented(depth + 1))" }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(outer)}"
        default:
            return description
        }
    }
}
