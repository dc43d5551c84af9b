import ClickstreamCore
import Testing

@Suite("Byte order marks")
struct ByteOrderMarkTests {
    @Test(
        "recognizes UTF-16 by its mark, or by the zeros of ASCII characters",
        arguments: [
            ([0xFF, 0xFE], true), ([0xFE, 0xFF], true), ([0xFF, 0xFE, 0x7B, 0x00], true),
            ([0xFE, 0xFF, 0x00, 0x7B, 0x00, 0x22], true), ([0xFF, 0xFE, 0x2D, 0x4E], true),
            ([0x7B, 0x00, 0x22, 0x00], true), ([0x00, 0x7B, 0x00, 0x22], true), ([0x0D, 0x00, 0x0A, 0x00, 0x7B], true),
            ([0x0A, 0x00, 0x7B, 0x00], true), ([0x00, 0x0A, 0x00, 0x0A], true), ([0x0A, 0x00, 0x7B], false),
            ([], false), ([0xFF], false), ([0xFE], false), ([0x7B, 0x00], false), ([0x00], false),
            ([0x00, 0x00, 0x00, 0x00], false), ([0x7B, 0x00, 0x22, 0x61], false), ([0xFF, 0x7B, 0xFE, 0x7D], false),
            (Array("\u{FEFF}{}".utf8), false), (Array("{\"a\":1}".utf8), false), (Array("\u{E9}t\u{E9}".utf8), false),
        ] as [([UInt8], Bool)]
    )
    func utf16(_ bytes: [UInt8], _ isUTF16: Bool) {
        #expect(bytes.isUTF16 == isUTF16)
        // A slice begins at another index.
        #expect(([0] + bytes).dropFirst().isUTF16 == isUTF16)
    }
}
