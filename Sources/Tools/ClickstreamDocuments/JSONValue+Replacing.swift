package import ClickstreamCore

extension JSONValue {
    /// The value with a part of it replaced, at a path of names; unchanged if no names lead to a part.
    package func replacing(_ path: ArraySlice<String>, by part: JSONValue) -> JSONValue {
        guard let name = path.first else { return part }
        guard let members else { return self }
        return JSONValue(
            .object(
                members.map { member in
                    guard member.name == name else { return member }
                    return JSONMember(name, member.value.replacing(path.dropFirst(), by: part))
                }
            )
        )
    }
}
