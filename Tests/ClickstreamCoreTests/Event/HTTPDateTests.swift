import Testing

@testable import ClickstreamCore

@Suite("HTTP dates")
struct HTTPDateTests {
    @Test(
        "are formatted with weekday and month, in whole seconds",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (1_709_210_096_999, "Thu, 29 Feb 2024 12:34:56 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ]
    )
    func formats(_ milliseconds: Int64, _ text: String) {
        #expect(Timestamp(milliseconds: milliseconds).httpDate == text)
    }

    @Test(
        "are parsed in their three forms",
        arguments: [
            ("Sat, 21 Nov 2026 08:31:49 GMT", 1_795_249_909), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Saturday, 21-Nov-26 08:31:49 GMT", 1_795_249_909), ("Sat Nov 21 08:31:49 2026", 1_795_249_909),
            ("yesterday", nil), ("Sat, 21 Foo 2026 08:31:49 GMT", nil), ("Sat, 21 Nov 2026 08:31 GMT", nil),
            ("Sat, 21 Nov 2026 08:31:49 CET", nil), ("Wed, 31 Dec 1969 23:59:59 GMT", nil),
        ] as [(String, Int64?)]
    )
    func parses(_ text: String, seconds: Int64?) {
        let now = Timestamp(CivilTime(year: 2026, month: 1, day: 1))
        #expect(Timestamp(httpDate: text, now: now)?.milliseconds == seconds.map { $0 * 1_000 })
    }
}
