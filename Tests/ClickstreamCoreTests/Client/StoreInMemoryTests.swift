import ClickstreamSimulation
import Foundation
import Testing

@testable import ClickstreamCore

/// A store whose folder cannot be used: at the launch, and while the app runs.
@Suite("Client with an unusable folder")
struct StoreInMemoryTests {
    private static let launchEvents = ["_first_open", "_app_start", "_session_start"]

    /// Kind of unusable folder, with the text of the warning.
    enum Trouble: String, Sendable, CaseIterable {
        case readOnly = "Permission denied"
        case foreign = "belongs to another program"
        case file = "it is not a folder"
        case full = "No space left on device"

        func befall(_ phone: Phone) throws {
            switch self {
            case .readOnly:
                try phone.disk.createFolder("/data")
                phone.disk.setReadOnly(true, folder: "/data")
            case .foreign:
                try phone.disk.createFolder("/data/shop")
                try phone.disk.replace("/data/shop/letter", with: [1], durably: false)
            case .file:
                try phone.disk.replace("/data", with: [1], durably: false)
            case .full:
                phone.disk.capacity = 0
            }
        }

        func end(on phone: Phone) throws {
            switch self {
            case .readOnly: phone.disk.setReadOnly(false, folder: "/data")
            case .foreign: try phone.disk.remove("/data/shop/letter")
            case .file: try phone.disk.remove("/data")
            case .full: phone.disk.capacity = nil
            }
        }
    }

    @Test("launches, reports the cause once, and delivers what it records", arguments: Trouble.allCases)
    func delivers(trouble: Trouble) async throws {
        let phone = Phone()
        try trouble.befall(phone)
        let client = try phone.launch()
        for index in 0..<20 { client.record("tap\(index)") }
        #expect(await client.flush().isComplete)
        let taps: [String] = (0..<20).map { (index: Int) -> String in "tap\(index)" }
        let expected: [String] = Self.launchEvents + taps
        #expect(phone.server.events.map(\.name) == expected)
        let warnings = phone.log.all.warnings
        #expect(phone.log.all.codes == [.storeInMemory])
        #expect(warnings.first?.contains("in memory alone, at most 1000 of 1048576 bytes") == true)
        #expect(warnings.first?.contains(trouble.rawValue) == true, "\(warnings)")
        let (ledger, pending) = client.ledger
        #expect((ledger.recorded, ledger[.delivered], pending) == (23, 23, 0))
    }

    @Test(
        "returns to the disk ten seconds after it is usable, with the events and accounting from memory",
        arguments: Trouble.allCases
    )
    func returns(trouble: Trouble) async throws {
        let phone = Phone()
        try trouble.befall(phone)
        let client = try phone.launch()
        client.record("sent")
        #expect(await client.flush().isComplete)
        client.record("bad name")
        client.record("kept")
        try trouble.end(on: phone)
        client.record("early")
        #expect(phone.records().isEmpty)
        await phone.time.advance(milliseconds: 10_000)
        _ = phone.log.take()
        client.record("late")
        #expect(phone.log.take().codes == [.storeRestored])
        #expect(phone.records().map(\.event.name) == ["_clickstream_error", "kept", "early", "late"])
        client.setUserID("carl")
        client.terminate()
        let (ledger, pending) = try StoreFolder(phone.disk, root: "/data", appID: "shop").ledger()
        let recorded: Int = 4 + 1 + 3 + 1 + 1 + 1
        #expect(ledger.recorded == recorded)
        #expect((ledger[.delivered], ledger.rejections, pending) == (4, [1001: 1], 6))
        #expect(ledger.recorded == ledger.settled + pending)

        // The identity, and the session, are those of the next process too.
        let next = try phone.launch()
        #expect(phone.log.take().outline.filter { $0.hasPrefix("session") } == ["session 1 goes on"])
        #expect(await next.flush().isComplete)
        #expect(Set(phone.server.events.map { $0.json.deviceID }).count == 1)
        #expect(Set(phone.server.events.map(\.id)).count == phone.server.events.count)
        #expect(phone.server.events.last.map { $0.text.contains("carl") } == true)
    }

