#if Collector
import Testing

@testable import ClickstreamCollector

@Suite("Regular expression")
struct RegularExpressionTests {
    /// Pattern, text, and true if the pattern matches.
    private static let texts: [(String, String, Bool)] = [
        ("^https://shop\\.example$", "https://shop.example", true),
        ("^https://shop\\.example$", "https://shopxexample", false),
        ("shop", "https://SHOP.example", true), ("(?-i)shop", "https://SHOP.example", false),
        ("^https?://(.+\\.)?shop\\.example(:\\d{2,5})?$", "http://a.b.shop.example:8080", true),
        ("^https?://(.+\\.)?shop\\.example(:\\d{2,5})?$", "http://a.b.shop.example:8", false),
        ("^https?://(.+\\.)?shop\\.example(:\\d{2,5})?$", "http://evilshop.example", false),
        ("(a|b)*c", "ababab", false), ("(a|b)*c", "ababc", true), ("^(?:a|ab)(?:c|bcd)$", "abcd", true),
        ("[a-c&&-]+$", "&-", true), ("[^a-z]", "abc", false), ("[]a]", "]", true), ("[^]a]", "]", false),
        ("[[:digit:][:upper:]_-]{3}", "7Z-", true), ("^[\\w.]+$", "a.b_c", true), ("^[\\W]$", "a", false),
        ("\\bshop\\b", "a-shop.b", true), ("\\bshop\\b", "ashop", false), ("\\Bop", "shop", true),
        ("a{2}", "a", false), ("a{2}", "aa", true), ("a{,2}", "a{,2}", true), ("x{2,}y", "xxxxy", true),
        ("^(?!.*evil).*$", "https://evil.example", false), ("^(?!.*evil).*$", "https://good.example", true),
        ("(?<=//)shop", "http://shop", true), ("(?<=//)shop", "http://a.shop", false),
        ("(?<!a)b", "ab", false), ("(?=x)y", "xy", false), ("(?<name>a)+?b", "aab", true),
        ("\\Qa.b\\E", "axb", false),
        ("\\Qa.b\\E", "a.b", true), ("\\x61\\u0062", "ab", true), ("^a|b$", "xb", true), ("^$", "", true),
        ("", "anything", true), (".", "\n", false), ("a(?#comment)b", "ab", true), ("x(?i)Y", "xy", true),
    ]

    @Test("matches like PCRE", arguments: texts)
    func matches(_ pattern: String, _ text: String, _ expected: Bool) throws {
        let ignoresCase: Bool = !pattern.contains("(?") || pattern.contains("(?-i)")
        let expression = try RegularExpression(pattern, ignoringCase: ignoresCase)
        #expect(expression.matches(in: text) == expected)
    }

    @Test(
        "takes time linear in the text, for any pattern",
        .timeLimit(.minutes(10)),
        arguments: [
            "(a+)+$", "^(a+)+$", "(a*)*b", "^(a|a)*$", "^(a|aa)+$", "(a|a?)+$", "((a+)+)+$",
            "^(([a-z])+.)+[A-Z]([a-z])+$",
            "(.*)*x", "^(\\w+\\s?)*$", "(a?){30}a{30}$", "^(?=(a+)+$)", "(?<=(a|aa)+)b$", "(x+x+)+y", "([a-zA-Z]+)*$",
            "(.*a){20}$", "^(a{1,20}){1,20}$", "(a|b|ab)*c", "(^a+)*$", "(()|a)*$",
        ]
    )
    func linear(_ pattern: String) throws {
        let expression = try RegularExpression(pattern, ignoringCase: true)
        /// Steps of a match with so many repetitions of a text.
        func steps(_ text: String, _ count: Int) -> Int {
            var left = RegularExpression.mostSteps
            _ = expression.matches(in: String(repeating: text, count: count) + "!", steps: &left)
            return RegularExpression.mostSteps - left
        }
        for text in ["a", "ab"] {
            let (short, long) = (steps(text, 100), steps(text, 200))
            // A lookaround takes time in proportion to the text at each place of it.
            #expect(long <= short * (pattern.contains("(?<") ? 5 : 3), "\(short), \(long)")
            #expect(long < RegularExpression.mostSteps)
        }
    }

    @Test("ends a match that lookarounds within lookarounds make long, as none", .timeLimit(.minutes(10)))
    func lookarounds() throws {
        var pattern = "a*!"
        for _ in 0..<5 { pattern = "(?:a(?=\(pattern))|a)*!" }
        let expression = try RegularExpression(pattern)
        #expect(expression.matches(in: "aaaa!"))
        var left = RegularExpression.mostSteps
        #expect(!expression.matches(in: String(repeating: "a", count: 511) + "!", steps: &left))
        #expect(left < 0)
    }

    @Test(
        "rejects invalid expressions, and those without linear time",
        arguments: [
            "(", ")", "[", "[a", "a**b\\", "*", "+a", "(?>a)", "a++", "(a)\\1", "(?R)", "[z-a]", "a{3,1}", "a{9999}",
            "((a{1,900}){1,900}){1,900}", "\\p{L}", "[[:nope:]]", "(?x)a", String(repeating: "(", count: 1_000), "\\",
        ]
    )
    func mistakes(_ pattern: String) {
        #expect(throws: RegularExpression.Mistake.self) { try RegularExpression(pattern) }
        #expect(CollectorConfiguration.corsOriginMistake(pattern) != nil)
    }

    @Test("does not block a connection with an expression that backtracks", .timeLimit(.minutes(10)))
    func origin() async throws {
        try await withCollector(CollectorConfiguration(corsOrigin: "^https://(([a-z])+.)+[A-Z]([a-z])+$")) {
            collector in
            for origin in ["https://" + String(repeating: "a", count: 60), String(repeating: "a", count: 20_000)] {
                let response = try await collector.post("[]", headers: ["Origin": origin])
                #expect(response.status == 200)
            }
        }
    }
}
#endif
