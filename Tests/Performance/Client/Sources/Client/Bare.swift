import CBareZlib
import Foundation
import Glibc

/// Required steps of a flush, called back to back on the same bytes: zlib, SHA-256 and base64.
///
/// The system's zlib at the level that gives the same size, OpenSSL's SHA-256 where the machine has it (it is found when the
/// program runs, so that nothing is needed to build), Foundation's base64. What was read stays in memory.
struct Bare {
    private let texts: [Data]
    private let level: Int32
    private let digest: Digest?

    private typealias Digest =
        @convention(c) (UnsafeRawPointer?, Int, UnsafeMutablePointer<UInt8>?) -> UnsafeMutablePointer<UInt8>?

    /// Which steps there are.
    var name: String { "zlib \(level)\(digest == nil ? "" : " + OpenSSL's SHA-256") + base64 back to back" }

    /// - Parameter bodies: requests' bodies, base64 of gzip; `nil` when one is not.
    init?(bodies: [[UInt8]]) {
        let packed = bodies.compactMap { Data(base64Encoded: Data($0)) }
        let texts = packed.compactMap { Self.inflated($0) }
        self.texts = texts
        guard texts.count == bodies.count, let longest = texts.indices.max(by: { texts[$0].count < texts[$1].count })
        else { return nil }
        var buffer = Data(count: 1 << 24)
        let (text, size) = (texts[longest], packed[longest].count)
        let sizes = (1...9).map { Self.deflate(text, level: $0, into: &buffer) }
        let nearest = sizes.indices.min { abs(sizes[$0] - size) < abs(sizes[$1] - size) }
        level = Int32((nearest ?? 5) + 1)
        let library =
            dlopen("libcrypto.so.3", RTLD_NOW) ?? dlopen("libcrypto.so.1.1", RTLD_NOW)
            ?? dlopen("libcrypto.so", RTLD_NOW)
        digest = library.flatMap { dlsym($0, "SHA256") }.map { unsafeBitCast($0, to: Digest.self) }
    }

    /// Does it all once, and gives the seconds of each step.
    func run() -> (deflate: Double, digest: Double, encode: Double) {
        var seconds = (deflate: 0.0, digest: 0.0, encode: 0.0)
        var buffer = Data(count: 1 << 24)
        var sum = [UInt8](repeating: 0, count: 32)
        for text in texts {
            let start = now()
            let count = Self.deflate(text, level: level, into: &buffer)
            let deflated = now()
            let body = buffer.prefix(count).base64EncodedData()
            let encoded = now()
            if let digest {
                body.withUnsafeBytes { body in
                    sum.withUnsafeMutableBufferPointer { _ = digest(body.baseAddress, body.count, $0.baseAddress) }
                }
            }
            seconds.deflate += Double(deflated - start) / 1e9
            seconds.encode += Double(encoded - deflated) / 1e9
            seconds.digest += Double(now() - encoded) / 1e9
        }
        return seconds
    }

    private static func deflate(_ text: Data, level: Int32, into buffer: inout Data) -> Int {
        var stream = z_stream()
        guard bare_deflate_start(&stream, level) == Z_OK else { return 0 }
        defer { deflateEnd(&stream) }
        return text.withUnsafeBytes { text in
            buffer.withUnsafeMutableBytes { buffer in
                // zlib's pointer is not const, but it only reads.
                stream.next_in = UnsafeMutableRawPointer(mutating: text.baseAddress)?.assumingMemoryBound(
                    to: UInt8.self
                )
                stream.avail_in = UInt32(text.count)
                stream.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.avail_out = UInt32(buffer.count)
                guard CBareZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END else { return 0 }
                return Int(stream.total_out)
            }
        }
    }

    private static func inflated(_ packed: Data) -> Data? {
        var stream = z_stream()
        guard bare_inflate_start(&stream) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var text = Data(count: 1 << 25)
        let count: Int? = packed.withUnsafeBytes { packed in
            text.withUnsafeMutableBytes { text in
                stream.next_in = UnsafeMutableRawPointer(mutating: packed.baseAddress)?.assumingMemoryBound(
                    to: UInt8.self
                )
                stream.avail_in = UInt32(packed.count)
                stream.next_out = text.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.avail_out = UInt32(text.count)
                return inflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(stream.total_out) : nil
            }
        }
        return count.map { text.prefix($0) }
    }
}
