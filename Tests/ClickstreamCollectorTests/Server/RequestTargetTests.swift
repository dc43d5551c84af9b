import ClickstreamCore
import ClickstreamJudges
import Testing

@testable import ClickstreamCollector

@Suite("Request target")
struct RequestTargetTests {
    @Test(
        "splits path and parameters",
        arguments: [
            ("/collect", "/collect", []), ("/a?", "/a", []), ("/a?b", "/a", ["b", ""]), ("/a?b=", "/a", ["b", ""]),
            ("/a?b=c=d&&e=%2Bf+g#h?i=j", "/a", ["b", "c=d", "e", "+f g"]),
            ("/a%20b?%62=%zz%4", "/a%20b", ["b", "%zz%4"]),
            ("?x=%E2%82%AC%FF", "", ["x", "\u{20AC}\u{FFFD}"]),
        ]
    )
    func parts(_ uri: String, _ path: String, _ parameters: [String]) {
        let target = RequestTarget(uri)
        #expect(target.path == path)
        #expect(target.query.parameters.flatMap { [$0.name, $0.value] } == parameters)
    }

    @Test("uses the first of equal names")
    func first() {
        #expect(RequestTarget("/?a=1&a=2")["a"] == "1")
        #expect(RequestTarget("/?a=1")["b"] == nil)
    }
}
