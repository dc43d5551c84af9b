import CMeter
import Glibc

/// Costs of the machine itself for the bytes of one event: the limits that recording is compared with.
final class Primitives {
    private let path: String
    private let bytes: [UInt8]
    private let file: Int32
    private var written = 0
    private let segmentBytes = 4_194_304
    private var mapping: UnsafeMutableRawPointer?
    private var mapped = 0
    private var segments = 0
    private let target: UnsafeMutableRawPointer
    private var copied = 0

    /// - Parameter bytes: what an event is in the store.
    init(folder: String, bytes: [UInt8]) {
        path = folder
        self.bytes = bytes
        file = open(folder + "/bare", O_WRONLY | O_CREAT | O_APPEND | O_TRUNC, 0o600)
        target = .allocate(byteCount: segmentBytes, alignment: 4_096)
        target.initializeMemory(as: UInt8.self, repeating: 0, count: segmentBytes)
    }

    deinit {
        close(file)
        if let mapping { munmap(mapping, segmentBytes) }
        target.deallocate()
    }

    /// `write(2)` to the end of a file. Called outside the measurement, `prepare` begins it anew when it has grown long.
    func write() {
        written += bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    }

    /// The same into the next bytes of a mapped file that is allocated already.
    func writeMapped() {
        guard let mapping else { return }
        bytes.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: mapping + mapped, count: $0.count).copyMemory(from: $0)
        }
        mapped += bytes.count
    }

    /// The same into memory.
    func copy() {
        if copied + bytes.count > segmentBytes { copied = 0 }
        bytes.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: target + copied, count: $0.count).copyMemory(from: $0)
        }
        copied += bytes.count
    }

    /// Makes room for `count` more events, outside any measurement.
    func prepare(_ count: Int) {
        if written > 50_000_000 {
            ftruncate(file, 0)
            written = 0
        }
        guard mapping == nil || mapped + count * bytes.count > segmentBytes else { return }
        if let mapping { munmap(mapping, segmentBytes) }
        unlink("\(path)/mapped\(segments)")
        segments += 1
        let descriptor = open("\(path)/mapped\(segments)", O_RDWR | O_CREAT | O_TRUNC, 0o600)
        posix_fallocate(descriptor, 0, segmentBytes)
        mapping = mmap(nil, segmentBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        mapped = 0
        close(descriptor)
    }
}
