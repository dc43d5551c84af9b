import ClickstreamAnalytics
import ClickstreamCore
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A trouble of the process that the app meets while it records: `CrashFixture STORAGE ENDPOINT HARDSHIP`.
enum Hardship: String {
    /// A child of fork records through its parent's client, while the parent goes on.
    case childRecords
    /// A child of fork that never calls the SDK outlives the parent, which is killed.
    case childLives
    /// The numbers of the standard streams are free; prints what has them in the end.
    case streams
    /// As `streams`, with a file of the app's that got number 2.
    case ownFile
    /// Prints every event on standard error.
    case talkative
    /// The process may have no further thread until later.
    case noThreads
    /// The process may open no further file until later.
    case noDescriptors
    /// No file may grow (`ulimit -f 0`), standard error included.
    case noFileSize
    /// As `noFileSize` from after the launch on, and the process crashes.
    case noFileSizeCrash
    /// Threads record while the process ends.
    case stormExit, stormSignal, stormShutdown, stormAfterShutdown

    /// Room for more events than a storm records: its test counts no evicted ones.
    private static let maxStormBytes = 1 << 30

    func meet(storage: String, endpoint: String) throws {
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: endpoint)
        configuration.storageFolder = storage
        configuration.sendInterval = self == .noThreads || self == .noDescriptors ? .milliseconds(300) : .zero
        configuration.endsOnSignals = self == .stormSignal
        if self == .stormSignal { configuration.maxStoreBytes = Self.maxStormBytes }
        configuration.logsEvents = self == .talkative || self == .noFileSize
        configuration.tracksExceptions = self == .noFileSize || self == .noFileSizeCrash
        if self == .noThreads { limitThreads(storage) }
        if self == .noFileSize { set(RLIMIT_FSIZE, to: 0) }
        if self == .ownFile { openOwnFile(storage) }
        if [.stormExit, .stormShutdown, .stormAfterShutdown].contains(self) {
            // As an app starts it: the end of the process is the end of its client.
            try ClickstreamAnalytics.initSDK(
                ClickstreamConfiguration().withAppId("shop").withEndpoint(endpoint).withSendEventsInterval(0)
                    .with(\.storageDirectory, storage).with(\.maxStoreBytes, Self.maxStormBytes)
            )
        } else {
            try ClickstreamAnalytics.initSDK(
                configuration,
                device: ClickstreamClient.Device(platform: "Linux", app: ClickstreamClient.Device.App(version: "1")),
                storage: storage,
                dependencies: Host.dependencies()
            )
        }
        record("before", 10)
        switch self {
        case .childRecords: childRecords()
        case .childLives: childLives()
        case .streams, .ownFile:
            for _ in 0..<30 { ClickstreamAnalytics.recordEvent("no name") }
            flush()
            printStreams()
        case .talkative: record("after", 2_000)
        case .noThreads:
            record("after", 1_000)
            usleep(500_000)
            set(__RLIMIT_NPROC, to: 1_000_000)
            waitForDelivery()
        case .noDescriptors:
            let limit = set(RLIMIT_NOFILE, to: 0)
            usleep(700_000)
            record("after", 1_000)
            usleep(700_000)
            set(RLIMIT_NOFILE, to: limit)
            waitForDelivery()
        case .noFileSize:
            ClickstreamAnalytics.addGlobalAttributes(["channel": "shelf"])
            flush()
        case .noFileSizeCrash:
            set(RLIMIT_FSIZE, to: 0)
            trapInCheckout()
        case .stormExit, .stormSignal, .stormShutdown, .stormAfterShutdown: storm(storage)
        }
    }

    private func record(_ name: String, _ count: Int) {
        for number in 0..<count { ClickstreamAnalytics.recordEvent(name, ["number": number]) }
    }

    private func flush() {
        let done = DispatchSemaphore(value: 0)
        Task {
            _ = await ClickstreamAnalytics.flush(deadline: .seconds(60))
            done.signal()
        }
        done.wait()
    }

    /// Records until an automatic flush has come, a minute at most.
    private func waitForDelivery() {
        let isSent = Atomic(false)
        let observer = ClickstreamAnalytics.observe { notice in
            if case .uploaded = notice { isSent.store(true, ordering: .relaxed) }
        }
        for _ in 0..<600 where !isSent.load(ordering: .relaxed) {
            usleep(100_000)
            ClickstreamAnalytics.recordEvent("waiting")
        }
        observer.cancel()
        print(isSent.load(ordering: .relaxed) ? "sent" : "not sent")
    }

    // MARK: Forks

    private func childRecords() {
        let child = forked()
        if child == 0 {
            for _ in 0..<500 { ClickstreamAnalytics.recordEvent("child") }
            ClickstreamAnalytics.setUserId("child")
            ClickstreamAnalytics.screen(name: "child")
            ClickstreamAnalytics.flushEvents()
            let isRefused: Bool
            do {
                try ClickstreamAnalytics.initSDK()
                isRefused = false
            } catch {
                isRefused = error as? InitError == .childOfFork
            }
            ClickstreamAnalytics.shutdown()
            exit(isRefused ? 0 : 1)
        }
        record("during", 500)
        var status: Int32 = 0
        waitpid(child, &status, 0)
        record("after", 500)
        flush()
        print("child \(status)")
    }

    private func childLives() {
        let child = forked()
        if child == 0 {
            // Not the pipes and the socket, whose end the test waits for.
            for number in Int32(0)..<256 {
                var status = stat()
                guard number < 3 || fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK else { continue }
                close(number)
            }
            while true { pause() }
        }
        print("child \(child)")
        fflush(nil)
        kill(getpid(), SIGKILL)
    }

    // MARK: Descriptors

    private func openOwnFile(_ storage: String) {
        guard open("\(storage)/own", O_WRONLY | O_CREAT, 0o600) == 2 else { exit(70) }
    }

    private func printStreams() {
        for number in 0..<3 {
            var path = [CChar](repeating: 0, count: 4_096)
            let count = readlink("/proc/self/fd/\(number)", &path, path.count - 1)
            let target =
                count < 0 ? "none" : String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            print("\(number) \(target.hasPrefix("/") ? "file" : target == "none" ? "none" : "other")")
        }
    }

    // MARK: Limits

    /// The superuser is not limited: continues as another user, who becomes the owner of the folder.
    private func limitThreads(_ storage: String) {
        if getuid() == 0 {
            guard chown(storage, 54_321, 54_321) == 0, setgid(54_321) == 0, setuid(54_321) == 0 else { exit(70) }
        }
        set(__RLIMIT_NPROC, to: 0)
    }

    /// - Returns: the limit before.
    @discardableResult
    private func set(_ resource: __rlimit_resource, to limit: UInt) -> UInt {
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(resource.rawValue), &limits)
        let before = limits.rlim_cur
        limits.rlim_cur = min(limit, limits.rlim_max)
        setrlimit(__rlimit_resource_t(resource.rawValue), &limits)
        return UInt(before)
    }

    // MARK: Threads

    /// Records on four threads, each of which counts its calls that have returned in the file `counts`, and ends.
    private func storm(_ storage: String) {
        let descriptor = open("\(storage)/counts", O_RDWR | O_CREAT, 0o600)
        guard ftruncate(descriptor, 4_096) == 0,
            let memory = mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        else { exit(70) }
        let address = UInt(bitPattern: memory)
        let isOver = IsOver()
        for index in 0..<4 {
            Thread.detachNewThread {
                guard let count = UnsafeMutablePointer<UInt64>(bitPattern: address + UInt(index) * 64) else { return }
                while !isOver.flag.load(ordering: .relaxed) {
                    ClickstreamAnalytics.recordEvent("tick")
                    count.pointee += 1
                    if count.pointee % 64 == 0 { usleep(2_000) }
                }
            }
        }
        // Each thread has recorded its first events; a busy machine needs long to start them.
        let counts = (0..<4).map { UnsafePointer<UInt64>(bitPattern: address + UInt($0) * 64) }
        for _ in 0..<60_000 where counts.contains(where: { ($0?.pointee ?? 0) < 64 }) { usleep(1_000) }
        switch self {
        case .stormSignal:
            kill(getpid(), SIGTERM)
            while true { sleep(1) }
        case .stormShutdown:
            ClickstreamAnalytics.shutdown()
            usleep(10_000)
            isOver.flag.store(true, ordering: .relaxed)
            usleep(100_000)
            exit(0)
        case .stormAfterShutdown:
            ClickstreamAnalytics.shutdown()
            usleep(10_000)
            exit(0)
        default: exit(0)
        }
    }
}

/// Ends the threads of a storm.
private final class IsOver: Sendable {
    let flag = Atomic(false)
}
