import ClickstreamCore
import Testing

@Suite("Suggestion")
struct SuggestionTests {
    @Test(
        "is the nearest known word, or none",
        arguments: [
            ("endpiont", "endpoint"), ("endpont", "endpoint"), ("endpoints", "endpoint"), ("ENDPOINT", "endpoint"),
            ("appid", "appId"), ("app_id", "appId"), ("app-id", "appId"), ("apId", "appId"),
            ("isCompressEvent", "isCompressEvents"), ("isLogEvent", "isLogEvents"), ("maxStoreByte", "maxStoreBytes"),
            ("sendEventInterval", "sendEventsInterval"),
            ("", nil), ("colour", nil), ("x", nil), ("completelyDifferent", nil),
            (String(repeating: "a", count: 10_000), nil),
        ] as [(String, String?)]
    )
    func nearest(word: String, expected: String?) {
        #expect(Suggestion.nearest(to: word, among: ConfigurationKey.allNames) == expected)
    }

    @Test("counts a swap of neighbors as one step, and prefers the earliest of equals")
    func steps() {
        #expect(Suggestion.nearest(to: "ab", among: ["cd", "ba"]) == "ba")
        #expect(Suggestion.nearest(to: "cat", among: ["bat", "hat"]) == "bat")
        #expect(Suggestion.question(about: "lanuch", among: ["launch"]) == "did you mean 'launch'?")
        #expect(Suggestion.question(about: "zzz", among: ["launch"]) == nil)
    }
}
