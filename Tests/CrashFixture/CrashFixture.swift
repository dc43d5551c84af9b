import CEarlierHandler
import ClickstreamAnalytics
import ClickstreamCore
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// App that ends in a given way: `CrashFixture STORAGE ENDPOINT ENDING`.
///
/// With `CRASH_FIXTURE_EARLIER` in the environment it has handlers of its own before the SDK starts: those of a crash
/// reporter, or the kind of `earlier_handler_install`.
/// `CrashFixture zone MILLISECONDS…` prints the offset from GMT at each time.
@main
enum CrashFixture {
    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count > 1, arguments[1] == "zone" {
            let times = arguments.dropFirst(2).compactMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
            return print(times.map { "\(HostDevice().zoneOffset(at: $0))" }.joined(separator: " "))
        }
        if arguments.count == 4, let hardship = Hardship(rawValue: arguments[3]) {
            return try hardship.meet(storage: arguments[1], endpoint: arguments[2])
        }
        guard arguments.count == 4, let ending = Ending(rawValue: arguments[3]) else { exit(64) }
        if let kind = ProcessInfo.processInfo.environment["CRASH_FIXTURE_EARLIER"] {
            if earlier_handler_install(kind) != 0 { EarlierHandler.install() }
        }
        let (ids, time) = (BreakableIDs(), MovableTime())
        if [.leave, .forkAndLeave, .sendAndLeave].contains(ending) {
            // As an app starts it; these ends need no more than that.
            try ClickstreamAnalytics.initSDK(
                ClickstreamConfiguration().withAppId("shop").withEndpoint(arguments[2]).withSendEventsInterval(0)
                    .with(\.storageDirectory, arguments[1])
            )
            ClickstreamAnalytics.recordEvent("before")
            ending.reach(ids, time)
        }
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: arguments[2])
        configuration.storageFolder = arguments[1]
        configuration.tracksExceptions = ending != .untracked
        configuration.endsOnSignals = ending == .serve
        configuration.sendInterval = .zero
        do {
            try start(configuration, ids, ending == .waitsLater ? time : SystemTime())
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(74)
        }
        if ending == .deliver {
            deliver()
            return
        }
        if ending == .restartedKill {
            ClickstreamAnalytics.shutdown()
            signal(SIGABRT, SIG_IGN)
            try start(configuration, ids, SystemTime())
        }
        ClickstreamAnalytics.addGlobalAttributes(["channel": "shelf", "gone": 1])
        ClickstreamAnalytics.setUserId("carl")
        ClickstreamAnalytics.screen(name: "Basket", uniqueID: "b1")
        ClickstreamAnalytics.screen(name: "Checkout", uniqueID: "c1")
        ClickstreamAnalytics.deleteGlobalAttributes("gone")
        ClickstreamAnalytics.recordEvent("before")
        ending.reach(ids, time)
        ClickstreamAnalytics.shutdown()
    }

    private static func start(
        _ configuration: ClickstreamClient.Configuration,
        _ ids: any IDSource,
        _ time: any TimeSource
    ) throws {
        var dependencies = Host.dependencies()
        dependencies.ids = ids
        dependencies.time = time
        try ClickstreamAnalytics.initSDK(
            configuration,
            device: HostDevice.current(),
            storage: configuration.storageFolder ?? "",
            dependencies: dependencies
        )
    }

    /// The next launch, that sends what there is.
    private static func deliver() {
        let done = DispatchSemaphore(value: 0)
        Task {
            let report = await ClickstreamAnalytics.flush(deadline: .seconds(10))
            print("sent \(report.sent), retained \(report.retained)")
            done.signal()
        }
        done.wait()
        ClickstreamAnalytics.shutdown()
    }
}

