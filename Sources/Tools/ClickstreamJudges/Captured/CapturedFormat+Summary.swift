package import ClickstreamCore

extension CapturedFormat {
    /// The main values of an event, by the labels of a line.
    package enum Summary: Sendable {
        /// The scalar members at these paths.
        case columns([Column])
        /// Members that depend on the event.
        case members(@Sendable (JSONValue) -> [JSONMember])

        package func values(of event: JSONValue) -> [JSONMember] {
            switch self {
            case .columns(let columns):
                columns.compactMap { column in
                    event[path: column.path].flatMap { $0.isNested || $0.isNull ? nil : JSONMember(column.label, $0) }
                }
            case .members(let values): values(event)
            }
        }
    }

    /// Scalar member of an event under a label.
    package struct Column: Sendable, Hashable {
        package let label: String
        package let path: [String]

        /// - Parameter path: the names of the members that lead to the value.
        init(_ label: String, _ path: String...) {
            self.label = label
            self.path = path
        }
    }
}
