#if os(Linux)
import CClickstreamSystem
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import TestSupport
import Testing

@testable import ClickstreamAnalytics

@Suite("A crash file")
struct CrashFileTests {
    private static let draft = CrashDraft(
        report: CrashReport(
            id: SeededIDs(seed: 1).next(),
            timestamp: Timestamp(milliseconds: 0),
            movesLastActive: true,
            line: Array(
                (#"{"event_type":"_app_exception","timestamp":0,"attributes":{"_session_id":"s","_session_duration":0,"#
                    + #""_exception_message":"","_exception_stack":"","price":1.50}}"#).utf8
            )
        ),
        steadyAtSessionStart: 1_000
    )

    /// The bytes of a file as a process leaves it that crashed.
    private static func bytes(
        frames: [UInt64] = [],
        total: Int? = nil,
        message: String = "",
        drafts: [CrashFile.Slot] = [CrashFile.Slot(generation: 1, payload: draft.bytes)],
        change: (UnsafeMutablePointer<clickstream_crash_record>) -> Void = { _ in }
    ) -> [UInt8] {
        let record = CrashRecord.bytes { record in
            record.pointee.code = 1
            record.pointee.address = 16
            (record.pointee.process, record.pointee.thread) = (7, 7)
            (record.pointee.wall, record.pointee.steady) = (1_700_000_000_500, 4_250)
            record.pointee.frame_total = UInt64(total ?? frames.count)
            let kept = clickstream_crash_frames(record)!
            for (index, pc) in frames.enumerated() {
                kept[index] = clickstream_crash_frame(pc: pc, frame_pointer: UInt64(index + 1) * 16)
            }
            record.pointee.message_bytes = UInt64(message.utf8.count)
            let text = UnsafeMutableRawPointer(clickstream_crash_message(record)!)
            text.copyMemory(from: Array(message.utf8), byteCount: message.utf8.count)
            change(record)
        }
        var bytes = [UInt8](repeating: 0, count: CrashFile.size)
        bytes.replaceSubrange(0..<record.count, with: record)
        for slot in drafts {
            let offset = CrashFile.draftOffsets[Int(slot.generation % 2)]
            bytes.replaceSubrange(offset..<(offset + slot.bytes.count), with: slot.bytes)
        }
        return bytes
    }

    private static func file(_ bytes: [UInt8]) throws -> CrashFile {
        try CrashFile { range in Array(bytes[min(range.lowerBound, bytes.count)..<min(range.upperBound, bytes.count)]) }
    }

    /// Report that the next launch reads from a file with these bytes.
    private static func traces(_ bytes: [UInt8]) throws -> CrashTraces {
        try withFreshFolder { folder in
            let path = folder + "/crash"
            try Data(bytes).write(to: URL(filePath: path))
            return try CrashWatch().traces(at: path)
        }
    }

    @Test("becomes the prepared event, with the time, message and stack of the crash")
    func event() throws {
        guard case .crash(let report) = try Self.traces(Self.bytes(message: "Fatal error: cold\n")) else {
            Issue.record("no crash")
            return
        }
        #expect(report.id == Self.draft.report.id)
        #expect(report.timestamp == Timestamp(milliseconds: 1_700_000_000_500))
        #expect(report.movesLastActive)
        #expect(
            String(decoding: report.line, as: UTF8.self)
                == #"{"event_type":"_app_exception","timestamp":1700000000500,"attributes":{"_session_id":"s","#
                + #""_session_duration":3250,"_exception_message":"Fatal error: cold","#
                + #""_exception_stack":"SIGSEGV at 0x10 (no memory there), main thread","price":1.50}}"#
        )
    }

    @Test("is never created over an existing file, which may contain an unrecorded crash")
    func existing() throws {
        try withFreshFolder { folder in
            let path = folder + "/crash"
            let file = URL(filePath: path)
            try Data([1, 2, 3]).write(to: file)
            let watch = CrashWatch()
            #expect(throws: FileError(.open, path, errno: EEXIST)) { try watch.watch(path) }
            watch.end()
            #expect(try Data(contentsOf: file) == Data([1, 2, 3]))
        }
    }

    @Test("is neither written nor closed by a number that a host has reused for a file of its own")
    func reusedNumber() throws {
        try withFreshFolder { folder in
            let path = folder + "/crash"
            let watch = CrashWatch()
            try watch.watch(path)
            #expect(watch.keep(Self.draft) == nil)
            let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
            let number = try #require(numbers.first { FileIdentity(of: $0) == FileIdentity(at: path) })
            let own = open(folder + "/own", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(own) }
            #expect(dup2(own, number) == number)
            let closed = FileError(.write, path, errno: EBADF)
            #expect(watch.keep(Self.draft) == closed)
            #expect(watch.keep(Breadcrumb(number: 1, text: "crumb")) == closed)
            watch.end()
            #expect(FileIdentity(of: number) == FileIdentity(of: own))
            #expect(lseek(own, 0, SEEK_END) == 0)
            close(number)
        }
    }

