import Glibc

/// Costs of the machine itself for the bytes of one stored event: the limits that recording is compared with.
final class Primitives {
    private static let segmentBytes = 4_194_304
    private let folder: String
    private let bytes: [UInt8]
    private let file: Int32
    private var written = 0
    private var mapping: UnsafeMutableRawPointer?
    private var mapped = 0
    private let target = UnsafeMutableRawPointer.allocate(byteCount: segmentBytes, alignment: 4_096)
    private var copied = 0

    /// - Parameter bytes: one event as the store keeps it.
    init(folder: String, bytes: [UInt8]) {
        self.folder = folder
        self.bytes = bytes
        file = open("\(folder)/written", O_WRONLY | O_CREAT | O_APPEND | O_TRUNC, 0o600)
        target.initializeMemory(as: UInt8.self, repeating: 0, count: Self.segmentBytes)
    }

    deinit {
        close(file)
        if let mapping { munmap(mapping, Self.segmentBytes) }
        target.deallocate()
    }

    /// `write(2)` at the end of a file.
    func write() {
        written += bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    }

    /// A copy into the next bytes of a mapped file that has its blocks already.
    func map() {
        guard let mapping else { return }
        _ = bytes.withUnsafeBytes { memcpy(mapping + mapped, $0.baseAddress!, $0.count) }
        mapped += bytes.count
    }

    /// A copy in memory.
    func copy() {
        if copied + bytes.count > Self.segmentBytes { copied = 0 }
        _ = bytes.withUnsafeBytes { memcpy(target + copied, $0.baseAddress!, $0.count) }
        copied += bytes.count
    }

    /// Makes room for so many more events.
    func prepare(_ count: Int) {
        if written > 50_000_000 {
            ftruncate(file, 0)
            written = 0
        }
        guard mapping == nil || mapped + count * bytes.count > Self.segmentBytes else { return }
        if let mapping { munmap(mapping, Self.segmentBytes) }
        unlink("\(folder)/mapped")
        let descriptor = open("\(folder)/mapped", O_RDWR | O_CREAT | O_TRUNC, 0o600)
        posix_fallocate(descriptor, 0, Self.segmentBytes)
        mapping = mmap(nil, Self.segmentBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        mapped = 0
        close(descriptor)
    }
}
