#if Collector
import ClickstreamCore
import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("replay --storage")
struct StoreLocationTests {
    @Test(
        "rejects a folder with foreign files, and leaves it unchanged",
        arguments: ["--dry-run", "--format=json"]
    )
    func foreign(mode: String) async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.events(1), to: "a.yaml")
            let photos = URL(filePath: workplace.path("home/photos"))
            try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
            try workplace.write("mine", to: "home/photos/cat.jpg")
            let before = workplace.contents(of: "home")
            for folder in ["home", "home/photos"] {
                let run = try await workplace.run("replay", script, "--storage", folder, mode)
                #expect(run.status == 73)
                #expect(run.output == "")
                #expect(run.errors.hasPrefix("error: cannot use \(folder) as a store: it contains "), "\(run.errors)")
            }
            #expect(workplace.contents(of: "home") == before)
        }
    }

    @Test("accepts an empty folder, and one with stores, also of several users")
    func ours() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.events(1), to: "a.yaml")
            let other = try workplace.write(Scripts.events(1, appID: "other"), to: "b.yaml")
            try FileManager.default.createDirectory(atPath: workplace.path("store"), withIntermediateDirectories: true)
            for arguments in [[script], [other], [script, "--users", "2"], [script]] {
                let run = try await workplace.run(["replay", "--dry-run", "--storage", "store"] + arguments)
                #expect(run.status == 0, "\(run.errors)")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: workplace.path("store"))
            #expect(names.sorted() == ["clickstream-replays", "other", "shop", "user-0", "user-1"])
        }
    }

    @Test("never repeats an id in one folder with the same script and seed, and repeats the ids in two new ones")
    func ids() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.shop, to: "a.yaml")
            var ids: [[String]] = []
            for folder in ["one", "one", "one", "two", "two"] {
                let run = try await workplace.run("replay", "--dry-run", "--storage", folder, script)
                #expect(run.status == 0, "\(run.errors)")
                ids.append(
                    try run.lines.map { try JSONReader.parse(Array($0.utf8))["event_id"]?.string ?? "no id" }
                )
            }
            let one = ids[0] + ids[1] + ids[2]
            #expect(Set(one).count == one.count)
            #expect(Array(ids[3...]) == Array(ids[..<2]))
        }
    }

    @Test("reports the store of one app given instead of its parent folder")
    func storeItself() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.events(1), to: "a.yaml")
            #expect(try await workplace.run("replay", "--dry-run", "--storage", "store", script).status == 0)
            let run = try await workplace.run("replay", "--dry-run", "--storage", "store/shop", script)
            #expect(run.status == 73)
            #expect(run.errors.contains("name its parent folder"))
        }
    }

    @Test(
        "rejects a file, or a path where nothing can be created: status 73",
        arguments: ["file", "file/below", "/proc/clickstream"]
    )
    func unusable(storage: String) async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.events(1), to: "a.yaml")
            try workplace.write("", to: "file")
            let run = try await workplace.run("replay", script, "--storage", storage)
            #expect(run.status == 73)
            #expect(run.output == "")
            #expect(run.errors.contains(storage))
            #expect(try workplace.text(of: "file") == "")
            #expect(workplace.contents(of: "tmp") == [])
        }
    }

    @Test("lacks permission on a read-only disk: status 77", .enabled(if: MemoryDisk.isPermitted))
    func readOnly() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.events(1), to: "a.yaml")
            try await MemoryDisk.use(at: workplace.path("disk"), options: "ro") {
                let run = try await workplace.run("replay", script, "--storage", "disk/store", "--dry-run")
                #expect(run.status == 77)
                #expect(run.output == "")
                #expect(run.errors.contains("Read-only file system"), "\(run.errors)")
            }
        }
    }

    @Test("keeps and delivers the events that fit on a full disk: status 74", .enabled(if: MemoryDisk.isPermitted))
    func fullDisk() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.events(2_000), to: "a.yaml")
            try await MemoryDisk.use(at: workplace.path("disk"), options: "size=256k") {
                let run = try await workplace.run("replay", script, "--storage", "disk/store", "--dry-run")
                #expect(run.status == 74)
                #expect(run.errors.contains("of 2003 events could not be stored: cannot append to"), "\(run.errors)")
                #expect(run.errors.contains("No space left on device"), "\(run.errors)")
                #expect(run.errors.split(separator: "\n").count < 30)
                // What was printed is what is stored, and the other way round.
                let segments = workplace.contents(of: "disk/store").filter { $0.hasSuffix(".events") }
                let stored = try segments.map { try workplace.text(of: "disk/store/\($0)") }.joined()
                let events = stored.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 3).last ?? "" }
                #expect(run.lines.count > 100)
                let isSame = events == run.lines
                #expect(isSame, "\(events.count) events are stored, \(run.lines.count) are printed")
            }
        }
    }
}

/// A disk in memory that is mounted for a test, where the test may do that: as root, on Linux.
enum MemoryDisk {
    static let isPermitted: Bool = {
        guard geteuid() == 0 else { return false }
        let folder = FileManager.default.temporaryDirectory.appending(path: "clickstream-disk-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let isMounted = try call("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder.path)
            if isMounted { _ = try call("umount", folder.path) }
            try FileManager.default.removeItem(at: folder)
            return isMounted
        } catch {
            return false
        }
    }()

    static func use(at folder: String, options: String, _ body: () async throws -> Void) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try #require(try call("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder))
        do {
            try await body()
        } catch {
            _ = try call("umount", folder)
            throw error
        }
        #expect(try call("umount", folder))
    }

    private static func call(_ name: String, _ arguments: String...) throws -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
#endif
