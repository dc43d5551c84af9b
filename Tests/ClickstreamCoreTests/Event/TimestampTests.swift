import ClickstreamCore
import Testing

@Suite("Timestamp")
struct TimestampTests {
    @Test(
        "is written as ISO 8601 in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_693_919_966_703, "2023-09-05T13:19:26.703Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (1_704_067_200_000, "2024-01-01T00:00:00.000Z"),
        ] as [(Int64, String)]
    )
    func text(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
    }

    @Test("is restored from its calendar fields, over eight centuries")
    func roundTrip() {
        var milliseconds: Int64 = -12_345_678_901_234
        while milliseconds < 13_000_000_000_000 {
            #expect(Timestamp(Timestamp(milliseconds: milliseconds).civil).milliseconds == milliseconds)
            milliseconds += 12_345_678_987
        }
    }
}
