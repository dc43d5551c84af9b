import ClickstreamCore
import Testing

@testable import ClickstreamCollector

@Suite("Times in queries and headers")
struct TimestampQueryTests {
    @Test(
        "accept milliseconds and ISO 8601 dates",
        arguments: [
            ("0", 0), ("1715131615123", 1_715_131_615_123), ("-5", -5), ("1970-01-02", 86_400_000),
            ("2024-05-08T01:26:55Z", 1_715_131_615_000), ("2024-05-08T01:26:55.123Z", 1_715_131_615_123),
            ("2024-05-08T01:26:55.1234567Z", 1_715_131_615_123), ("2024-05-08T01:26:55.1", 1_715_131_615_100),
            ("2024-05-08T09:26:55+08:00", 1_715_131_615_000), ("2024-05-08T09:26:55 0800", 1_715_131_615_000),
            ("2024-05-07T21:26:55-04:00", 1_715_131_615_000), ("2024-05-08T01:26", 1_715_131_560_000),
        ]
    )
    func readable(_ text: String, _ milliseconds: Int64) {
        #expect(Timestamp(query: text)?.milliseconds == milliseconds)
    }

    @Test(
        "reject anything else",
        arguments: [
            "", "now", "2024-", "2024-13-01", "2024-00-01", "2024-01-32", "2024-01-01T", "2024-01-01T24:00",
            "2024-01-01T10:60", "2024-01-01T10:00:00.Z", "2024-01-01T10:00+0", "2024-01-01Z", "2024-01-01T10:00Zz",
            "1.5", "99999999999999999999",
        ]
    )
    func unreadable(_ text: String) {
        #expect(Timestamp(query: text) == nil)
    }
}
