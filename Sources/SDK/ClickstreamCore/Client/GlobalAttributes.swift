/// The attributes of every event, with the JSON that usual events take them from.
package struct GlobalAttributes: Sendable {
    package private(set) var attributes: Attributes = [:]
    /// `,"name":value` for each; `nil` when what becomes of one is decided with each event, since the library may have one
    /// of that name.
    private var json: [UInt8]? = []
    /// True if one has a name with the reserved prefix, such as that of an attribute of the library.
    private var hasReservedNames = false

    package init(_ attributes: Attributes = [:]) {
        change { $0 = attributes }
    }

    /// Returns ``json`` for an event on the fast path; `nil` if one of its attributes may have the name of a global one, or if
    /// there would be too many. ``EventObject`` then decides which one is written.
    /// - Parameters:
    ///   - attributes: the caller's attributes.
    ///   - count: the number of all attributes, the library's and global ones included.
    ///   - hasReservedNames: true if the library adds other attributes to the event than ``EventWriter/Presets/all``.
    @inline(__always)
    package func json(for attributes: Attributes, count: Int, hasReservedNames: Bool) -> [UInt8]? {
        guard let json, count <= Rules.attributes.maxCount,
            json.isEmpty
                || !(hasReservedNames && self.hasReservedNames)
                    && !attributes.sharesName(with: self.attributes)
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
