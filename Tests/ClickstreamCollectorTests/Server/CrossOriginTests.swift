#if Collector
import Testing

@testable import ClickstreamCollector

@Suite("Cross-origin requests")
struct CrossOriginTests {
    /// Pattern, origin, and true if the pattern matches.
    private static let origins: [(String, String, Bool)] = [
        ("https://shop.example", "https://shop.example", true), ("https://shop.example", "HTTPS://Shop.Example", true),
        ("HTTPS://Shop.Example", "https://shop.example", true), ("https://shop.example", "http://shop.example", false),
        ("https://shop.example", "https://shop.example.evil.example", false),
        ("https://shop.example", "https://shopxexample", false),
        ("https://shop.example", "https://a.shop.example", false),
        ("https://shop.example", "https://shop.example/", false), ("https://shop.example", "null", false),
        ("https://shop.example", "", false), ("https://shop.example", "https://shop.example, https://a.example", false),
        ("https://shop.example:443", "https://shop.example", true),
        ("http://shop.example:80", "http://shop.example", true),
        ("https://shop.example", "https://shop.example:443", true),
        ("https://shop.example:80", "https://shop.example", false),
        ("https://shop.example", "https://shop.example:8443", false),
        ("http://localhost:3000", "http://localhost:3000", true), ("http://localhost:3000", "http://localhost", false),
        ("http://localhost:3000", "http://localhost:30000", false), ("http://[::1]:3000", "http://[::1]:3000", true),
        ("http://[0:0:0:0:0:0:0:1]:3000", "http://[::1]:3000", true), ("http://[::1]", "http://[::2]", false),
        ("http://[2001:DB8::1]", "http://[2001:db8::1]", true),
        ("http://[::ffff:127.0.0.1]", "http://[::ffff:7f00:1]", true),
        ("http://127.0.0.1:3000", "http://127.0.0.1:3000", true),
        ("capacitor://localhost", "capacitor://localhost", true),
        ("https://*.shop.example", "https://a.shop.example", true),
        ("https://*.shop.example", "https://a.b.Shop.example", true),
        ("https://*.shop.example", "https://shop.example", false),
        ("https://*.shop.example", "https://.shop.example", false),
        ("https://*.shop.example", "https://evilshop.example", false),
        ("https://*.shop.example", "https://a.shop.example.evil.example", false),
        ("https://*.shop.example", "https://evil.example/.shop.example", false),
        ("https://*.shop.example", "https://evil.example#.shop.example", false),
        ("https://*.shop.example", "http://a.shop.example", false),
        ("https://*.shop.example", "https://a.shop.example:8443", false),
        ("https://*.shop.example:8443", "https://a.shop.example:8443", true),
        ("https://*.shop.example", "https://\u{212A}.shop.example", false),
        ("https://*.shop.example", "https://\(String(repeating: "a.", count: 20_000))shop.example", false),
        ("*", "https://shop.example", true), ("*", "null", true),
        ("*", "https://\(String(repeating: "a", count: 20_000))", false),
    ]

    @Test("match by scheme, host and port", arguments: origins)
    func matches(_ pattern: String, _ origin: String, _ isMatch: Bool) throws {
        #expect((try CrossOrigin([pattern]).headers(for: origin) != nil) == isMatch)
    }

    @Test("are allowed by any of several origins, and by none without")
    func several() throws {
        let crossOrigin = try CrossOrigin(["https://a.example", "https://*.b.example"])
        for (origin, isMatch) in [
            ("https://a.example", true), ("https://c.b.example", true), ("https://b.example", false),
        ] {
            #expect((crossOrigin.headers(for: origin) != nil) == isMatch, "\(origin)")
            #expect(try CrossOrigin([]).headers(for: origin) == nil)
        }
        #expect(try CrossOrigin(["*"]).headers(for: nil) == nil)
    }

    private static let general = "https://shop.example, https://*.shop.example for its subdomains"

    /// Text that is not a pattern, the reason, and the example of a pattern.
    private static let refusals: [(String, String, String)] = [
        (#"^https://shop\.example$"#, "is a regular expression", "https://shop.example"),
        (#"^https://.*\.shop\.example(:\d+)?$"#, "is a regular expression", general),
        (#"^https://.+\.shop\.example$"#, "is a regular expression", "https://*.shop.example"),
        (#"^https:\/\/my\-shop\.example$"#, "is a regular expression", "https://my-shop.example"),
        (#"^https://app\d\.shop\.example$"#, "is a regular expression", general),
        ("https?://shop.example", "is a regular expression", general), (".*", "is a regular expression", general),
        (#"shop\.example"#, "is a regular expression", "https://shop.example"),
        ("(", "is a regular expression", general),
        ("shop.example", "is not an origin", "https://shop.example"),
        ("localhost:3000", "is not an origin", "https://localhost:3000"),
        ("https://shop.example/", "is not an origin", "https://shop.example"),
        ("https://shop.example/cart/1", "is not an origin", "https://shop.example"),
        ("https://a*.shop.example", "is not an origin", general), ("https://*", "is not an origin", general),
        ("https://a.*.shop.example", "is a regular expression", general),
        ("https://*.[::1]", "is a regular expression", general),
        ("http://[:::]", "is a regular expression", general), ("http://[a:b]", "is a regular expression", general),
        ("https://shop..example", "is not an origin", general), ("https://", "is not an origin", general),
        ("https://shop.example:", "is not an origin", general), ("https://shop.example:0", "is not an origin", general),
        ("https://shop.example:65536", "is not an origin", general),
        ("https://shop.example:x", "is not an origin", general),
        ("https://a@shop.example", "is not an origin", general), ("://shop.example", "is not an origin", general),
        ("https://b\u{FC}cher.example", "is not ASCII", general),
        ("https://a\u{1B}.example", "is not an origin", general),
    ]

    @Test("are refused at the start if they are no origin, with a likely one", arguments: refusals)
    func refusal(_ text: String, _ reason: String, _ example: String) throws {
        let error = #expect(throws: CollectorError.self) { try OriginPattern(text) }
        let message = try #require(error).description
        #expect(message.hasPrefix("--cors-origin '"))
        #expect(message.contains("' \(reason)"), "\(message)")
        #expect(message.contains("such as \(example), or '*'"), "\(message)")
        #expect(!message.contains("\u{1B}"))
    }

    @Test("are refused if empty")
    func empty() {
        let error = CollectorError.invalidConfiguration(
            "--cors-origin is empty; leave it out to allow no page of another origin"
        )
        #expect(throws: error) { try OriginPattern("") }
    }
}
#endif