/// The ways in which the app can end.
enum Ending: String {
    case trap
    case untracked
    case unwrap
    case bounds
    case null
    /// Faults that the earlier handler resolves, and what follows them.
    case resolvedKill, resolvedAbort, resolvedTrap, resolvedNull
    /// Faults that the earlier handler resolves, in an app that ignores SIGABRT since it has started the SDK again.
    case restartedKill
    case abort
    case division
    case bus
    case overflow
    case thread
    case recording
    case handler
    case fork
    case background
    case disabled
    case orderly
    case deliver
    case waits = "wait"
    /// As ``waits``, with clocks that move ahead when the app goes on.
    case waitsLater = "wait-later"
    case serve
    case leave
    case forkAndLeave
    case sendAndLeave
    case sendAndShutdown
    case measure

    func reach(_ ids: BreakableIDs, _ time: MovableTime) {
        switch self {
        case .trap, .untracked: trapInCheckout()
        case .unwrap: print(unwrapNothing(Int("nothing")))
        case .bounds: print(readPastTheEnd([1, 2, 3]))
        case .null: print(dereferenceNull(16))
        case .resolvedKill, .restartedKill:
            resolveFaults()
            kill(getpid(), SIGKILL)
        case .resolvedAbort:
            resolveFaults()
            abortInCheckout()
        case .resolvedTrap:
            resolveFaults()
            trapInCheckout()
        case .resolvedNull:
            resolveFaults()
            Thread { print(dereferenceNull(16)) }.start()
            while true { sleep(1) }
        case .abort: abortInCheckout()
        case .division: raise(SIGFPE)
        case .bus: print(readPastTheFile())
        case .overflow: print(overflowStack(0))
        case .thread:
            Thread { trapOnThread() }.start()
            while true { sleep(1) }
        case .recording:
            ids.isBroken.withLock { $0 = true }
            ClickstreamAnalytics.recordEvent("never")
        case .handler: breakHandler()
        case .fork: forkAndCrash()
        case .background:
            ClickstreamAnalytics.background()
            trapInCheckout()
        case .disabled:
            ClickstreamAnalytics.disable()
            trapInCheckout()
        case .waits, .waitsLater:
            print("ready")
            fflush(nil)
            time.move(by: readLine().flatMap { Int64($0) } ?? 0)
        case .serve:
            ClickstreamAnalytics.recordEvent("queued")
            print("ready")
            fflush(nil)
            while true { sleep(1) }
        case .leave: exit(3)
        case .forkAndLeave:
            // The child has the parent's registration with exit, which is not its own.
            if forked() == 0 { exit(0) }
            wait(nil)
            _exit(0)
        case .sendAndLeave:
            sendSoon()
            exit(3)
        case .sendAndShutdown: sendSoon()
        case .measure: Cost.measure()
        case .orderly, .deliver: break
        }
    }
}

/// Begins a delivery, and gives its request time to be on its way.
func sendSoon() {
    ClickstreamAnalytics.flushEvents()
    usleep(400_000)
}

@inline(never)
func trapInCheckout() {
    fatalError("the coffee is cold")
}

@inline(never)
func trapOnThread() {
    fatalError("the thread is cold")
}

@inline(never)
func unwrapNothing(_ number: Int?) -> Int {
    number!
}

@inline(never)
func readPastTheEnd(_ numbers: [Int]) -> Int {
    numbers[numbers.count + 4]
}

@inline(never)
func dereferenceNull(_ address: Int) -> Int {
    UnsafePointer<Int>(bitPattern: address)?.pointee ?? 0
}

/// Faults on one thread, then on eight at once.
func resolveFaults() {
    let count = earlier_handler_read(1, 3) + earlier_handler_read(8, 50)
    print("resolved \(count)")
    fflush(nil)
}

@inline(never)
func abortInCheckout() {
    abort()
}

@inline(never)
func overflowStack(_ depth: Int) -> Int {
    depth < 0 ? 0 : overflowStack(depth + 1) + 1
}

/// The file ends before the memory that it is mapped to.
@inline(never)
func readPastTheFile() -> UInt8 {
    guard let file = tmpfile(), let memory = mmap(nil, 4_096, PROT_READ, MAP_SHARED, fileno(file), 0) else { exit(70) }
    return memory.load(as: UInt8.self)
}

