import Testing

@testable import ClickstreamPlan

@Suite("Regular expressions of a plan")
struct PlanPatternTests {
    /// Pattern, text, and true if the pattern matches.
    private static let matches: [(String, String, Bool)] = [
        ("b", "abc", true), ("^b", "abc", false), ("c$", "abc", true), ("^abc$", "abc", true),
        ("^abc$", "abc\n", false),
        ("", "", true), ("^$", "", true), ("^$", "a", false), ("a|b", "xb", true), ("^(?:a|b)+$", "abba", true),
        ("^(ab){2}$", "abab", true), ("^(ab){2}$", "ab", false), ("^a{2,3}$", "aaaa", false),
        ("^a{2,}$", "aaaa", true),
        ("^a*?b$", "aab", true), ("^[a-z_]+$", "a_b", true), ("^[^a-z]+$", "AB1", true), ("^[\\d-]+$", "1-2", true),
        ("^\\d$", "١", false), ("^\\w+$", "é", false), ("^\\S+$", "a\u{A0}", false), ("^.$", "\u{2028}", false),
        ("^.$", "\u{1F600}", true), ("^.{2}$", "e\u{301}", true), ("^\\u00e9$", "\u{E9}", true),
        ("^\\u{1F600}$", "\u{1F600}", true), ("^\\x41\\.\\/$", "A./", true), ("^[\\D]$", "1", false),
        ("a^", "a", false),
        ("^(a|b|)$", "", true), ("(a*)*$", "b", true), ("^(?:a?){20}a{20}$", "aaaaaaaaaaaaaaaaaaaa", true),
        ("^(ab?){0,3}$", "abaab", true), ("^(ab?){0,3}$", "abababab", false), ("^(a|b{0,2}){2,3}$", "abb", true),
        ("^[a-zb-d0-9]+$", "bz5", true), ("^[^a-zb-d]+$", "A", true), ("^[^a-zb-d]+$", "c", false),
        ("[a-ce-g]", "d", false), ("^[e-ga-cx]+$", "xbf", true),
    ]

    @Test("match any part of a text", arguments: matches)
    func match(pattern: String, text: String, isMatch: Bool) throws {
        #expect(try PlanPattern(pattern).matches(text) == isMatch)
    }

    @Test(
        "are refused where engines differ, or with mistakes",
        arguments: [
            ("(a", "the group has no ')' (character 1)"), ("a)", "unmatched ')' (character 2)"),
            ("*a", "nothing to repeat before '*' (character 1)"), ("a**", "nothing to repeat before '*' (character 3)"),
            ("^*", "nothing to repeat before '*' (character 2)"),
            ("a{3,1}", "the numbers of the quantifier are out of order (character 2)"),
            ("a{x}", "a quantifier is written {3}, {3,} or {3,5} (character 2)"),
            ("a{2000}", "a quantifier above 1024 (character 2)"),
            ("[a", "the set of characters has no ']' (character 1)"),
            ("[]", "the set of characters is empty (character 1)"),
            ("[z-a]", "the ends of the range are out of order (character 2)"),
            ("[\\d-z]", "a class such as \\d cannot be the end of a range (character 2)"),
            ("(?=a)", "of the groups with '?' only '(?:…)' is supported (character 1)"),
            ("(a)\\1", "references to groups are not supported (character 4)"),
            ("\\bx", "'\\b' is not supported; use ^, $ or a set of characters (character 1)"),
            ("\\p{L}", "Unicode properties are not supported (character 1)"), ("a\\", "'\\' at the end (character 2)"),
            ("\\y", "unknown escape '\\y' (character 1)"),
            ("a{", "a quantifier is written {3}, {3,} or {3,5} (character 2)"),
            ("}", "'}' must be written '\\}' (character 1)"),
            ("\\uD800", "the escape is not the number of a character (character 1)"),
            ("(a{1000}){1000}", "the pattern needs more than 20000 states"),
        ] as [(String, String)]
    )
    func refused(pattern: String, reason: String) {
        #expect(throws: PlanPattern.ParseError(reason: reason)) { try PlanPattern(pattern) }
    }

    @Test("take time in proportion to the text, where backtracking would take years")
    func linear() throws {
        let text = String(repeating: "a", count: 5_000)
        #expect(try !PlanPattern("^(a|a)*(a|aa)+b$").matches(text))
        #expect(try PlanPattern("((){1024}){1024}").matches(""))
    }

    @Test(
        "visit few states for each character of a long repetition",
        arguments: ["^[a-z]{1,1000}$", "^.{0,1024}$", "^(?:[ab]){500,1000}$", "^(?:ab?){0,1000}$"]
    )
    func steps(pattern: String) throws {
        let available = 1_000_000
        var steps = available
        #expect(try PlanPattern(pattern).matches(String(repeating: "a", count: 1_000), steps: &steps) == true)
        #expect(available - steps < 15_000)
    }

    @Test("have no result if the states that may be visited do not suffice")
    func limit() throws {
        let pattern = try PlanPattern("^(a|b|c)*d")
        var steps = 1_000
        #expect(pattern.matches(String(repeating: "a", count: 10_000), steps: &steps) == nil)
        #expect(steps == 0)
        steps = 1_000
        #expect(pattern.matches("abcd", steps: &steps) == true)
        #expect((900..<1_000).contains(steps))
        // Each character would visit all states.
        let words = try PlanPattern((1_000..<2_000).map { "x\($0)" }.joined(separator: "|"))
        for available in [10, 1_000] {
            steps = available
            #expect(words.matches("y", steps: &steps) == nil)
        }
        #expect(steps == 0)
        steps = 10_000
        #expect(words.matches("y", steps: &steps) == false)
    }

    @Test(
        "are spelled out for other engines",
        arguments: [
            ("^a$", "^a(?![\\s\\S])"), ("\\d+", "[0-9]+"), (".", "[^\\u000A\\u000D\\u2028-\\u2029]"),
            ("[\\w-]", "[0-9A-Z_a-z\\-]"),
            ("(a|b)?", "(?:(?:a|b))?"), ("a{2,5}", "a{2,5}"), ("\\u00e9", "\\u00E9"), ("a-b", "a-b"), ("\\.", "\\."),
        ] as [(String, String)]
    )
    func portable(pattern: String, text: String) throws {
        #expect(try PlanPattern(pattern).portableText == text)
    }
}