    @Test("yields nothing without a crash, or for a crash not to be recorded")
    func nothing() throws {
        let slot = CrashFile.Slot(generation: 1, payload: Self.draft.bytes)
        let off = CrashFile.Slot(generation: 2, payload: [])
        #expect(try Self.traces(Self.bytes { $0.pointee.magic = 0 }) == .none)
        #expect(try Self.traces(Self.bytes(drafts: [slot, off])) == .none)
        #expect(try Self.traces([]) == .none)
        #expect(try Self.traces(Array("core dumped\n".utf8)) == .none)
        #expect(try Self.traces(Self.bytes { $0.pointee.version = 2 }) == .none)
        #expect(try Self.traces(Self.bytes { $0.pointee.signal = SIGUSR1 }) == .none)
    }

    @Test("uses the previous draft if the last one is incomplete")
    func tornDraft() throws {
        var second = Self.draft
        second.steadyAtSessionStart = 2_000
        let slots = [
            CrashFile.Slot(generation: 1, payload: Self.draft.bytes),
            CrashFile.Slot(generation: 2, payload: second.bytes),
        ]
        var bytes = Self.bytes(drafts: slots)
        #expect(try Self.file(bytes).draft == second)
        bytes[CrashFile.draftOffsets[0] + 40] ^= 1
        #expect(try Self.file(bytes).draft == Self.draft)
        bytes[CrashFile.draftOffsets[1] + 40] ^= 1
        #expect(try Self.file(bytes).isDamaged)
        guard case .unreadable = try Self.traces(bytes) else {
            Issue.record("a damaged file is read")
            return
        }
    }

    @Test("is validated, wherever it is truncated and whatever it contains")
    func damage() throws {
        let whole = Self.bytes(frames: [1, 2, 3], message: "m")
        for count in [1, 8, 64, 1_000, 7_000, 20_000, 300_000, 1_310_720] {
            // The record is within the first 7 000 bytes, the drafts are behind all of these.
            let damaged = CrashTraces.unreadable("what was kept ready for a crash is damaged")
            let traces = try Self.traces(Array(whole[..<count]))
            #expect(traces == (count < 7_000 ? .none : damaged), "\(count)")
        }
        let traces = try Self.traces(
            Self.bytes { record in
                (record.pointee.frame_total, record.pointee.stack_bytes) = (.max, .max)
                (record.pointee.message_bytes, record.pointee.stack_start) = (.max, .max)
                record.pointee.machine = 62
            }
        )
        guard case .crash(let report) = traces else {
            Issue.record("no crash: \(traces)")
            return
        }
        #expect(report.line.count < 70_000)
    }

    @Test(
        "keeps the innermost and the outermost frames of a deep stack in order",
        arguments: [0, 5, 127, 128, 129, 170, 1_000]
    )
    func frames(total: Int) throws {
        var ring = [UInt64](repeating: 0, count: 128)
        for number in 0..<total { ring[number < 96 ? number : 96 + (number - 96) % 32] = UInt64(number + 1) }
        let record = try #require(
            try Self.file(Self.bytes(frames: Array(ring.prefix(min(total, 128))), total: total)).record
        )
        let expected = total <= 128 ? Array(0..<total) : Array(0..<96) + Array((total - 32)..<total)
        #expect(record.frames.map(\.pc) == expected.map { UInt64($0 + 1) })
        #expect(record.omitted?.count == (total > 128 ? total - 128 : nil))
    }

    @Test("reads its modules back, and skips invalid lines")
    func modules() {
        let modules = [
            CrashFile.Module(path: "/usr/bin/my app", bias: 0x1000, range: 0x1000..<0x9000, stamp: "ab12"),
            CrashFile.Module(path: "/lib/libc.so.6", bias: 0, range: 0xA000..<0xB000, stamp: "7-8.9"),
        ]
        let bytes = CrashFile.encoded(modules)
        #expect(CrashFile.modules(bytes + [0, 0]) == modules)
        #expect(CrashFile.modules(Array("nonsense\n1 2\n".utf8) + bytes) == modules)
    }

    @Test("names the functions of a program's own file")
    func symbols() throws {
        let own = try #require(LoadedModules.all().first { $0.path.hasSuffix("libc.so.6") })
        let address = try #require(dlsym(nil, "abort").map { UInt64(UInt(bitPattern: $0)) })
        let symbols = Symbols(files: LocalFileSystem())
        #expect(symbols.functions(at: [address + 1], in: [own])[address + 1]?.name == "abort")
        #expect(symbols.unwindRow(at: address + 1, in: own)?.returnAddress == Self.returnAddress)
        var other = own
        other.stamp = "another build"
        #expect(symbols.functions(at: [address + 1], in: [other]).isEmpty)
        #expect(Symbols.demangled("$s4main5crashyyF") == "main.crash() -> ()")
        #expect(Symbols.demangled("gsignal") == "gsignal")
    }

    #if arch(arm64)
    private static let returnAddress = 30
    #else
    private static let returnAddress = 16
    #endif
}
#endif
