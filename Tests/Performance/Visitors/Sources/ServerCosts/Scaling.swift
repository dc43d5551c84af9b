import ClickstreamCore
import ClickstreamServer
import Foundation

/// Two threads against one, in alternation.
///
/// Bare `write(2)` calls of the same size, and two threads with a recorder each, are measured in the same rounds: the factor
/// that the machine allows.
enum Scaling {
    /// Subject of a measurement.
    enum Subject: String, CaseIterable {
        /// One recorder for all threads, each with visitors of its own, which meet in the recorder's shards.
        case shared
        /// One recorder for all threads; the visitors of two threads are in different shards.
        case disjoint
        /// A recorder for each thread.
        case separate
        /// `pwrite(2)` to a file for each thread.
        case bare
        /// `pwrite(2)` in turn to as many files as a recorder has shards, each under a lock, which all threads share.
        case crossed

        /// True if nothing is recorded.
        var isBare: Bool { self == .bare || self == .crossed }
    }

    private static let events = 150_000
    private static let rounds = 5
    /// About the size of a record of the measured event.
    private static let recordSize = 560

    /// Result of one measurement.
    struct Sample {
        var perSecond: Double
        /// The 99th percentile of the time of a call in nanoseconds.
        var tail: Double
        /// Processor time of an event in nanoseconds.
        var processor: Double
        /// Blocked calls, and involuntary context switches: the former by locks, the latter by other processes.
        var switches: (voluntary: Int, involuntary: Int)
    }

    static func run(shards: Int?) throws {
        var samples: [Subject: [Int: [Sample]]] = [:]
        _ = try measure(.shared, threads: 2, shards)
        for round in 0..<rounds {
            for subject in Subject.allCases {
                for threads in round % 2 == 0 ? [1, 2] : [2, 1] {
                    let sample = try measure(subject, threads: threads, shards)
                    samples[subject, default: [:]][threads, default: []].append(sample)
                }
            }
        }
        for subject in Subject.allCases {
            guard let one = samples[subject]?[1], let two = samples[subject]?[2] else { continue }
            report(subject, one, two)
        }
    }

    /// One measurement, for a profiler.
    static func runOnce(_ subject: String?, threads: String?) throws {
        let subject = subject.flatMap(Subject.init) ?? .shared
        for _ in 0..<rounds { print(try measure(subject, threads: threads.flatMap { Int($0) } ?? 2, nil)) }
    }

    private static func report(_ subject: Subject, _ one: [Sample], _ two: [Sample]) {
        func median(_ samples: [Sample], _ value: (Sample) -> Double) -> Double {
            samples.map(value).sorted()[samples.count / 2]
        }
        func rounded(_ number: Double) -> String { String(format: "%.2f", number) }
        let speeds = (median(one, \.perSecond), median(two, \.perSecond))
        let tails = (median(one, \.tail), median(two, \.tail))
        let costs = (median(one, \.processor), median(two, \.processor))
        print(
            "\(subject): 1 thread \(Int(speeds.0))/s, 2 threads \(Int(speeds.1))/s, ratio \(rounded(speeds.1 / speeds.0))"
        )
        let pairs = zip(one, two).map { rounded($1.perSecond / $0.perSecond) }
        print("  rounds: \(pairs.joined(separator: " "))")
        print("  processor time: \(Int(costs.0)) ns, \(Int(costs.1)) ns, ratio \(rounded(costs.1 / costs.0))")
        print("  p99 of a call: \(Int(tails.0)) ns, \(Int(tails.1)) ns, ratio \(rounded(tails.1 / tails.0))")
        for (name, samples) in [("1 thread", one), ("2 threads", two)] {
            let voluntary = samples.map(\.switches.voluntary).reduce(0, +)
            let involuntary = samples.map(\.switches.involuntary).reduce(0, +)
            print("  \(name): blocked \(voluntary) times, preempted \(involuntary) times")
        }
    }

