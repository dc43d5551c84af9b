import Testing

@testable import ClickstreamCore

@Suite("Run manifest")
struct RunManifestTests {
    /// A change of ``manifest``, whose three segments have the records 1 to 4, 5 to 8 and 9 to 12, each of 10 bytes. The first
    /// two records are in flight.
    enum Change: String, CaseIterable {
        case addRecord, settlePart, settleSegment, evict, remove, removeAll, dropDamaged, removeEmptyLast

        func apply(to manifest: inout RunManifest) throws {
            var range = try #require(manifest.nextRange)
            switch self {
            case .addRecord:
                manifest.addRecord(bytes: 10, isActive: true, timestamp: Timestamp(milliseconds: 13))
            case .settlePart:
                range.damaged = 1
                #expect(manifest.settle(range, setAside: 1) == 0)
            case .settleSegment:
                manifest.withdrawAll()
                #expect(manifest.settle(try #require(manifest.nextRange), setAside: 0) == 0)
                #expect(manifest.remove(at: 0, as: .damaged).pendingEvents == 0)
            case .evict:
                let index = try #require(manifest.indexOfOldest(olderThan: Timestamp(milliseconds: 9)))
                #expect(manifest.remove(at: index, as: .evictedForAge).number == 2)
            case .remove:
                #expect(manifest.remove(at: 0, as: .purged).pendingEvents == 4)
            case .removeAll:
                #expect(manifest.removeAll(as: .consentDropped) == 12)
            case .dropDamaged:
                manifest.dropDamaged(at: 1, keeping: 3, bytes: 30)
            case .removeEmptyLast:
                manifest.append(manifest.newSegment)
                manifest.removeEmptyLast()
            }
        }
    }

    private var manifest: RunManifest {
        var manifest = RunManifest(path: "/data/app/runs/1")
        for moment in 1...12 {
            if moment % 4 == 1 { manifest.append(manifest.newSegment) }
            manifest.addRecord(bytes: 10, isActive: moment < 6, timestamp: Timestamp(milliseconds: Int64(moment)))
        }
        var range = QueueRange(run: manifest.path, segment: 1, from: 0, to: 20, nextSequence: 1, endSequence: 3)
        range.bundleID = manifest.begin(range)?.bundleID
        return manifest
    }

    @Test("keeps its totals with every change, and is read as it was written", arguments: Change.allCases)
    func changes(change: Change) throws {
        var manifest = manifest
        try change.apply(to: &manifest)
        #expect(manifest.storedBytes == manifest.segments.reduce(0) { $0 + $1.bytes })
        #expect(manifest.pendingEvents == manifest.segments.reduce(0) { $0 + $1.pendingEvents })
        #expect(manifest.ledger.recorded == manifest.ledger.settled + manifest.pendingEvents)
        var read = RunManifest(path: manifest.path)
        let segments = read.read(manifest.text)
        let ledger = read.ledger
        for segment in segments { read.append(segment) }
        // Recovery balances the accounting.
        read.ledger = ledger
        #expect(read == manifest)
    }

    @Test("gives the range in flight first, and its bundle id again only for the same range")
    func flight() throws {
        var manifest = manifest
        let range = try #require(manifest.nextRange)
        #expect((range.to, range.bundleID) == (20, 1))
        #expect(manifest.nextRange(after: range)?.nextSequence == 3)
        #expect(manifest.pendingRanges.map(\.to) == [40, 40, 40])
        let again = manifest.begin(range)
        #expect(try #require(again) == (1, false))
        var shorter = range
        (shorter.to, shorter.endSequence) = (10, 2)
        let new = manifest.begin(shorter)
        #expect(try #require(new) == (2, true))
        let withdrawals = [manifest.withdraw(shorter), manifest.withdraw(shorter)]
        #expect(withdrawals == [true, false])
        #expect(manifest.nextRange?.to == 40)
    }

    @Test("changes nothing for a range that is no longer pending")
    func settled() throws {
        var manifest = manifest
        let range = try #require(manifest.nextRange)
        _ = manifest.removeAll(as: .purged)
        let before = manifest
        let (begun, settled) = (manifest.begin(range), manifest.settle(range, setAside: 0))
        let isWithdrawn = manifest.withdraw(range)
        #expect(begun == nil && settled == nil && !isWithdrawn && !manifest.holds(range))
        #expect(manifest == before)
    }
}
