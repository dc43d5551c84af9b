import ClickstreamCore

/// Values of an audit event in a line.
enum AuditLine {
    /// Returns the activity and the metadata, and the number of rows by table and kind of change; of a custom event, its
    /// text.
    static func values(of event: JSONValue) -> [JSONMember] {
        let fields = ["_id", "event", "timestamp", "data", "activity"]
        let own = (event.members ?? []).filter { !fields.contains($0.name) && !$0.value.isNested }
        let activity = event["activity"].map { [JSONMember("activity", $0)] } ?? []
        guard var text = event["data"]?.string else { return activity + own }
        // Data of a custom event need not be JSON; those of others have a finding if they are not.
        let name = event["event"]?.string
        let isCustom = name != "read" && name != "write"
        let counts = isCustom ? nil : text.withUTF8 { try? rowCounts(of: UnsafeRawBufferPointer($0)) }
        return activity + own + (counts ?? [JSONMember("data", .string(text))])
    }

    /// Maximum numbers of tables of a payload, and of members of a table, whose rows are counted.
    static let maxTables = 4_096
    static let maxLists = 16

    /// Numbers of rows by table and kind of change. No row is built.
    private static func rowCounts(of payload: UnsafeRawBufferPointer) throws(JSONError) -> [JSONMember] {
        // No other value has tables.
        guard payload.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
            try JSONReader.check(payload)
            return []
        }
        let members = try JSONReader.members(of: payload, maxCount: maxTables)
        if let type = members.last(where: { $0.name == "type" })?.value,
            let rows = members.last(where: { $0.name == "value" })?.value,
            payload[rows.lowerBound] != UInt8(ascii: "{"),
            let table = try counted(payload, type).value.string
        {
            return [.number(table, try counted(payload, rows).omitted)]
        }
        var counts: [JSONMember] = []
        for table in members where payload[table.value.lowerBound] == UInt8(ascii: "{") {
            let text = UnsafeRawBufferPointer(rebasing: payload[table.value])
            for list in try JSONReader.members(of: text, maxCount: maxLists) {
                counts.append(.number("\(table.name).\(list.name)", try counted(text, list.value).omitted))
            }
        }
        return counts
    }

    /// A value without the elements of an array, all of which are omitted.
    private static func counted(
        _ text: UnsafeRawBufferPointer,
        _ range: Range<Int>
    ) throws(JSONError) -> (value: JSONValue, omitted: Int) {
        let bounds = JSONReader.Bounds(objectDepth: 0, arrayDepth: 1, container: 0, values: 0)
        return try JSONReader.parse(UnsafeRawBufferPointer(rebasing: text[range]), within: bounds)
    }
}
