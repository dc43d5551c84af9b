/// Unique Swift names derived from the names and values of a plan.
struct SwiftNames {
    private var used: Set<String>
    private let unusable: Set<String>

    /// Types that generated code refers to, which no generated type may shadow.
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
    ///   - used: names that get a number.
    ///   - unusable: names of members that get a prefix.
    init(excluding used: Set<String> = [], unusable: Set<String> = []) {
        self.used = used
        self.unusable = unusable
    }

    /// `add_to_cart` becomes `AddToCart`.
    mutating func type(_ name: String, suffix: String) -> String {
        let words = Self.words(name).map { $0.prefix(1).uppercased() + $0.dropFirst() }
        let base = words.joined()
        return unique(used.contains(base) || base.isEmpty ? base + suffix : Self.identifier(base, prefix: suffix))
    }

    /// `unit_price` becomes `unitPrice`. Keywords are quoted.
    mutating func member(_ name: String, prefix: String = "value") -> String {
        let words = Self.words(name)
        let isShouted = name.contains(where: \.isUppercase) && !name.contains(where: \.isLowercase)
        var base =
            isShouted
            ? words.first?.lowercased() ?? "" : words.first.map { $0.prefix(1).lowercased() + $0.dropFirst() } ?? ""
        for word in words.dropFirst() {
            base += word.prefix(1).uppercased() + (isShouted ? word.dropFirst().lowercased() : String(word.dropFirst()))
        }
        if unusable.contains(base) { base = prefix + base.prefix(1).uppercased() + base.dropFirst() }
        let name = unique(Self.identifier(base.isEmpty ? "empty" : base, prefix: prefix))
        return Self.keywords.contains(name) ? "`\(name)`" : name
    }

    private mutating func unique(_ base: String) -> String {
        var name = base
        var number = 2
        while !used.insert(name).inserted {
            name = "\(base)_\(number)"
            number += 1
        }
        return name
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