    private static func measure(_ subject: Subject, threads: Int, _ shards: Int?) throws -> Sample {
        let folders = (0..<(subject == .separate ? threads : 1)).map { _ in ServerCosts.folder() }
        defer { for folder in folders { try? FileManager.default.removeItem(atPath: folder) } }
        let recorders = subject.isBare ? [] : try folders.map { try ServerCosts.open($0, shards: shards) }
        let files = subject == .crossed ? try SharedFiles(folders[0]) : nil
        let times = UnsafeMutablePointer<UInt32>.allocate(capacity: threads * Self.events)
        defer { times.deallocate() }
        times.initialize(repeating: 0, count: threads * Self.events)
        let address = UInt(bitPattern: times)
        let before = usage()
        let seconds = ServerCosts.onThreads(threads) { thread in
            guard let times = UnsafeMutablePointer<UInt32>(bitPattern: address) else { return }
            let body: (Int) -> Void =
                switch subject {
                case .shared, .separate: record(recorders[thread % recorders.count], thread)
                case .disjoint: record(recorders[0], thread, among: threads)
                case .bare: write(folders[0], thread)
                case .crossed: { files?.write($0, thread) }
                }
            for number in 0..<Self.events {
                let start = DispatchTime.now().uptimeNanoseconds
                body(number)
                let nanoseconds = DispatchTime.now().uptimeNanoseconds - start
                times[thread * Self.events + number] = UInt32(clamping: nanoseconds)
            }
        }
        let used = usage()
        let count = Double(threads * Self.events)
        let all = UnsafeBufferPointer(start: times, count: threads * Self.events).sorted()
        for recorder in recorders { recorder.terminate() }
        return Sample(
            perSecond: count / seconds,
            tail: Double(all[all.count * 99 / 100]),
            processor: (used.processor - before.processor) * 1e9 / count,
            switches: (used.voluntary - before.voluntary, used.involuntary - before.involuntary)
        )
    }

    /// - Parameter threads: the number of threads, if no other thread is to record for the shards of these visitors.
    private static func record(_ events: ServerEvents, _ thread: Int, among threads: Int = 1) -> (Int) -> Void {
        let ids = (0...).lazy.map { "0f8fad5b-d9cb-469f-a165-\(thread)-\($0)" }.filter { id in
            threads == 1 || Int(checksum(id)) % threads == thread
        }
        let visitors = ids.prefix(1_000).map { id in
            Visitor(
                deviceID: id,
                session: Visitor.Session(id: "s-\(id.suffix(8))", number: 1, start: Timestamp(milliseconds: 0)),
                screen: "Home",
                locale: "de_DE",
                platform: "Web"
            )
        }
        let attributes: Attributes = [
            "a": 1, "b": "two", "c": 3.5, "d": true, "e": "five", "f": 6, "g": "seven", "h": 8,
        ]
        return { events.record("view_item", attributes, for: visitors[$0 % 1_000]) }
    }

    /// The CRC-32C of a text. Its remainder by the number of shards, a power of two, is that of a visitor's shard.
    private static func checksum(_ text: String) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in text.utf8 {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0x82f6_3b78 }
        }
        return ~sum
    }

    private static func write(_ folder: String, _ thread: Int) -> (Int) -> Void {
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = open("\(folder)/\(thread)", O_CREAT | O_WRONLY, 0o600)
        let record = [UInt8](repeating: 0x20, count: recordSize)
        return { number in
            let written = record.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(number * recordSize)) }
            precondition(written == recordSize, "Cannot write to \(folder)")
            if number == events - 1 { close(file) }
        }
    }

    /// Files that all threads write to, each under a lock.
    private final class SharedFiles: Sendable {
        private static let count = 32
        private let files: [(lock: NSLock, file: CInt)]

        init(_ folder: String) throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            files = (0..<Self.count).map { (NSLock(), open("\(folder)/\($0)", O_CREAT | O_WRONLY, 0o600)) }
        }

        deinit { for (_, file) in files { close(file) } }

        /// Writes one record to the next file; threads begin with different ones.
        func write(_ number: Int, _ thread: Int) {
            let (lock, file) = files[(number * 7 + thread * 16) % Self.count]
            let record = [UInt8](repeating: 0x20, count: recordSize)
            let offset = off_t(number / Self.count * recordSize)
            let written = record.withUnsafeBytes { record in
                lock.withLock { pwrite(file, record.baseAddress, record.count, offset) }
            }
            precondition(written == recordSize, "Cannot write")
        }
    }

    private static func usage() -> (processor: Double, voluntary: Int, involuntary: Int) {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return (seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_nvcsw, usage.ru_nivcsw)
    }
}
