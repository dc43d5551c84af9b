import ClickstreamCore

/// Response of the query API with a list, of which a result contains as many elements as fit.
struct MCPList {
    /// Cursor of the elements that are left out.
    enum Cursor: Sendable {
        /// The member `seq` of the last element, as in lists of events.
        case sequence
        /// The index of the next element.
        case index
    }

    /// Bytes for the punctuation of the list and its cursor.
    private static let frameBytes = 64

    private let name: String
    private let body: [UInt8]
    private let members: [(name: String, value: Range<Int>)]
    /// Ranges of the elements in ``body``.
    private let elements: [Range<Int>]

    /// - Parameter name: name of the array.
    init(_ body: [UInt8], _ name: String) throws(MCPFailure) {
        do throws(JSONError) {
            let depth = JSONReader.deepestNesting
            members = try JSONReader.members(of: body[...], maxDepth: depth, maxCount: 64)
            guard let list = members.last(where: { $0.name == name })?.value else {
                throw JSONError(.notAnArray, offset: 0, reason: "no \(name)")
            }
            elements = try JSONReader.elements(of: body[list], maxDepth: depth)
        } catch {
            throw .unexpectedResponse
        }
        self.name = name
        self.body = body
    }

    /// The first element; `nil` for an empty list.
    func first() throws(MCPFailure) -> JSONValue? {
        guard let range = elements.first else { return nil }
        return try MCPResult.value(body[range])
    }

    /// The object with the elements from an index on that fit into `maxBytes`, and `next`: the cursor of the following ones, or null.
    /// Other arrays and objects that would take more than half of it are left out, and named in `omitted`.
    /// - Parameter advice: remedy for an element that is too large alone.
    func page(_ cursor: Cursor, from start: Int = 0, maxBytes: Int, advice: String) throws(MCPFailure) -> [UInt8] {
        var writer = ObjectWriter()
        writer.beginObject()
        let (kept, omitted) = try others(upTo: maxBytes / 2)
        for other in kept {
            writer.begin(named: other.name)
            writer.bytes += other.json
        }
        if !omitted.isEmpty { writer.array("omitted", of: omitted) { $0.element($1) } }
        let capacity = maxBytes - writer.bytes.count - name.utf8.count - Self.frameBytes
        var list: [UInt8] = []
        var last: JSONValue?
        var end = min(start, elements.count)
        let begin = end
        while end < elements.count {
            let value = try MCPResult.value(body[elements[end]])
            let element = MCPResult.readable(value)
            guard list.count + element.count < capacity else {
                if end > begin { break }
                throw MCPFailure(
                    .tooLarge,
                    "an element of \(name) has \(element.count) bytes, which do not fit into a result of \(maxBytes); \(advice)",
                    next: cursor == .index ? "\(end + 1)" : value.sequence
                )
            }
            if end > begin { list.append(UInt8(ascii: ",")) }
            list += element
            last = value
            end += 1
        }
        writer.begin(named: name)
        writer.bytes += [UInt8(ascii: "[")] + list + [UInt8(ascii: "]")]
        writer.member("next", orNull: try next(cursor, after: last, end))
        writer.endObject()
        return writer.bytes
    }

    /// The members beside the list and its cursor, and the names of those that are left out: of the arrays and objects the largest ones.
    /// - Parameter capacity: maximum bytes of all, unless the other values alone have more.
    private func others(
        upTo capacity: Int
    ) throws(MCPFailure) -> (kept: [(name: String, json: [UInt8])], omitted: [String]) {
        var kept: [(name: String, json: [UInt8])] = []
        for member in members where member.name != name && member.name != "next" {
            kept.append((member.name, MCPResult.readable(try MCPResult.value(body[member.value]))))
        }
        var omitted: [String] = []
        while kept.reduce(0, { $0 + $1.json.count }) > capacity {
            let nested = kept.indices.filter { [UInt8(ascii: "["), UInt8(ascii: "{")].contains(kept[$0].json.first) }
            guard let largest = nested.max(by: { kept[$0].json.count < kept[$1].json.count }) else { break }
            omitted.append(kept.remove(at: largest).name)
        }
        return (kept, omitted)
    }

    /// - Parameter end: index after the last element of the result.
    private func next(_ cursor: Cursor, after last: JSONValue?, _ end: Int) throws(MCPFailure) -> String? {
        if end < elements.count { return cursor == .index ? "\(end)" : last?.sequence }
        guard cursor == .sequence, let range = members.last(where: { $0.name == "next" })?.value else { return nil }
        return try MCPResult.value(body[range]).string
    }
}

extension JSONValue {
    /// Number of an event in its store, as a cursor.
    fileprivate var sequence: String? { self["seq"]?.number?.text }
}
