import ClickstreamCore

/// Treatment of one attribute by the manual's table of limits: kept, or refused with a code.
enum Verdict {
    case kept(String, Sighting.Value)
    case refused(Int64)

    init(onEvent element: Attributes.Element) {
        self = Self.judge(element, longest: 1_024, codes: [2_001, 2_002, 2_003, 2_005])
    }

    init(onUser element: Attributes.Element) {
        self = Self.judge(element, longest: 256, codes: [3_002, 3_003, 3_004, 3_005])
    }

    private static func judge(_ element: Attributes.Element, longest: Int, codes: [Int64]) -> Verdict {
        if element.name.unicodeScalars.count > 50 { return .refused(codes[0]) }
        if !isName(element.name) { return .refused(codes[1]) }
        switch element.value {
        case .string(let text):
            return text.unicodeScalars.count > longest ? .refused(codes[2]) : .kept(element.name, .text(text))
        case .integer(let number):
            return .kept(element.name, .whole(number))
        case .boolean(let flag):
            return .kept(element.name, .flag(flag))
        case .double, .decimal:
            // The histories have no numbers but whole ones and those that are none.
            return .refused(codes[3])
        }
    }

    /// Kept attributes of an event or the global ones, and the first code of the refused ones.
    static func sorted(_ elements: [Attributes.Element]) -> (kept: [String: Sighting.Value], code: Int64?) {
        var kept: [String: Sighting.Value] = [:]
        var code: Int64?
        for element in elements {
            switch Verdict(onEvent: element) {
            case .kept(let name, let value): kept[name] = value
            case .refused(let number): code = code ?? number
            }
        }
        return (kept, code)
    }

    /// The id of an item that is kept.
    static func id(_ item: Attributes) -> String? {
        if case .string(let id)? = item["id"], !id.isEmpty { id } else { nil }
    }

    /// Code of the items, whose only possible mistake is a missing id.
    static func code(of items: [Attributes]) -> Int64? {
        items.contains { id($0) == nil } ? 4_006 : nil
    }

    /// Letters, digits and underscores, and no digit first.
    static func isName(_ text: String) -> Bool {
        guard let first = text.first, !("0"..."9").contains(first) else { return false }
        return text.allSatisfy {
            ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
        }
    }
}
