import TestSupport
import Testing

@testable import ClickstreamCore

@Suite("Text compared by its scalars")
struct ExactTextTests {
    @Test(
        "differs if its scalars differ",
        arguments: [
            ("", "", true), ("a", "a", true), ("a", "b", false), ("a", "ab", false), ("", "a", false),
            ("\u{E9}", "\u{E9}", true), ("\u{E9}", "e\u{301}", false), ("K", "\u{212A}", false),
            ("a\u{301}\u{323}", "a\u{323}\u{301}", false), ("a\0b", "a\0c", false),
        ]
    )
    func same(_ one: String, _ other: String, _ isSame: Bool) {
        #expect(Characters.areSame(one, other) == isSame)
        #expect(Characters.areSame(other, one) == isSame)
        #expect(Array(other.utf8).withUnsafeBufferPointer { Characters.areSame(one, $0) } == isSame)
        #expect((ExactText(one) == ExactText(other)) == isSame)
        #expect((ExactText(one).hashValue == ExactText(other).hashValue) || !isSame)
        #expect(JSONValue(.object([JSONMember(one, .null)]))[other] == (isSame ? JSONValue(.null) : nil))
    }

    /// Texts of combining marks of two classes in turn, which differ in the last.
    private static func marks(_ count: Int) -> (String, String) {
        let text = "R" + String(repeating: "\u{301}\u{323}", count: count / 2)
        return (text + "\u{301}", text + "\u{302}")
    }

    @Test("is compared in time proportional to its combining marks")
    func linear() throws {
        let growth = try TimeGrowth(from: 20_000) { count -> (String, String) in
            Self.marks(count)
        } of: { input in
            let (one, other) = input
            #expect(!Characters.areSame(one, other))
            #expect(ExactText(one) != ExactText(other))
            #expect(JSONValue(.object([JSONMember(one, .null)]))[other] == nil)
        }
        #expect(growth.isLinear, "\(growth)")
    }
}
