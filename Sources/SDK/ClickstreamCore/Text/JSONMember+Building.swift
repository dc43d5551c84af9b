/// Members of an object that is built, without source offset. Absent texts and objects are `null`.
extension JSONMember {
    package init(_ name: String, _ kind: JSONValue.Kind) {
        self.init(name, JSONValue(kind))
    }

    package static func number(_ name: String, _ number: some BinaryInteger) -> JSONMember {
        JSONMember(name, .number(JSONNumber(integer: Int64(number))))
    }

    package static func boolean(_ name: String, _ truth: Bool) -> JSONMember {
        JSONMember(name, .boolean(truth))
    }

    package static func text(_ name: String, _ text: String?) -> JSONMember {
        JSONMember(name, text.map { .string($0) } ?? .null)
    }

    package static func list(_ name: String, _ values: [JSONValue]) -> JSONMember {
        JSONMember(name, .array(values))
    }

    package static func list(_ name: String, texts: [String]) -> JSONMember {
        list(name, texts.map { JSONValue(.string($0)) })
    }

    package static func object(_ name: String, _ members: [JSONMember]?) -> JSONMember {
        JSONMember(name, members.map { .object($0) } ?? .null)
    }
}
