import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("State files")
struct StateFileTests {
    private static func file(_ disk: MemoryFileSystem) -> StateFile {
        StateFile(disk, path: "/state", kind: "clickstream-state")
    }

    private static let one = Array(#"{"session":1}"#.utf8)
    private static let two = Array("{\"session\":2}\n".utf8)

    @Test("return the last saved content, and keep the previous one")
    func roundTrip() throws {
        let disk = MemoryFileSystem()
        let file = Self.file(disk)
        #expect(try file.load() == .none)
        try file.save(Self.one)
        #expect(try file.load() == .loaded(Self.one))
        try file.save(Self.two)
        #expect(try file.load() == .loaded(Self.two))
        #expect(disk.paths == ["/state", "/state.old"])
        let text = String(decoding: disk["/state"] ?? [], as: UTF8.self)
        #expect(text == "clickstream-state 1 6d6b14c3\n{\"session\":2}\n")
    }

    @Test("recover from the predecessor after any wrong byte and any truncation")
    func damage() throws {
        let disk = MemoryFileSystem()
        try Self.file(disk).save(Self.one)
        try Self.file(disk).save(Self.two)
        let whole = try #require(disk["/state"])
        let report = "/state is damaged; what was saved before it is used instead"
        for index in whole.indices {
            for damaged in [whole[..<index], whole[..<index] + [whole[index] ^ 0x21] + whole[(index + 1)...]] {
                let copy = MemoryFileSystem(disk.snapshot())
                copy["/state"] = Array(damaged)
                #expect(try Self.file(copy).load() == .recovered(Self.one, report: report))
                // The damaged file does not take the good one's place.
                try Self.file(copy).save(Self.two)
                #expect(try Self.file(copy).load() == .loaded(Self.two))
                copy["/state"] = nil
                #expect(try Self.file(copy).load() == .loaded(Self.one))
            }
        }
        disk["/state"] = [1]
        disk["/state.old"] = [2]
        #expect(
            try Self.file(disk).load() == .lost(report: "/state is damaged, and nothing saved before it can be read")
        )
    }

    @Test("contain the old or the new content when the power is cut at any step", arguments: [0, 1, 30, 100])
    func powerCuts(tornBytes: Int) throws {
        var step = 0
        var isDone = false
        while !isDone {
            step += 1
            for fault in [MemoryFileSystem.Fault.cutPower, .tear(bytes: tornBytes)] {
                let disk = MemoryFileSystem()
                try Self.file(disk).save(Self.one)
                disk.inject(fault, at: .operation(disk.operations + step))
                do {
                    try Self.file(disk).save(Self.two)
                    isDone = !disk.isPowerCut
                } catch {}
                let found = try Self.file(MemoryFileSystem(disk.snapshot())).load()
                #expect(found == .loaded(Self.one) || found == .loaded(Self.two), "step \(step), \(fault)")
            }
        }
        #expect(step > 4)
    }

    @Test("of a later version are rejected and never overwritten", arguments: ["/state", "/state.old"])
    func laterVersion(path: String) throws {
        let disk = MemoryFileSystem()
        let later = StateFile.encode(Self.one, kind: "clickstream-state", version: 2)
        disk[path] = later
        #expect(try Self.file(disk).load() == .fromLater(version: 2))
        guard path == "/state" else { return }
        #expect(throws: StoreError.laterVersion(path: "/state", version: 2)) { try Self.file(disk).save(Self.two) }
        #expect(disk["/state"] == later)
        #expect(disk.paths == ["/state"])
    }

    @Test("of another type are rejected")
    func otherKind() throws {
        let disk = MemoryFileSystem()
        try Self.file(disk).save(Self.one)
        let other = StateFile(disk, path: "/state", kind: "clickstream-delivery")
        #expect(try other.load() == .lost(report: "/state is damaged, and nothing saved before it can be read"))
    }

    @Test("report why they could not be saved")
    func refusal() throws {
        let disk = MemoryFileSystem()
        disk.refuse([.write], errno: 28)
        #expect(throws: StoreError.failed(FileError(.write, "/state", errno: 28))) {
            try Self.file(disk).save(Self.one)
        }
        disk.refuse([.write], errno: 30)
        #expect(throws: StoreError.notWritable(FileError(.write, "/state", errno: 30))) {
            try Self.file(disk).save(Self.one)
        }
    }
}
