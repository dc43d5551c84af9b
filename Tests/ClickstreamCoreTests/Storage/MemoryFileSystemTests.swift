import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Testing

@Suite("In-memory file system")
struct MemoryFileSystemTests {
    @Test("fails the n-th operation once, without effect")
    func failsOperation() throws {
        let disk = MemoryFileSystem()
        let file = try disk.open("/log")
        disk.inject(.fail(errno: EIO), at: .operation(3))
        try file.append("a")
        #expect(throws: FileError(.append, "/log", errno: EIO)) { try file.append("b") }
        try file.append("c")
        #expect(disk["/log"] == Array("ac".utf8))
        #expect(disk.operations == 4)
        #expect(disk.writes == 3)
    }

    @Test("tears the n-th write and cuts the power", arguments: [(0, "a"), (2, "abb"), (9, "abbbb")])
    func tears(bytes: Int, left: String) throws {
        let disk = MemoryFileSystem()
        let file = try disk.open("/log")
        disk.inject(.tear(bytes: bytes), at: .write(2))
        try file.append("a")
        #expect(throws: FileError(.append, "/log", errno: EIO)) { try file.append("bbbb") }
        #expect(throws: FileError(.append, "/log", errno: EIO)) { try file.append("c") }
        #expect(throws: FileError(.read, "/log", errno: EIO)) { try disk.read("/log", range: 0..<1) }
        #expect(disk.isPowerCut)
        #expect(MemoryFileSystem(disk.snapshot())["/log"] == Array(left.utf8))
    }

    @Test("keeps the old content, and the partial new one, if a replacement is torn")
    func tearsReplacement() throws {
        let disk = MemoryFileSystem()
        try disk.replace("/state", with: [1, 1], durably: false)
        disk.inject(.tear(bytes: 1), at: .write(2))
        #expect(throws: FileError(.write, "/state", errno: EIO)) {
            try disk.replace("/state", with: [2, 2], durably: false)
        }
        let reopened = MemoryFileSystem(disk.snapshot())
        #expect(reopened["/state"] == [1, 1])
        #expect(reopened["/state.new"] == [2])
    }

    @Test("completes the operation at which the power is cut, and none after it")
    func cutsPower() throws {
        let disk = MemoryFileSystem()
        disk.inject(.cutPower, at: .operation(1))
        try disk.createFolder("/a")
        #expect(throws: FileError(.createFolder, "/b", errno: EIO)) { try disk.createFolder("/b") }
        #expect(try MemoryFileSystem(disk.snapshot()).names(in: "/") == ["a"])
    }

    @Test("flips the n-th byte written")
    func flips() throws {
        let disk = MemoryFileSystem()
        disk.flip(writtenByte: 3, mask: 0x20)
        try disk.replace("/a", with: Array("ab".utf8), durably: false)
        let file = try disk.open("/log")
        try file.append("cd")
        try file.append("ef")
        #expect(disk["/a"] == Array("ab".utf8))
        #expect(disk["/log"] == Array("cDef".utf8))
        #expect(disk.writtenBytes == 6)
    }

    @Test("rejects a kind of operation until told otherwise")
    func refuses() throws {
        let disk = MemoryFileSystem()
        let file = try disk.open("/log")
        disk.refuse([.append], errno: EDQUOT)
        #expect(throws: FileError(.append, "/log", errno: EDQUOT)) { try file.append("a") }
        #expect(throws: FileError(.append, "/log", errno: EDQUOT)) { try file.append("b") }
        disk.refuse([.append], errno: nil)
        try file.append("c")
        #expect(disk["/log"] == Array("c".utf8))
    }

    @Test("discards locks when reopened, and unsynchronized content at a loss of power")
    func reopens() throws {
        let disk = MemoryFileSystem()
        let lock = try disk.lock("/lock")
        let file = try disk.open("/log")
        try file.append("safe")
        try file.synchronize()
        try file.append(" not")
        let killed = MemoryFileSystem(disk.snapshot())
        let dark = MemoryFileSystem(disk.snapshot(losingUnsynchronized: true))
        #expect(killed["/log"] == Array("safe not".utf8))
        #expect(dark["/log"] == Array("safe".utf8))
        #expect(try killed.lock("/lock") != nil)
        #expect(try disk.lock("/lock") == nil)
        withExtendedLifetime(lock) {}
    }

    @Test("counts the existing bytes, including files that are open without a name")
    func countsBytes() throws {
        let disk = MemoryFileSystem(capacity: 10)
        let file = try disk.open("/log")
        try file.append("12345678")
        try disk.remove("/log")
        #expect(disk.usedBytes == 8)
        #expect(throws: FileError(.write, "/x", errno: ENOSPC)) {
            try disk.replace("/x", with: [1, 2, 3], durably: false)
        }
        file.close()
        #expect(disk.usedBytes == 0)
        try disk.replace("/x", with: [1, 2, 3], durably: false)
        #expect(disk.paths == ["/x"])
    }
}
