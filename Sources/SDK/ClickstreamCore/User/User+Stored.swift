/// Form of a user in the stored state and in the file of known users.
extension User {
    /// Appends the user as one JSON object.
    func writeStored(into bytes: inout [UInt8]) {
        JSONWriter.append(raw: #"{"unique_id":"#, to: &bytes)
        JSONWriter.append(uniqueID, to: &bytes)
        JSONWriter.append(raw: #","first_touch":"#, to: &bytes)
        JSONWriter.append(firstTouch.milliseconds, to: &bytes)
        if let login {
            JSONWriter.append(raw: #","id":"#, to: &bytes)
            JSONWriter.append(login.id, to: &bytes)
            JSONWriter.append(raw: #","login":"#, to: &bytes)
            JSONWriter.append(login.set.milliseconds, to: &bytes)
        }
        JSONWriter.append(raw: #","attributes":["#, to: &bytes)
        for (index, attribute) in attributes.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONWriter.append(raw: #"{"name":"#, to: &bytes)
            JSONWriter.append(attribute.name, to: &bytes)
            JSONWriter.append(raw: #","type":"#, to: &bytes)
            JSONWriter.append(attribute.value.typeName, to: &bytes)
            JSONWriter.append(raw: #","value":"#, to: &bytes)
            JSONWriter.append(attribute.value.text, to: &bytes)
            JSONWriter.append(raw: #","set":"#, to: &bytes)
            JSONWriter.append(attribute.set.milliseconds, to: &bytes)
            bytes.append(UInt8(ascii: "}"))
        }
        JSONWriter.append(raw: "]}", to: &bytes)
    }

    /// Decodes ``writeStored(into:)``; returns `nil` if the value is not a user.
    init?(stored value: JSONValue) {
        guard let uniqueID = value["unique_id"]?.string, let touch = value["first_touch"]?.integer else { return nil }
        self.init(uniqueID: uniqueID, firstTouch: Timestamp(milliseconds: touch))
        if let id = value["id"]?.string, let set = value["login"]?.integer {
            login = Login(id: id, set: Timestamp(milliseconds: set))
        }
        for entry in value["attributes"]?.array ?? [] {
            guard let name = entry["name"]?.string, let type = entry["type"]?.string, let text = entry["value"]?.string,
                let set = entry["set"]?.integer, let attribute = AttributeValue(type: type, text: text)
            else { return nil }
            attributes.append(Attribute(name: name, value: attribute, set: Timestamp(milliseconds: set)))
        }
    }
}

extension AttributeValue {
    /// The stored name of the value's type.
    fileprivate var typeName: String {
        switch self {
        case .string: "string"
        case .integer: "integer"
        case .double: "double"
        case .boolean: "boolean"
        case .decimal: "decimal"
        }
    }

    /// The stored text of the value, without loss of precision.
    fileprivate var text: String {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .double(let number): String(number.bitPattern, radix: 16)
        case .boolean(let flag): flag ? "true" : "false"
        case .decimal(let number): number.text
        }
    }

    fileprivate init?(type: String, text: String) {
        switch type {
        case "string":
            self = .string(text)
        case "integer":
            guard let number = Int64(text) else { return nil }
            self = .integer(number)
        case "double":
            guard let bits = UInt64(text, radix: 16) else { return nil }
            self = .double(Double(bitPattern: bits))
        case "boolean":
            self = .boolean(text == "true")
        case "decimal":
            self = .decimal(DecimalNumber(text: text, isFinite: true))
        default:
            return nil
        }
    }
}
