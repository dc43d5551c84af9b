import ClickstreamCore

extension JSONMember {
    /// A time in milliseconds since 1970, or `null`.
    static func time(_ name: String, _ time: Timestamp?) -> JSONMember {
        JSONMember(name, time.map { .number(JSONNumber(integer: $0.milliseconds)) } ?? .null)
    }
}

/// Results printed one by one: text for a person, one JSON object per line, or the elements of one JSON array.
struct ResultList {
    private let format: OutputFormat
    /// Last element of the array, printed with a comma when the next one is added.
    private var lastElement: String?
    private var isEmpty = true

    init(_ format: OutputFormat) {
        self.format = format
    }

    /// - Parameters:
    ///   - text: one or more lines for a person.
    ///   - members: the JSON object.
    mutating func add(_ text: @autoclosure () -> String, or members: @autoclosure () -> [JSONMember]) throws {
        switch format {
        case .human: try write(text())
        case .ndjson: try write(JSONValue(.object(members())).description)
        case .json:
            if let lastElement { try write(lastElement + ",") }
            lastElement = (isEmpty ? "[" : " ") + JSONValue(.object(members())).description
            isEmpty = false
        }
    }

    /// Completes the array, and flushes standard output.
    mutating func end() throws {
        if format == .json { try write((lastElement ?? "[") + "]") }
        lastElement = nil
        try ResultStream.standard.flush()
    }

    private func write(_ text: String) throws {
        try ResultStream.standard.write(line: Array(text.utf8))
    }
}