    @Test(
        "erases the person on the disk too, if the folder can be used before or after the erasure",
        arguments: [true, false]
    )
    func erasesOnDisk(isUsableBefore: Bool) async throws {
        let phone = Phone()
        let first = try phone.launch()
        first.setUserID("alice")
        first.kill()
        // Segments of four events.
        let client = try phone.launch { $0.maxStoreEvents = 64 }
        client.addUserAttributes(["name": "Alice"])
        let before = try JSONReader.parse(#require(phone.log.events.last).json)
        let folders = ["/data/shop/runs/1", "/data/shop/runs/2", "/data/shop/runs", "/data/shop"]
        for folder in folders { phone.disk.setReadOnly(true, folder: folder) }
        for _ in 0..<10 { client.record("before") }
        if isUsableBefore { for folder in folders { phone.disk.setReadOnly(false, folder: folder) } }
        client.eraseAll()
        if !isUsableBefore { for folder in folders { phone.disk.setReadOnly(false, folder: folder) } }
        client.setUserID("bob")
        await phone.time.advance(milliseconds: 11_000)
        client.record("return")
        client.record("after")
        let identities = try ["device_id", "unique_id"].map { try #require(before[$0]?.string) }
        for path in phone.disk.paths {
            let text = String(decoding: phone.disk[path] ?? [], as: UTF8.self)
            for word in identities + ["alice", "Alice"] { #expect(!text.contains(word), "\(word) in \(path)") }
        }
        #expect(await client.flush().isComplete)
        client.terminate()
        let next = try phone.launch()
        next.record("next")
        let last = try JSONReader.parse(#require(phone.log.events.last).json)
        let own = try JSONReader.parse(#require(phone.log.events.first { $0.name == "after" }).json)
        for name in ["device_id", "unique_id"] { #expect(last[name] == own[name]) }
        #expect(last["user"]?["_user_id"]?["value"]?.string == "bob")
        #expect(!phone.server.events.contains { $0.name == "before" })
    }

    @Test("continues in memory when the folder becomes read-only, and delivers its content too")
    func becomesReadOnly() async throws {
        let phone = Phone()
        // A segment for every four events, so that the next file is soon due.
        let client = try phone.launch { $0.maxStoreEvents = 64 }
        client.record("before")
        phone.disk.setReadOnly(true, folder: "/data/shop/runs/1")
        phone.disk.setReadOnly(true, folder: "/data/shop/runs")
        for index in 0..<10 { client.record("tap\(index)") }
        #expect(phone.log.all.unstored == [])
        #expect(phone.log.all.warnings.count == 1)
        #expect(await client.flush().isComplete)
        let recorded = phone.log.events
        #expect(recorded.count == 14)
        #expect(Set(phone.server.events) == Set(recorded) && phone.server.events.count == recorded.count)
        let (ledger, pending) = client.ledger
        #expect(ledger.recorded == ledger.settled + pending)
    }

    @Test(
        "creates a removed folder again, with the events of the open segment, also those recorded since",
        arguments: [true, false]
    )
    func vanishes(canBeMade: Bool) async throws {
        let phone = Phone()
        let client = try phone.launch()
        client.setUserID("carl")
        #expect(await client.flush().isComplete)
        client.record("gone")
        phone.disk.removeTree("/data/shop")
        if !canBeMade { phone.disk.setReadOnly(true, folder: "/data") }
        _ = phone.log.take()
        client.record("bad name")
        client.record("gone")
        #expect(await client.flush().isComplete)
        client.record("kept")
        #expect(await client.flush().isComplete)
        let names = ["_profile_set", "gone", "_clickstream_error", "gone", "kept"]
        #expect(phone.server.events.map(\.name) == Self.launchEvents + names)
        let notices = phone.log.take()
        let warnings = notices.warnings
        #expect(notices.codes == [canBeMade ? .storeReopened : .storeInMemory])
        // A folder that was made again is none to create.
        #expect(warnings.first?.contains("create the folder") == !canBeMade, "\(warnings)")
        let (ledger, pending) = client.ledger
        #expect((ledger[.missing], ledger[.delivered], ledger[.rejected], pending) == (0, 8, 1, 0))
        #expect(ledger.recorded == ledger.settled)
        phone.disk.setReadOnly(false, folder: "/data")
        client.terminate()
        _ = try phone.launch()
        let later = phone.log.take()
        #expect(later.events.map(\.name).suffix(1) == ["_app_start"])
        #expect(later.events.last.map { $0.text.contains("carl") } == true)
    }

    @Test("keeps a thousand events at most, evicts the oldest first and counts them")
    func isBounded() async throws {
        let phone = Phone()
        try Trouble.readOnly.befall(phone)
        let client = try phone.launch(sends: false)
        for index in 0..<3_000 { client.record("tap", attributes: ["index": index]) }
        let (ledger, pending) = client.ledger
        #expect((900...1_000).contains(pending))
        #expect(ledger.recorded == 3_003)
        #expect(ledger[.evictedForCount] == 3_003 - pending)
        let evicted = phone.log.all.outline.compactMap { $0.hasPrefix("evicted ") ? Int($0.dropFirst(8)) : nil }
        #expect(evicted.reduce(0, +) == ledger[.evictedForCount])
        client.addGlobalAttributes(["long": String(repeating: "x", count: 1_024)])
        let text = String(repeating: "y", count: 1_000)
        for _ in 0..<1_000 { client.record("large", attributes: ["a": text, "b": text]) }
        #expect(client.ledger.ledger[.evictedForBytes] > 0)
        #expect(client.ledger.ledger.recorded == client.ledger.ledger.settled + client.ledger.pendingEvents)
    }

    @Test("has the limits of the disk after an erasure that finds it usable")
    func erases() throws {
        let phone = Phone()
        try Trouble.readOnly.befall(phone)
        let client = try phone.launch(sends: false)
        try Trouble.readOnly.end(on: phone)
        client.eraseAll()
        for _ in 0..<1_100 { client.record("tap") }
        #expect(client.ledger.ledger[.evictedForCount] == 0)
        #expect(phone.records().count { $0.event.name == "tap" } == 1_100)
    }

    @Test(
        "reports lost events at its end, and saves them if the disk is usable again",
        arguments: [true, false]
    )
    func ends(canBeUsed: Bool) throws {
        let phone = Phone()
        try Trouble.readOnly.befall(phone)
        let client = try phone.launch()
        client.record("tap")
        if canBeUsed { try Trouble.readOnly.end(on: phone) }
        _ = phone.log.take()
        client.terminate()
        let expected =
            canBeUsed ? "Events are kept in /data/shop again." : "5 events that were kept in memory alone are lost."
        let notices = phone.log.take()
        #expect(notices.warnings == [expected])
        #expect(notices.codes == [canBeUsed ? .storeRestored : .eventsLost])
        #expect(phone.records().map(\.event.name) == (canBeUsed ? Self.launchEvents + ["tap", "_app_end"] : []))
    }

    @Test("does not return to the disk after its end")
    func staysEnded() async throws {
        let phone = Phone()
        try Trouble.readOnly.befall(phone)
        let client = try phone.launch()
        client.terminate()
        try Trouble.readOnly.end(on: phone)
        await phone.time.advance(milliseconds: 10_000)
        _ = phone.log.take()
        await client.flush()
        #expect(phone.log.take().warnings == [])
        #expect(phone.server.events.isEmpty && phone.records().isEmpty)
    }

    @Test("continues with the identity of a read-only folder")
    func readsIdentity() throws {
        let phone = Phone()
        let first = try phone.launch()
        first.setUserID("carl")
        first.terminate()
        phone.disk.refuse([.lock, .open, .write, .append, .remove, .rename], errno: EROFS)
        _ = phone.log.take()
        let next = try phone.launch()
        next.record("tap")
        let notices = phone.log.take()
        #expect(notices.events.map(\.name) == ["_app_start", "tap"])
        #expect(notices.events.allSatisfy { $0.text.contains("carl") })
        #expect(notices.codes == [.storeInMemory])
    }

    @Test("does not use memory for a full disk, which may regain space")
    func fullDisk() throws {
        let phone = Phone()
        let client = try phone.launch()
        phone.disk.capacity = phone.disk.usedBytes
        for _ in 0..<30 { client.record("lost") }
        phone.disk.capacity = nil
        client.record("kept")
        #expect(phone.log.all.unstored.count == 30)
        // One warning at the beginning, one at the end.
        #expect(phone.log.all.codes == [.diskFailing, .diskWorking])
        #expect(phone.log.all.warnings.last == "The disk takes events again; 30 were lost meanwhile.")
        #expect(phone.records().map(\.event.name) == Self.launchEvents + ["kept"])
    }
}

extension [UInt8] {
    /// The device's id in an event's JSON.
    fileprivate var deviceID: String? {
        // What is no JSON has none.
        (try? JSONReader.parse(self))?["device_id"]?.string
    }
}
