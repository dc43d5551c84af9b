import ClickstreamCore
import Foundation
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test(
        "encodes and decodes the RFC's examples",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ]
    )
    func examples(plain: String, text: String) {
        #expect(Base64.encode(Array(plain.utf8)) == Array(text.utf8))
        #expect(Base64.decode(Array(text.utf8)) == Array(plain.utf8))
        #expect(Base64.encodedCount(of: plain.utf8.count) == text.utf8.count)
    }

    @Test("agrees with Foundation on bytes of every length", arguments: 0..<4)
    func agreesWithFoundation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = Array(Data(bytes).base64EncodedData())
            #expect(Base64.encode(bytes) == text)
            #expect(Base64.decode(text) == bytes)
        }
    }

    @Test(
        "rejects invalid base64",
        arguments: [
            "Z", "Zg", "Zg=", "Zm8", "Z===", "====", "=", "Zg==Zg==", "Zm9v\n", "Zm9v\r\nZm9v", " Zm9v", "Zm9 ", "Zm-v",
            "Zm_v", "Zm9v=", "Zm=v", "Z=9v", "Zg=v", "=m9v", "Zm9\u{E9}", "Zm9v Zm8", "{\"a\":1}x",
        ]
    )
    func refuses(text: String) {
        #expect(Base64.decode(Array(text.utf8)) == nil)
    }

    @Test(
        "accepts a text without its padding where allowed, like java.util.Base64",
        arguments: [
            ("", ""), ("Zg", "f"), ("Zg==", "f"), ("Zm8", "fo"), ("Zm8=", "fo"), ("Zm9vZg", "foof"), ("Z", nil),
            ("Zg=", nil),
            ("Z===", nil), ("====", nil), ("=", nil), ("==", nil), ("Zg==Zg==", nil), ("Zm9v=", nil), ("Zm=v", nil),
            ("Zg=v", nil), ("Zm9vZ", nil), ("Zm9\n", nil),
        ] as [(String, String?)]
    )
    func optionalPadding(text: String, plain: String?) {
        #expect(Base64.decode(Array(text.utf8), padding: .optional) == plain.map { Array($0.utf8) })
    }

    @Test("rejects every byte outside the alphabet, at any position")
    func refusesForeignBytes() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for byte in UInt8.min...UInt8.max {
            for index in 0..<8 {
                var text = Array("Zm9vZm9v".utf8)
                text[index] = byte
                let isPadding = byte == UInt8(ascii: "=") && index == 7
                #expect((Base64.decode(text) != nil) == (alphabet.contains(byte) || isPadding))
            }
        }
    }
}
