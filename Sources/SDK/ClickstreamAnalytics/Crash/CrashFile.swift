import CClickstreamSystem
import ClickstreamCore

/// Crash file of a process: prepared in advance, and completed by the signal handler.
///
/// Layout: the handler's record, the bytes of the stack, the modules, a slot for each breadcrumb, then two slots for drafts that are written
/// alternately, so that one of them is intact whenever a crash occurs. Native byte order. See Docs/crashes.md.
struct CrashFile: Sendable {
    /// The two slots each have space for the largest draft; unused space occupies no disk blocks.
    static let modulesOffset = 81_920
    static let modulesCapacity = 147_456
    static let breadcrumbsOffset = 229_376
    /// The bytes of each breadcrumb, its header included.
    static let breadcrumbCapacity = 512
    static let draftOffsets = [262_144, 1_310_720]
    static let draftCapacity = 1_048_576
    static let size = 2_359_296
    /// The ranges allocated on disk in advance, so that a full disk loses no crash.
    static let reserved = [0..<modulesOffset, 262_144..<278_528, 1_310_720..<1_327_104]

    /// The record written by the handler; `nil` if there was no crash.
    var record: Record?
    /// The bytes of the stack, starting at address `record.stackStart`.
    var stack: [UInt8] = []
    var modules: [Module] = []
    /// The messages before the crash, oldest first; unfinished ones are left out.
    var breadcrumbs: [Breadcrumb] = []
    /// The latest draft; `nil` if crashes were not to be recorded.
    var draft: CrashDraft?
    /// True if no draft is readable.
    var isDamaged = false

    /// Record written by the signal handler.
    struct Record: Sendable, Equatable {
        var machine: UInt32
        var signal: Int32
        var code: Int32
        var thread: Int32
        var process: Int32
        var address: UInt64
        var moment: Moment
        /// The registers in DWARF numbering.
        var registers: [UInt64]
        /// The frames found by frame pointers, innermost first, without the crashed one.
        var frames: [Frame]
        /// The number of omitted frames, and their position in ``frames``.
        var omitted: (count: Int, after: Int)? {
            omittedFrames > 0 ? (omittedFrames, Int(CLICKSTREAM_CRASH_FIRST_FRAMES)) : nil
        }
        var omittedFrames: Int
        var stackStart: UInt64
        var stackCount: Int
        var message: String
    }

    /// Stack frame found by a frame pointer.
    struct Frame: Sendable, Equatable {
        var pc: UInt64
        var framePointer: UInt64
    }

    /// Module mapped when the watch began.
    struct Module: Sendable, Hashable {
        var path: String
        /// The load bias: runtime address minus address in the file.
        var bias: UInt64
        var range: Range<UInt64>
        /// The identifier of the build.
        var stamp: String

        init(path: String, bias: UInt64, range: Range<UInt64>, stamp: String) {
            self.path = path
            self.bias = bias
            self.range = range
            self.stamp = stamp
        }
    }

    /// Reads the file. All values are validated.
    init(_ read: (Range<Int>) throws(FileError) -> [UInt8]) throws(FileError) {
        record = Record(try read(0..<MemoryLayout<clickstream_crash_record>.size))
        guard let record else { return }
        let stackOffset = Int(CLICKSTREAM_CRASH_STACK_OFFSET)
        stack = try read(stackOffset..<(stackOffset + record.stackCount))
        modules = Self.modules(try read(Self.modulesOffset..<(Self.modulesOffset + Self.modulesCapacity)))
        breadcrumbs = Self.breadcrumbs(try read(Self.breadcrumbRange))
        var slots: [Slot] = []
        for offset in Self.draftOffsets {
            let header = try read(offset..<(offset + Slot.headerBytes))
            guard let length = Slot.length(header) else { continue }
            let rest = try read((offset + Slot.headerBytes)..<(offset + Slot.headerBytes + length))
            if let slot = Slot(bytes: header + rest) { slots.append(slot) }
        }
        guard let latest = slots.max(by: { $0.generation < $1.generation }) else {
            isDamaged = true
            return
        }
        if !latest.payload.isEmpty {
            draft = CrashDraft(bytes: latest.payload)
            isDamaged = draft == nil
        }
    }
}

// MARK: - The handler's record

extension CrashFile.Record {
    fileprivate init?(_ bytes: [UInt8]) {
        guard bytes.count == MemoryLayout<clickstream_crash_record>.size else { return nil }
        // Read through a pointer: as a value, the record is a tuple of thousands of elements (see the header).
        let record = UnsafeMutablePointer<clickstream_crash_record>.allocate(capacity: 1)
        defer { record.deallocate() }
        UnsafeMutableRawBufferPointer(start: record, count: bytes.count).copyBytes(from: bytes)
        self.init(record)
    }

