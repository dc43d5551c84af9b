#if os(Linux)
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import TestSupport
import Testing

@testable import ClickstreamAnalytics

@Suite("Breadcrumbs of a crash file")
struct CrashBreadcrumbsTests {
    /// Runs `body` with a watch of a new file, and returns what the next launch reads after a crash.
    private func crashed(_ body: (CrashWatch, String) throws -> Void) throws -> CrashFile {
        try withFreshFolder { folder in
            let path = folder + "/crash"
            let watch = CrashWatch()
            try watch.watch(path)
            defer { watch.end() }
            #expect(watch.keep(CrashDraft?.none) == nil)
            try body(watch, path)
            var bytes = Array(try Data(contentsOf: URL(filePath: path)))
            let record = CrashRecord.bytes()
            bytes.replaceSubrange(0..<record.count, with: record)
            return try CrashFile { range in
                Array(bytes[min(range.lowerBound, bytes.count)..<min(range.upperBound, bytes.count)])
            }
        }
    }

    private func crumb(_ number: Int) -> Breadcrumb {
        Breadcrumb(number: UInt64(number), text: "message \(number) \u{1F600}")
    }

    @Test("contain the latest 50, in order", arguments: [0, 1, 49, 50, 51, 123])
    func latest(count: Int) throws {
        let file = try crashed { watch, _ in
            for number in 0..<count { #expect(watch.keep(crumb(number + 1)) == nil) }
        }
        #expect(file.breadcrumbs == (1...max(1, count)).suffix(min(count, 50)).map { crumb($0) })
        #expect(!file.modules.isEmpty)
        #expect(!file.isDamaged)
    }

    @Test("replace longer ones, up to the longest")
    func lengths() throws {
        let longest = Breadcrumb(number: 1, text: String(repeating: "x", count: Breadcrumb.longest))
        let next = Breadcrumb(number: 51, text: "y")
        let one = try crashed { watch, _ in #expect(watch.keep(longest) == nil) }
        #expect(one.breadcrumbs == [longest])
        let file = try crashed { watch, _ in
            for breadcrumb in [longest, next] { #expect(watch.keep(breadcrumb) == nil) }
        }
        #expect(file.breadcrumbs == [next])
        let tooLong = Breadcrumb(number: 1, text: String(repeating: "x", count: 500))
        let none = try crashed { watch, path in
            #expect(watch.keep(tooLong) == FileError(.write, path, errno: EFBIG))
        }
        #expect(none.breadcrumbs == [])
    }

    @Test("leave out one that was being written, at any byte")
    func torn() throws {
        for byte in 0..<(CrashFile.Slot.headerBytes + crumb(2).text.utf8.count) {
            let file = try crashed { watch, path in
                for number in 1...3 { #expect(watch.keep(crumb(number)) == nil) }
                let handle = try FileHandle(forUpdating: URL(filePath: path))
                let offset = UInt64(CrashFile.offset(of: crumb(2)) + byte)
                try handle.seek(toOffset: offset)
                let before = try #require(try handle.read(upToCount: 1)?.first)
                try handle.seek(toOffset: offset)
                try handle.write(contentsOf: [before ^ 4])
                try handle.close()
            }
            #expect(file.breadcrumbs == [crumb(1), crumb(3)], "byte \(byte)")
        }
    }

    @Test("have a range of their own in the file")
    func layout() {
        #expect(CrashFile.modulesOffset + CrashFile.modulesCapacity == CrashFile.breadcrumbRange.lowerBound)
        #expect(CrashFile.breadcrumbRange.upperBound <= CrashFile.draftOffsets[0])
        #expect(Breadcrumb.longest + CrashFile.Slot.headerBytes <= CrashFile.breadcrumbCapacity)
    }

    @Test("are lost without effect before the watch and after its end")
    func unwatched() {
        let watch = CrashWatch()
        #expect(watch.keep(crumb(1)) == nil)
        watch.end()
        #expect(watch.keep(crumb(2)) == nil)
    }
}
#endif
