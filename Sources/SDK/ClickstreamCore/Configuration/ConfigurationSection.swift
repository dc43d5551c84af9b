/// Keys of one section of a configuration file, such as `analytics.plugins.awsClickstreamPlugin`, in written order.
package struct ConfigurationSection: Sendable, Equatable {
    /// The path of the file.
    package var path: String
    package var entries: [Entry]

    /// Key with its value.
    package struct Entry: Sendable, Equatable {
        /// The path from the section, such as `appId` or `group.someKey`.
        package var name: String
        package var value: JSONValue
        package var namePosition: SourcePosition
        package var valuePosition: SourcePosition
    }

    /// Creates the section from the members of its object.
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - bytes: the text of the file, for the positions.
    ///   - groups: names whose value is an object of keys.
    package init(_ members: [JSONMember], of path: String, in bytes: [UInt8], groups: Set<String> = []) {
        self.path = path
        entries = []
        for member in members {
            if groups.contains(member.name), let keys = member.value.members {
                for key in keys { append(key, named: "\(member.name).\(key.name)", in: bytes) }
            } else {
                append(member, named: member.name, in: bytes)
            }
        }
    }

    private mutating func append(_ member: JSONMember, named name: String, in bytes: [UInt8]) {
        entries.append(
            Entry(
                name: name,
                value: member.value,
                namePosition: SourcePosition(of: member.nameOffset, in: bytes),
                valuePosition: SourcePosition(of: member.value.offset, in: bytes)
            )
        )
    }
}
