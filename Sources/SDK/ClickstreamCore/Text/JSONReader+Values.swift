/// Parsing of values, arrays and objects.
extension JSONReader {
    mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        let start = position
        switch current {
        case UInt8(ascii: "{"):
            if depth >= bounds.objectDepth {
                try skipValue(depth: depth)
                return JSONValue(.object([]), offset: start)
            }
            return JSONValue(.object(try members(depth: depth + 1)), offset: start)
        case UInt8(ascii: "["):
            if depth >= bounds.arrayDepth {
                try skipValue(depth: depth)
                return JSONValue(.array([]), offset: start)
            }
            return JSONValue(.array(try elements(depth: depth + 1)), offset: start)
        case UInt8(ascii: "\""):
            return JSONValue(.string(try string()), offset: start)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return JSONValue(.number(try number()), offset: start)
        case UInt8(ascii: "t"):
            try literal("true")
            return JSONValue(.boolean(true), offset: start)
        case UInt8(ascii: "f"):
            try literal("false")
            return JSONValue(.boolean(false), offset: start)
        case UInt8(ascii: "n"):
            try literal("null")
            return JSONValue(.null, offset: start)
        default:
            throw unexpected("a value")
        }
    }

    mutating func members(depth: Int) throws(JSONError) -> [JSONMember] {
        var members: [JSONMember] = []
        guard try open(UInt8(ascii: "}"), depth: depth) else { return members }
        repeat {
            guard reservesCapacity(after: members.count, depth: depth) else {
                try skipMember(depth: depth)
                continue
            }
            let start = position
            let name = try memberName()
            members.append(JSONMember(name, try value(depth: depth), nameOffset: start))
        } while try goesOn(until: UInt8(ascii: "}"))
        return members
    }

    private mutating func memberName() throws(JSONError) -> String {
        guard current == UInt8(ascii: "\"") else { throw unexpected("a name in quotation marks") }
        let name = try string()
        try colon()
        return name
    }

    mutating func elements(depth: Int) throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        guard try open(UInt8(ascii: "]"), depth: depth) else { return elements }
        repeat {
            guard reservesCapacity(after: elements.count, depth: depth) else {
                try skipValue(depth: depth)
                continue
            }
            elements.append(try value(depth: depth))
        } while try goesOn(until: UInt8(ascii: "]"))
        return elements
    }

    /// Reserves space for one more value in a container of `count`; if there is none, counts the value as omitted and
    /// returns false.
    private mutating func reservesCapacity(after count: Int, depth: Int) -> Bool {
        guard depth == 1 ? count < bounds.outermost : count < bounds.container && builtCount < bounds.values else {
            omittedCount += 1
            return false
        }
        if depth > 1 { builtCount += 1 }
        return true
    }
}