/// Leaves the runtime's message where no memory is, so that the handler fails itself.
@inline(never)
func breakHandler() {
    typealias Buffer = @convention(c) () -> UnsafeMutablePointer<Int>
    guard let symbol = dlsym(nil, "swift_getFatalErrorMessageBuffer") else { exit(70) }
    unsafeBitCast(symbol, to: Buffer.self)().pointee = 24
    abort()
}

/// A child that crashes must not be taken for its parent.
@inline(never)
func forkAndCrash() {
    let child = forked()
    if child == 0 {
        raise(SIGSEGV)
        _exit(0)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    print("child died of \(status & 0x7F)")
}

/// `fork`, which Swift does not import by its name.
func forked() -> Int32 {
    typealias Fork = @convention(c) () -> Int32
    guard let symbol = dlsym(nil, "fork") else { exit(70) }
    return unsafeBitCast(symbol, to: Fork.self)()
}

/// Identifiers that fail while the client's lock is held.
final class BreakableIDs: IDSource {
    let isBroken = Locked(false)
    private let ids = SystemIDs()

    func next() -> UniqueID {
        if isBroken.withLock({ $0 }) { failInsideRecord() }
        return ids.next()
    }

    func random() -> UInt64 { ids.random() }

    @inline(never)
    func failInsideRecord() {
        fatalError("no more names")
    }
}

/// The system's clocks, as they are some time later.
final class MovableTime: TimeSource {
    private let system = SystemTime()
    private let moved = Locked<Int64>(0)

    func move(by milliseconds: Int64) {
        moved.withLock { $0 += milliseconds }
    }

    func now() -> Moment {
        system.now().advanced(by: moved.withLock { $0 })
    }

    func after(milliseconds delay: Int64, _ work: @escaping @Sendable () async -> Void) -> any ScheduledWork {
        system.after(milliseconds: delay, work)
    }

    func sleep(milliseconds delay: Int64) async throws {
        try await system.sleep(milliseconds: delay)
    }
}

/// A crash reporter that was there before us.
enum EarlierHandler {
    static func install() {
        var action = sigaction()
        action.__sigaction_handler.sa_sigaction = { number, info, _ in
            let hasInformation = info?.pointee.si_signo == number
            let text: StaticString = hasInformation ? "earlier handler\n" : "earlier handler without information\n"
            write(1, text.utf8Start, text.utf8CodeUnitCount)
            signal(number, SIG_DFL)
        }
        action.sa_flags = SA_SIGINFO
        for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGTERM, SIGINT] {
            sigaction(number, &action, nil)
        }
    }
}

/// Cost of crash capture: `CrashFixture STORAGE "" measure`, in a release build.
enum Cost {
    static func measure() {
        record("recording an event, crashes tracked", count: 200_000) { _ in
            ClickstreamAnalytics.recordEvent("button_click", ["place": "shelf"])
        }
        record("a change of the global attributes, crashes tracked", count: 20_000) { number in
            ClickstreamAnalytics.addGlobalAttributes(["number": number])
        }
        set(false)
        record("recording an event, crashes not tracked", count: 200_000) { _ in
            ClickstreamAnalytics.recordEvent("button_click", ["place": "shelf"])
        }
        set(true)
        #if os(Linux)
        let folder = NSTemporaryDirectory() + "clickstream-cost-\(getpid())"
        record("beginning and ending to watch, alone", count: 200) { _ in
            let watch = CrashWatch()
            do {
                try watch.watch(folder)
            } catch {
                print(error)
            }
            watch.end()
        }
        #endif
    }

    private static func set(_ tracks: Bool) {
        do {
            try ClickstreamAnalytics.getClickstreamConfiguration().isTrackAppExceptionEvents = tracks
        } catch {
            print(error)
        }
    }

    private static func record(_ name: String, count: Int, _ body: (Int) -> Void) {
        let start = ContinuousClock.now
        for number in 0..<count { body(number) }
        let time = ContinuousClock.now - start
        let nanoseconds = time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000
        print("\(name): \(nanoseconds / Int64(count)) ns")
    }
}
