import ClickstreamCore

/// JSON value as a list of scalars with their paths, and the order of the keys of each object.
///
/// The key of an object in an array is its `id`, otherwise its index, so that rearranged elements differ in their order
/// only.
struct JSONOutline {
    private(set) var scalars: [String: JSONValue] = [:]
    private(set) var keys: [String: [String]] = [:]

    init(_ value: JSONValue) {
        append(value, at: "")
    }

    private mutating func append(_ value: JSONValue, at path: String) {
        let prefix = path.isEmpty ? "" : path + "."
        let children: [(key: String, value: JSONValue)]
        switch value.kind {
        case .object(let members): children = members.map { ($0.name, $0.value) }
        case .array(let elements):
            children = elements.enumerated().map { ($1["id"]?.string ?? "\($0)", $1) }
        default:
            scalars[path] = value
            return
        }
        keys[path] = children.map(\.key)
        for (key, value) in children { append(value, at: prefix + key) }
    }

    /// The paths of objects and arrays whose common keys have another order.
    func reordered(_ other: JSONOutline) -> Set<String> {
        Set(
            keys.keys.filter { path in
                guard let own = keys[path], let others = other.keys[path] else { return false }
                return own.filter(others.contains) != others.filter(own.contains)
            }
        )
    }
}
