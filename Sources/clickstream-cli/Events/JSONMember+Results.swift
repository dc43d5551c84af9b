#if Tools
import ClickstreamCore

extension JSONMember {
    /// A whole number.
    static func number(_ name: String, _ number: some BinaryInteger) -> JSONMember {
        JSONMember(name, .number(JSONNumber(integer: Int64(number))))
    }

    /// A text; `null` where there is none.
    static func text(_ name: String, _ text: String?) -> JSONMember {
        JSONMember(name, text.map { .string($0) } ?? .null)
    }

    /// A moment in milliseconds; `null` where there is none.
    static func time(_ name: String, _ time: Timestamp?) -> JSONMember {
        JSONMember(name, time.map { .number(JSONNumber(integer: $0.milliseconds)) } ?? .null)
    }
}

/// Results that are printed one by one as they are found: a JSON array in the end, or a JSON value a line.
struct ResultList {
    private let isArray: Bool
    private var waiting: String?
    private var isEmpty = true

    /// - Parameter isArray: true to write all of them as one JSON array.
    init(isArray: Bool) {
        self.isArray = isArray
    }

    mutating func add(_ members: [JSONMember]) throws {
        try add(JSONValue(.object(members)).description)
    }

    /// - Parameter json: one JSON value without a line feed.
    mutating func add(_ json: String) throws {
        guard isArray else { return try ResultStream.standard.write(line: Array(json.utf8)) }
        if let waiting { try ResultStream.standard.write(line: Array("\(waiting),".utf8)) }
        waiting = isEmpty ? "[\(json)" : " \(json)"
        isEmpty = false
    }

    /// Prints what is left; the array is whole then.
    mutating func end() throws {
        if isArray { try ResultStream.standard.write(line: Array("\(waiting ?? "[")]".utf8)) }
        waiting = nil
        try ResultStream.standard.flush()
    }
}
#endif
