#if Collector
import ClickstreamCore
import ClickstreamSimulation
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import ClickstreamCollector

/// Sink that does not close before it is released, also if it is cancelled.
private struct BlockedSink: Follower {
    let name = "blocked"
    private let isReleased = AwaitedState(false)

    func take(_ requests: [CollectedRequest]) {}

    func close() async {
        let isReleased = isReleased
        await Task { await isReleased.until { $0 } }.value
    }

    func release() {
        isReleased.withLock { $0 = true }
    }
}

/// The machine's disk, which blocks when an archive closes a file, until it is released.
private final class BlockedDisk: ForwardingFileSystem {
    let base = LocalFileSystem()
    private let released = DispatchSemaphore(value: 0)
    private let isBlocked = AwaitedState(false)
    private let isStoreClosed = AwaitedState(false)

    func rename(_ path: String, to newPath: String) throws(FileError) {
        isBlocked.withLock { $0 = true }
        released.wait()
        try base.rename(path, to: newPath)
    }

    /// Removes the lock of the archived store last, at the end of its closing.
    func remove(_ path: String) throws(FileError) {
        try base.remove(path)
        if path.hasSuffix("-archive") { isStoreClosed.withLock { $0 = true } }
    }

    func blocks() async {
        await isBlocked.until { $0 }
    }

    /// Ends the block, and returns when the store is closed.
    func release() async {
        released.signal()
        await isStoreClosed.until { $0 }
    }
}

@Suite("The stop of a collector")
struct StopTests {
    @Test("ends at its deadline although a sink does not close, and is unfinished then", arguments: [false, true])
    func deadline(isBlocked: Bool) async throws {
        try await RealTimeSlot.use {
            let time = virtualTime()
            let sink = BlockedSink()
            if !isBlocked { sink.release() }
            let (collector, _) = try await Collector.start(on: Store(path: nil), followers: [sink], time: time)
            async let stop: Void = collector.stop()
            if isBlocked {
                // A quarter of a second before the deadline, which closing the store has.
                await time.timers(after: 9_750)
                await time.advance(milliseconds: 9_750)
            }
            await stop
            #expect(collector.isStopUnfinished == isBlocked)
            sink.release()
        }
    }

    @Test("counts the requests that an archive lacks whose disk blocks")
    func archive() async throws {
        try await RealTimeSlot.use {
            try await withFolder { folder in
                let time = virtualTime()
                let disk = BlockedDisk()
                let archive = try Archive(folder: folder + "/archive", disk: disk)
                let store = try Store(path: folder + "/store.sqlite", archive: archive)
                try await store.append([UploadDecoder().decode(.post(Array("[\(event("A"))]".utf8)))])
                let (collector, _) = try await Collector.start(on: store, time: time)
                async let stop: Void = collector.stop()
                await disk.blocks()
                await time.timers(after: 9_750)
                await time.advance(milliseconds: 9_750)
                // The archive reads the store, which cannot be closed either.
                await time.timers(after: 250)
                await time.advance(milliseconds: 250)
                await stop
                #expect(collector.isStopUnfinished)
                #expect(await collector.archiveStatus()?.behind == 1)
                await disk.release()
                // The work that the stop left behind has opened no connection after the closing.
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                #expect(names.sorted() == ["archive", "store.sqlite"])
            }
        }
    }
}
#endif
