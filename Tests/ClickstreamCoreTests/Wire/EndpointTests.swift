import ClickstreamCore
import Testing

@Suite("Endpoint")
struct EndpointTests {
    @Test(
        "splits a URL and joins it again",
        arguments: [
            ("https://example.com/collect", .https, "example.com", 443, "/collect", nil),
            ("http://127.0.0.1:9090/collect", .http, "127.0.0.1", 9_090, "/collect", nil),
            ("http://[::1]:8080/c", .http, "::1", 8_080, "/c", nil),
            ("https://[2001:db8::1]/", .https, "2001:db8::1", 443, "/", nil),
            ("http://a_b.local/x/y%20z?keep=1&k=%2B", .http, "a_b.local", 80, "/x/y%20z", "keep=1&k=%2B"),
            ("http://localhost:65535/?", .http, "localhost", 65_535, "/", ""),
            ("http://h./a;b=c,d@e:f!$&'()*~", .http, "h.", 80, "/a;b=c,d@e:f!$&'()*~", nil),
            ("https://h/p?a=?/", .https, "h", 443, "/p", "a=?/"),
        ] as [(String, Endpoint.Scheme, String, Int, String, String?)]
    )
    func accepts(text: String, scheme: Endpoint.Scheme, host: String, port: Int, path: String, query: String?) throws {
        let endpoint = try Endpoint(text)
        #expect(endpoint.scheme == scheme)
        #expect(endpoint.host == host)
        #expect(endpoint.port == port)
        #expect(endpoint.path == path)
        #expect(endpoint.query == query)
        #expect(endpoint.description == text)
    }

    @Test(
        "adds the default path and port",
        arguments: [
            ("http://h", "http://h/", 80), ("HTTPS://H", "https://H/", 443), ("http://h?x=1", "http://h/?x=1", 80),
            ("http://h:80", "http://h:80/", 80),
        ]
    )
    func supplies(text: String, whole: String, port: Int) throws {
        let endpoint = try Endpoint(text)
        #expect(endpoint.description == whole)
        #expect(endpoint.port == port)
    }

    @Test(
        "reports the problem",
        arguments: [
            ("", .empty), ("example.com/collect", .scheme(nil)), ("//h/p", .scheme(nil)), ("http:/h", .scheme(nil)),
            ("ftp://h/", .scheme("ftp")), ("://h", .scheme("")), ("httpx://h", .scheme("httpx")),
            ("http://", .host("")),
            ("http:///p", .host("")), ("http://:80/", .host("")), ("http://?x", .host("")),
            ("http://a..b/", .host("a..b")),
            ("http://.a/", .host(".a")), ("http://./", .host(".")), ("http://a%20b/", .host("a%20b")),
            ("http://[::1/", .host("[::1")), ("http://[1]/", .host("[1]")),
            ("http://[fe80::1%25eth0]/", .host("[fe80::1%25eth0]")),
            ("http://h:/", .port(":")), ("http://h:0/", .port(":0")), ("http://h:65536/", .port(":65536")),
            ("http://h:8x/", .port(":8x")), ("http://h:-1/", .port(":-1")), ("http://[::1]8/", .port("8")),
            ("http://h:99999999999999999999/", .port(":99999999999999999999")), ("http://u:p@h/", .userInfo),
            ("http://h/#f", .fragment), ("http://h/p?a#", .fragment), ("http://h/a b", .character(" ")),
            (" http://h/", .character(" ")), ("http://h/\n", .character("\n")), ("http://h/\r\nx: y", .character("\r")),
            ("http://h\u{E9}/", .character("\u{E9}")), ("http://h/\"", .character("\"")),
            ("http://h/{a}", .character("{")),
            ("http://h/[a]", .character("[")), ("http://h/\\", .character("\\")), ("http://h/%", .escape),
            ("http://h/%2", .escape), ("http://h/%zz", .escape), ("http://h/?a=%4", .escape),
            ("http://h/%%41", .escape),
        ] as [(String, EndpointError)]
    )
    func refuses(text: String, error: EndpointError) {
        #expect(throws: error) { try Endpoint(text) }
        // The cause, then what to do.
        #expect(error.description.contains(/; (use|start|add|remove|write|percent-encode)\b/))
    }

    @Test(
        "advises to remove a control character, and to encode any other",
        arguments: [
            ("\n", "remove it"), ("\u{1B}", "remove it"), ("\u{2028}", "remove it"), (" ", "percent-encode it"),
        ] as [(Unicode.Scalar, String)]
    )
    func remedy(character: Unicode.Scalar, remedy: String) {
        #expect(EndpointError.character(character).description.hasSuffix("not allowed; \(remedy)"))
    }

    @Test(
        "names the source of a text and the escaped text, unless it may contain a password",
        arguments: [
            ("http://h/collect", nil), ("http://h/a b", "X 'http://h/a b': \(EndpointError.character(" "))"),
            ("http://h/\u{200B}", "X 'http://h/\\u200b': \(EndpointError.character("\u{200B}"))"),
            ("http://h/\n", "X 'http://h/\\u000a': \(EndpointError.character("\n"))"),
            ("", "X: \(EndpointError.empty)"), ("http://carl:sec ret@h/", "X: \(EndpointError.character(" "))"),
        ] as [(String, String?)]
    )
    func refusal(text: String, message: String?) {
        #expect(Endpoint.refusal(of: text, from: "X") == message)
        let bare = message.map { String($0.dropFirst($0.hasPrefix("X: ") ? 3 : 2)) }
        #expect(Endpoint.refusal(of: text, from: nil) == bare)
    }

    @Test("never shows a password")
    func hidesPassword() {
        let error = #expect(throws: EndpointError.self) { try Endpoint("http://carl:secret@h/") }
        #expect(error?.description.contains("secret") == false)
        #expect(error?.description.contains("carl") == false)
    }

    @Test(
        "keeps its own query first",
        arguments: [
            ("http://h/c", "/c?a=1"), ("http://h", "/?a=1"), ("http://h/c?", "/c?a=1"),
            ("http://h/c?k=v", "/c?k=v&a=1"),
        ]
    )
    func adds(text: String, target: String) throws {
        #expect(try Endpoint(text).target(adding: "a=1") == target)
    }
}
