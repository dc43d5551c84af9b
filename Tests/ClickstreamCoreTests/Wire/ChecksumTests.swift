import Testing

@testable import ClickstreamCore

@Suite("Checksum")
struct ChecksumTests {
    /// RFC 3720, B.4, and the usual check value.
    @Test(
        "returns the standard's checksums",
        arguments: [
            (Array("123456789".utf8), 0xE306_9283), ([], 0), ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
            ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43), (Array(0..<32), 0x46DD_794E),
            (Array((0..<32).reversed()), 0x113F_DB5C),
        ] as [([UInt8], UInt32)]
    )
    func standardVectors(bytes: [UInt8], checksum: UInt32) {
        #expect(Checksum.crc32c(bytes) == checksum)
        #expect(bytes.withUnsafeBytes { Checksum.portable($0) } == checksum)
    }

    @Test("is the same in hardware and by table, whole and in pieces", arguments: 0..<8)
    func agrees(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for length in Array(0..<150) + Array(stride(from: 150, to: 2_000, by: 61)) {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let whole = Checksum.crc32c(bytes)
            #expect(bytes.withUnsafeBytes { Checksum.portable($0) } == whole)
            let cut = Int.random(in: 0...length, using: &random)
            let head = Checksum.crc32c(Array(bytes[..<cut]))
            #expect(Checksum.crc32c(Array(bytes[cut...]), after: head) == whole)
            #expect(Array(bytes[cut...]).withUnsafeBytes { Checksum.portable($0, after: head) } == whole)
        }
    }

    /// Bitwise computation by RFC 1952.
    private static func gzipChecksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~0) { register, byte in
            (0..<8).reduce(register ^ UInt32(byte)) { register, _ in
                register >> 1 ^ (register & 1 == 1 ? 0xEDB8_8320 : 0)
            }
        }
    }

    @Test("returns gzip's checksum, whole and in pieces", arguments: 0..<8)
    func gzip(seed: UInt64) {
        #expect(Array("123456789".utf8).withUnsafeBytes { Checksum.crc32($0) } == 0xCBF4_3926)
        var random = SeededGenerator(seed: seed)
        for length in Array(0..<150) + Array(stride(from: 150, to: 2_000, by: 61)) {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let expected = Self.gzipChecksum(bytes)
            bytes.withUnsafeBytes { bytes in
                #expect(Checksum.crc32(bytes) == expected)
                let cut = Int.random(in: 0...length, using: &random)
                let head = Checksum.crc32(UnsafeRawBufferPointer(rebasing: bytes[..<cut]))
                #expect(Checksum.crc32(UnsafeRawBufferPointer(rebasing: bytes[cut...]), after: head) == expected)
            }
        }
    }

    @Test("detects every flipped bit")
    func noticesDamage() {
        let bytes = Array("{\"event_type\":\"add_to_cart\"}".utf8)
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            #expect(Checksum.crc32c(damaged) != Checksum.crc32c(bytes))
        }
    }
}
