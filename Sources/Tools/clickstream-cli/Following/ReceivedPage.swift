import ClickstreamCore

/// Page of a list of events, whose elements are ranges of the response.
struct ReceivedPage {
    struct Element {
        /// Number of the event in the store.
        var sequence: Int64
        var text: ArraySlice<UInt8>
    }

    var elements: [Element] = []
    /// Cursor of the next page, which is the number of the last element; `nil` on the last page.
    var next: Int64?

    /// - Throws: `JSONError` of the kind `notAnArray` if the page has no array of events.
    init(_ body: [UInt8]) throws(JSONError) {
        let members = try Self.members(of: body[...])
        next = try Self.value("next", of: members, in: body)?.string.flatMap { Int64($0) }
        guard let events = members.last(where: { $0.name == "events" })?.value else {
            throw JSONError(.notAnArray, offset: 0, reason: "no events")
        }
        let ranges = try JSONReader.elements(
            of: body[events],
            maxDepth: JSONReader.deepestNesting,
            maxCount: CollectorReader.pageSize
        )
        for range in ranges {
            let sequence = try Self.value("seq", of: Self.members(of: body[range]), in: body)?.integer ?? 0
            elements.append(Element(sequence: sequence, text: body[range]))
        }
    }

    private static func members(
        of text: ArraySlice<UInt8>
    ) throws(JSONError) -> [(name: String, value: Range<Int>)] {
        try JSONReader.members(of: text, maxDepth: JSONReader.deepestNesting, maxCount: 64)
    }

    /// Value of a member that is neither an array nor an object.
    private static func value(
        _ name: String,
        of members: [(name: String, value: Range<Int>)],
        in body: [UInt8]
    ) throws(JSONError) -> JSONValue? {
        guard let range = members.last(where: { $0.name == name })?.value else { return nil }
        let bounds = JSONReader.Bounds(objectDepth: 0, arrayDepth: 0, container: 0, values: 0)
        return try JSONReader.parse(body[range], within: bounds).value
    }
}