    private init?(_ record: UnsafeMutablePointer<clickstream_crash_record>) {
        guard record.pointee.magic == CLICKSTREAM_CRASH_MAGIC,
            record.pointee.version == UInt32(CLICKSTREAM_CRASH_VERSION), SignalName(record.pointee.signal) != nil
        else { return nil }
        machine = record.pointee.machine
        signal = record.pointee.signal
        code = record.pointee.code
        thread = record.pointee.thread
        process = record.pointee.process
        address = record.pointee.address
        moment = Moment(wall: Timestamp(milliseconds: record.pointee.wall), steady: record.pointee.steady)
        registers = Array(
            UnsafeBufferPointer(start: clickstream_crash_registers(record), count: Int(CLICKSTREAM_CRASH_REGISTERS))
        )
        let kept = UnsafeBufferPointer(start: clickstream_crash_frames(record), count: Int(CLICKSTREAM_CRASH_FRAMES))
            .map { CrashFile.Frame(pc: $0.pc, framePointer: $0.frame_pointer) }
        let total = Int(min(record.pointee.frame_total, 1 << 40))
        let (first, last) = (Int(CLICKSTREAM_CRASH_FIRST_FRAMES), Int(CLICKSTREAM_CRASH_LAST_FRAMES))
        if total <= kept.count {
            frames = Array(kept.prefix(total))
            omittedFrames = 0
        } else {
            // The oldest entry of the ring buffer is at the next write position.
            let ring = kept[first...]
            let turn = (total - first) % last
            frames = Array(kept[..<first]) + Array(ring.dropFirst(turn)) + Array(ring.prefix(turn))
            omittedFrames = total - kept.count
        }
        stackStart = record.pointee.stack_start
        stackCount = Int(min(record.pointee.stack_bytes, UInt64(CLICKSTREAM_CRASH_STACK_BYTES)))
        let count = Int(min(record.pointee.message_bytes, UInt64(CLICKSTREAM_CRASH_MESSAGE_BYTES)))
        let text = UnsafeRawBufferPointer(start: clickstream_crash_message(record), count: count)
        message = String(decoding: text, as: UTF8.self)
    }
}

// MARK: - Modules

extension CrashFile {
    /// Encodes one module per line, its path last; modules that do not fit are omitted.
    static func encoded(_ modules: [Module]) -> [UInt8] {
        var bytes: [UInt8] = []
        for module in modules where !module.path.utf8.contains(UInt8(ascii: "\n")) {
            let numbers = [module.bias, module.range.lowerBound, module.range.upperBound]
            let line = (numbers.map { String($0, radix: 16) } + [module.stamp, module.path]).joined(separator: " ")
            guard bytes.count + line.utf8.count + 1 < modulesCapacity else { break }
            bytes += Array(line.utf8) + [UInt8(ascii: "\n")]
        }
        return bytes
    }

    static func modules(_ bytes: [UInt8]) -> [Module] {
        bytes.prefix { $0 != 0 }.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 4).map {
                String(decoding: $0, as: UTF8.self)
            }
            let numbers = words.prefix(3).compactMap { UInt64($0, radix: 16) }
            guard words.count == 5, numbers.count == 3, numbers[1] < numbers[2] else { return nil }
            return Module(path: words[4], bias: numbers[0], range: numbers[1]..<numbers[2], stamp: words[3])
        }
    }
}

// MARK: - Breadcrumbs

extension CrashFile {
    static let breadcrumbRange = breadcrumbsOffset..<(breadcrumbsOffset + Breadcrumbs.maxCount * breadcrumbCapacity)

    /// The position of a breadcrumb: that of the one which it replaces.
    static func offset(of breadcrumb: Breadcrumb) -> Int {
        breadcrumbsOffset + Int((breadcrumb.number &- 1) % UInt64(Breadcrumbs.maxCount)) * breadcrumbCapacity
    }

    /// Encodes a breadcrumb as a slot whose generation is its number.
    static func encoded(_ breadcrumb: Breadcrumb) -> [UInt8] {
        Slot(generation: breadcrumb.number, payload: Array(breadcrumb.text.utf8)).bytes
    }

    fileprivate static func breadcrumbs(_ bytes: [UInt8]) -> [Breadcrumb] {
        stride(from: 0, to: bytes.count - breadcrumbCapacity + 1, by: breadcrumbCapacity).compactMap {
            start -> Breadcrumb? in
            let header = Array(bytes[start..<(start + Slot.headerBytes)])
            guard let length = Slot.length(header), length <= breadcrumbCapacity - Slot.headerBytes,
                let slot = Slot(bytes: Array(bytes[start..<(start + Slot.headerBytes + length)]))
            else { return nil }
            return Breadcrumb(number: slot.generation, text: String(decoding: slot.payload, as: UTF8.self))
        }
        .sorted { $0.number < $1.number }
    }
}

// MARK: - Drafts

extension CrashFile {
    /// Content of a draft slot: a generation number, a length, a checksum, and the encoded draft.
    struct Slot: Sendable, Equatable {
        static let headerBytes = 16
        var generation: UInt64
        var payload: [UInt8]

        init(generation: UInt64, payload: [UInt8]) {
            self.generation = generation
            self.payload = payload
        }

        var bytes: [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(Self.headerBytes + payload.count)
            withUnsafeBytes(of: generation) { bytes += $0 }
            withUnsafeBytes(of: UInt32(payload.count)) { bytes += $0 }
            let checksum = Checksum.crc32c(payload, after: Checksum.crc32c(bytes))
            withUnsafeBytes(of: checksum) { bytes += $0 }
            return bytes + payload
        }

        /// Returns the length of the draft in a slot header; `nil` for an empty or invalid header.
        static func length(_ header: [UInt8]) -> Int? {
            guard header.count == headerBytes else { return nil }
            let (generation, length) = header.withUnsafeBytes {
                ($0.load(as: UInt64.self), Int($0.load(fromByteOffset: 8, as: UInt32.self)))
            }
            return generation > 0 && length <= draftCapacity - headerBytes ? length : nil
        }

        /// Decodes a slot; returns `nil` if it is incomplete.
        init?(bytes: [UInt8]) {
            guard bytes.count >= Self.headerBytes, let length = Self.length(Array(bytes[..<Self.headerBytes])),
                bytes.count == Self.headerBytes + length
            else { return nil }
            let generation = bytes.withUnsafeBytes { $0.load(as: UInt64.self) }
            let payload = Array(bytes[Self.headerBytes...])
            guard Slot(generation: generation, payload: payload).bytes == bytes else { return nil }
            self.init(generation: generation, payload: payload)
        }
    }
}
