import Testing

@testable import ClickstreamCore

@Suite("Hexadecimal")
struct HexadecimalTests {
    @Test(
        "writes eight digits, the most significant first",
        arguments: [
            (0, "00000000"), (0x0123_4567, "01234567"), (0x89AB_CDEF, "89abcdef"), (.max, "ffffffff"), (10, "0000000a"),
        ] as [(UInt32, String)]
    )
    func digits(number: UInt32, text: String) {
        let lower = withUnsafeBytes(of: Hexadecimal.lowerCase(number)) { String(decoding: $0, as: UTF8.self) }
        let upper = withUnsafeBytes(of: Hexadecimal.upperCase(number)) { String(decoding: $0, as: UTF8.self) }
        #expect(lower == text)
        #expect(upper == text.uppercased())
    }
}
