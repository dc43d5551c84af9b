/// Unique Swift names derived from the names and values of a plan.
struct SwiftNames {
    private var used: Set<String>
    /// The number that the next duplicate of a name gets, if it is free.
    private var numbers: [String: Int] = [:]
    private let reserved: Set<String>
    /// Names that differ from the usual ones.
    private(set) var changes: [SwiftNameChange] = []

    /// Types that generated code refers to, which no generated type may shadow, and names with a meaning in the language.
    static let types: Set<String> = [
        "Any", "Bool", "CaseIterable", "ClickstreamAnalytics", "ClickstreamEvent", "CodingKey", "CodingKeys", "Double",
        "Encodable", "Int", "Item", "Optional", "Protocol", "Self", "Sendable", "String", "Swift", "Type",
    ]

    private static let keywords: Set<String> = [
        "Any", "Self", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default",
        "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
        "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup",
        "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript",
        "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// Names that no property or case can have, even in backticks.
    static let unusableMembers: Set<String> = ["init", "self"]

    /// Names that no case of an enumeration can have: as an optional value `.none` is no case of it.
    static let unusableCases: Set<String> = ["allCases", "init", "none", "self", "some"]

    /// - Parameters:
    ///   - reserved: names of types that get a suffix, and of members that get a prefix.
    ///   - used: names that other types or members have.
    init(reserved: Set<String>, used: Set<String> = []) {
        self.reserved = reserved
        self.used = used
    }

    /// `add_to_cart` becomes `AddToCart`, or `AddToCartEvent` with the suffix `Event` if that name is not available.
    mutating func type(_ name: String, suffix: String, at path: String) -> String {
        let base = Self.typeName(name)
        let isAvailable = !base.isEmpty && !reserved.contains(base) && !used.contains(base)
        let type = unique(isAvailable ? Self.identifier(base, prefix: suffix) : base + suffix)
        note(type, usual: base, at: path)
        return type
    }

    /// Indicates whether the usual name of a type is reserved.
    func reservesType(_ name: String) -> Bool { reserved.contains(Self.typeName(name)) }

    private static func typeName(_ name: String) -> String {
        words(name).map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// `unit_price` becomes `unitPrice`. Keywords are quoted.
    mutating func member(_ name: String, prefix: String = "value", at path: String) -> String {
        let words = Self.words(name)
        let isShouted = name.contains(where: \.isUppercase) && !name.contains(where: \.isLowercase)
        var base =
            isShouted
            ? words.first?.lowercased() ?? "" : words.first.map { $0.prefix(1).lowercased() + $0.dropFirst() } ?? ""
        for word in words.dropFirst() {
            base += word.prefix(1).uppercased() + (isShouted ? word.dropFirst().lowercased() : String(word.dropFirst()))
        }
        let usual = Self.identifier(base.isEmpty ? "empty" : base, prefix: prefix)
        let isReserved = reserved.contains(usual)
        let member = unique(isReserved ? prefix + usual.prefix(1).uppercased() + usual.dropFirst() : usual)
        note(member, usual: usual, at: path)
        return Self.keywords.contains(member) ? "`\(member)`" : member
    }

    private mutating func note(_ name: String, usual: String, at path: String) {
        guard name != usual else { return }
        let reason: SwiftNameChange.Reason = reserved.contains(usual) ? .reserved : .duplicate
        changes.append(SwiftNameChange(path: path, usual: usual, name: name, reason: reason))
    }

    private mutating func unique(_ base: String) -> String {
        guard !used.insert(base).inserted else { return base }
        // All lower numbers are in use.
        var number = numbers[base] ?? 2
        while !used.insert("\(base)_\(number)").inserted { number += 1 }
        numbers[base] = number + 1
        return "\(base)_\(number)"
    }

    /// Words of ASCII letters and digits.
    private static func words(_ name: String) -> [Substring] {
        name.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    }

    private static func identifier(_ base: String, prefix: String) -> String {
        base.first?.isNumber == true ? prefix + base : base
    }

    /// A string literal of Swift.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": literal += "\\\(scalar)"
            case _ where scalar.properties.isWhitespace && scalar != " " || scalar.value < 0x20 || scalar.value == 0x7F:
                literal += "\\u{\(String(scalar.value, radix: 16))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }
}
