import Testing

@testable import ClickstreamCore

@Suite("SHA256")
struct SHA256Tests {
    @Test(
        "returns the standard's digests",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
            (
                String(repeating: "a", count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ]
    )
    func standardVectors(message: String, digest: String) {
        #expect(SHA256.hexadecimal(SHA256.digest(of: Array(message.utf8))) == digest)
    }

    @Test("returns the same in pieces of any length", arguments: [1, 3, 55, 56, 63, 64, 65, 200])
    func pieces(length: Int) {
        let message = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var hash = SHA256()
        for start in stride(from: 0, to: message.count, by: length) {
            message[start..<min(start + length, message.count)].withUnsafeBytes { hash.update($0) }
            _ = hash.digest()
        }
        #expect(hash.digest() == SHA256.digest(of: message))
    }

    @Test("is the same with and without hardware support", arguments: [0, 1, 63, 64, 65, 1_000])
    func agrees(length: Int) {
        let message = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var portable = SHA256(usesHardware: false)
        message.withUnsafeBytes { portable.update($0) }
        #expect(portable.digest() == SHA256.digest(of: message))
    }

    /// By `printf '%s' "$text" | sha256sum`.
    @Test(
        "handles every length around a block's end",
        arguments: [(55, "9f4390f8"), (56, "b35439a4"), (64, "ffe054fe"), (119, "31eba51c")]
    )
    func lengths(length: Int, hashCode: String) {
        #expect(SHA256.hashCode(of: [UInt8](repeating: UInt8(ascii: "a"), count: length)) == hashCode)
    }

    @Test("the hash code is the first eight digits, in lower case")
    func hashCode() {
        #expect(SHA256.hashCode(of: Array("abc".utf8)) == "ba7816bf")
        #expect(SHA256.hashCode(of: []) == "e3b0c442")
    }
}
