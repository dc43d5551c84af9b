/// The attributes of every event, with the JSON that usual events take them from.
package struct GlobalAttributes: Sendable {
    package private(set) var attributes: Attributes = [:]
    /// `,"name":value` for each; `nil` when what becomes of one is decided with each event, since the library may have one
    /// of that name.
    private(set) var json: [UInt8]? = []
    /// True if one has a name with the reserved prefix, such as that of an attribute of the library.
    private(set) var hasReservedNames = false

    package init(_ attributes: Attributes = [:]) {
        change { $0 = attributes }
    }

    /// Returns ``json`` for a usual event of another module; `nil` if one of its attributes may have the name of a global one, or
    /// if there would be too many.
    /// - Parameter count: the number of the event's attributes besides `attributes`. The library adds none but these.
    package func json(for attributes: Attributes, besides count: Int) -> [UInt8]? {
        guard let json, json.isEmpty || !hasReservedNames && !attributes.sharesName(with: self.attributes),
            count + attributes.count + self.attributes.count <= Rules.attributes.most
        else { return nil }
        return json
    }

    mutating func merge(_ other: Attributes) {
        change { $0.merge(other) }
    }

    mutating func remove(_ names: [String]) {
        change { for name in names { $0.remove(name) } }
    }

    private mutating func change(_ body: (inout Attributes) -> Void) {
        body(&attributes)
        hasReservedNames = attributes.contains { Characters.areReserved($0.name) }
        var written: [UInt8] = []
        for element in attributes {
            guard !EventWriter.Presets.all.contains(element.name), !Validator.isErrorAttribute(element.name) else {
                json = nil
                return
            }
            JSONWriter.append(name: element.name, to: &written)
            JSONWriter.append(element.value, to: &written)
        }
        json = written
    }
}
