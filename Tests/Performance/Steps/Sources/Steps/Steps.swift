import CZlib
import ClickstreamCore
import Foundation
import Glibc

/// `Steps <empty folder> <scale>` prints a line of JSON for each step.
@main
struct Steps {
    /// Batch of a hundred events, the maximum of the published SDK.
    private static let eventsOfBatch = 100
    private let folder: String
    private let scale: Double
    private let attributes = Sample.attributes(279.9, 3)

    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 3, let scale = Double(words[2]) else {
            print("usage: Steps <empty folder> <scale>")
            exit(64)
        }
        let steps = Steps(folder: words[1], scale: scale)
        try steps.recording()
        try steps.reading()
        steps.sending()
    }

    // MARK: Measuring

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The median, over turns of the step and of its limit, of what one call takes in nanoseconds.
    private func compare(
        _ name: String,
        calls: Int,
        per events: Int = 1,
        unit: String = "ns",
        beside rival: String? = nil,
        _ limit: (() -> Void)? = nil,
        step: () -> Void
    ) {
        var (own, other): ([Double], [Double]) = ([], [])
        let calls = max(1, Int(Double(calls) * scale))
        for turn in 0..<23 {
            var start = Self.now()
            for _ in 0..<calls { step() }
            if turn > 1 { own.append(Double(Self.now() - start) / Double(calls * events)) }
            guard let limit else { continue }
            start = Self.now()
            for _ in 0..<calls { limit() }
            if turn > 1 { other.append(Double(Self.now() - start) / Double(calls * events)) }
        }
        let value = own.sorted()[own.count / 2]
        let beside = other.isEmpty ? "null" : "\(Self.rounded(other.sorted()[other.count / 2]))"
        let rival = rival.map { "\"\($0)\"" } ?? "null"
        print(
            #"{"name": "\#(name)", "value": \#(Self.rounded(value)), "unit": "\#(unit)", "limit": \#(beside), "rival": \#(rival)}"#
        )
    }

    private static func rounded(_ number: Double) -> Double {
        (number * 1_000).rounded() / 1_000
    }

    // MARK: On the caller

    private func recording() throws {
        let ids = SystemIDs()
        var name = "add_to_cart"
        compare("check an event's name", calls: 20_000) {
            name.withUTF8 { _ in }
            if !Validator.isEventName(name) { exit(70) }
        }
        compare("validate, 8 attributes", calls: 5_000) {
            var findings: [Violation] = []
            let verdict = Validator.checkAttributes(own: attributes, globals: [:], presetCount: 6, into: &findings)
            if !verdict.keepsEverything { exit(70) }
        }
        compare("an id", calls: 20_000) { _ = ids.next() }
        let time = SystemTime()
        compare("three clocks", calls: 20_000) { _ = time.now() }

        let line = line()
        var target = [UInt8](repeating: 0, count: 4_096)
        let writer = writer()
        let event = Event("add_to_cart", id: ids.next(), timestamp: time.now().wall, own: attributes)
        let moment = time.now()
        var written = EventLine()
        compare("write an event as JSON, \(line.count) bytes", calls: 2_000, beside: "memcpy of those") {
            _ = line.withUnsafeBytes { line in
                target.withUnsafeMutableBytes { memcpy($0.baseAddress!, line.baseAddress!, line.count) }
            }
        } step: {
            written.removeAll()
            writer.write(event, globals: [:], verdict: AttributeVerdict(), error: nil, at: moment, into: &written)
        }
        compare("checksum of an event", calls: 20_000) { _ = Checksum.crc32c(line) }

        var store = try EventStore(
            files: LocalFileSystem(),
            root: "\(folder)/append",
            destination: Destination(
                ClickstreamClient.Configuration(appID: "sample", endpoint: "http://127.0.0.1:9/collect")
            ),
            limits: QueueLimits(maxBytes: 8_000_000_000)
        )
        let bare = open("\(folder)/bare", O_WRONLY | O_CREAT | O_APPEND | O_TRUNC, 0o600)
        var failure: FileError?
        compare("append an event to the queue", calls: 1_000, beside: "write(2)") {
            _ = line.withUnsafeBytes { write(bare, $0.baseAddress, $0.count) }
        } step: {
            do throws(FileError) {
                try store.append(line, isActive: true, timestamp: moment.wall)
            } catch {
                failure = error
            }
        }
        close(bare)
        store.close()
        if let failure { throw failure }
    }

    private func writer() -> EventWriter {
        let start = Timestamp(milliseconds: 1_693_920_000_703)
        let session = Session(
            number: 1,
            uniqueID: "4CA1A8E4-2E0A-4D77-9F3C-1C0B3B7A0E5D",
            at: Moment(wall: start, steady: 0)
        )
        let attributes: [User.Attribute] = [
            User.Attribute(name: "_user_name", value: "carl", set: start),
            User.Attribute(name: "_user_age", value: 32, set: start),
            User.Attribute(name: "user_gender", value: "male", set: start),
        ]
        let user = User(
            uniqueID: "4CA1A8E4-2E0A-4D77-9F3C-1C0B3B7A0E5D",
            login: User.Login(id: "13212", set: start),
            firstTouch: start,
            attributes: attributes
        )
        var writer = EventWriter(session: session)
        writer.prepare(appID: "sample", device: device, deviceID: "F5B1CE5C-8ED9-4A45-B6FA-7D6B3B0A9F3C")
        writer.prepare(user: user, attributesInEveryEvent: true)
        writer.prepare(session: session)
        return writer
    }

    /// The sample's device; the writer has its identifier.
    private var device: ClickstreamClient.Device {
        var device = Sample.device
        device.deviceID = nil
        return device
    }

    /// One event as in a request.
    private func line(_ number: Int = 0) -> [UInt8] {
        var line = EventLine()
        let timestamp = Timestamp(milliseconds: 1_693_920_000_703 + Int64(number) * 1_234)
        let event = Event("add_to_cart", id: SystemIDs().next(), timestamp: timestamp, own: attributes)
        let moment = Moment(wall: timestamp, steady: Int64(number) * 1_234)
        writer().write(event, globals: [:], verdict: AttributeVerdict(), error: nil, at: moment, into: &line)
        return line.json
    }

    // MARK: The store

    private func reading() throws {
        let events = Int(40_000 * scale)
        let lines = (0..<100).map { line($0) }
        var reader = QueueReader()
        let time = Timestamp(milliseconds: 1_693_920_000_703)
        var (filling, sealing, readings, copies): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        for round in 0..<5 {
            let files = LocalFileSystem()
            let store = try StoreFolder(files, root: "\(folder)/read\(round)", appID: "sample")
            var queue = try EventQueue(files, run: store.takeRun(), limits: QueueLimits(maxBytes: 1_000_000_000))
            var start = Self.now()
            var line = EventLine()
            for number in 0..<events {
                line.removeAll()
                lines[number % 100].withUnsafeBufferPointer { line.append(contentsOf: $0) }
                try queue.append(&line, isActive: true, timestamp: time)
            }
            filling.append(Double(Self.now() - start) / Double(events))
            start = Self.now()
            queue.close()
            sealing.append(Double(Self.now() - start) / 1_000)
            // Segment by segment, as a flush does, and the same files by the system alone.
            var (taken, copied, read) = (0.0, 0.0, 0)
            for range in queue.own.pendingRanges {
                start = Self.now()
                _ = try reader.read(files, range) { _ in
                    read += 1
                    return true
                }
                taken += Double(Self.now() - start)
                let path = "\(range.run)/\(Segment(number: range.segment, sequence: 1).name)"
                start = Self.now()
                let bytes = try files.read(path, range: range.from..<range.to)
                copied += Double(Self.now() - start)
                if bytes.count != range.bytes { exit(70) }
            }
            guard read == events else { exit(70) }
            readings.append(taken / Double(events))
            copies.append(copied / Double(events))
        }
        report("append an event, with its segments", filling, "ns")
        report("seal a segment", sealing, "us")
        report("read an event back, checked", readings, "ns", copies, "the bytes read, unchecked")
    }

    private func report(
        _ name: String,
        _ values: [Double],
        _ unit: String,
        _ limits: [Double] = [],
        _ rival: String = ""
    ) {
        let limit = limits.isEmpty ? "null" : "\(Self.rounded(limits.sorted()[limits.count / 2]))"
        let value = Self.rounded(values.sorted()[values.count / 2])
        print(
            #"{"name": "\#(name)", "value": \#(value), "unit": "\#(unit)", "limit": \#(limit), "rival": \#(rival.isEmpty ? "null" : "\"\(rival)\"")}"#
        )
    }

    // MARK: The way out

    private func sending() {
        let lines = (0..<Self.eventsOfBatch).map { line($0) }
        let joined = Array("[".utf8) + Array(lines.joined(separator: ",".utf8)) + Array("]".utf8)
        let events = Self.eventsOfBatch
        let deflater = Deflater()
        func built() -> Batch {
            var builder = BatchBuilder(limit: 524_288, deflater: deflater)
            for line in lines { _ = builder.append(line) }
            return builder.finish()
        }
        let batch = built()
        let packed = Gzip.deflate(joined)
        var buffer = [UInt8](repeating: 0, count: joined.count + 1_024)
        let bare = {
            var stream = z_stream()
            _ = clickstream_deflateInit2(&stream, Int32(Deflater.defaultLevel), MAX_WBITS + 16, 8)
            joined.withUnsafeBytes { text in
                buffer.withUnsafeMutableBytes { buffer in
                    stream.next_in = UnsafeMutableRawPointer(mutating: text.baseAddress)?.assumingMemoryBound(
                        to: UInt8.self
                    )
                    stream.avail_in = UInt32(text.count)
                    stream.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    stream.avail_out = UInt32(buffer.count)
                    deflate(&stream, Z_FINISH)
                }
            }
            deflateEnd(&stream)
        }
        compare("batch of 100 events", calls: 20, per: events, unit: "ns/event", beside: "bare zlib", bare) {
            _ = built()
        }
        compare("gzip of their JSON in one piece", calls: 20, per: events, unit: "ns/event", beside: "bare zlib", bare)
        {
            _ = Gzip.deflate(joined)
        }
        let data = Data(packed)
        compare("base64 of the gzip", calls: 200, per: events, unit: "ns/event", beside: "Foundation's") {
            _ = data.base64EncodedData()
        } step: {
            _ = Base64.encode(packed)
        }
        let body = batch.body
        let library = dlopen("libcrypto.so.3", RTLD_NOW) ?? dlopen("libcrypto.so.1.1", RTLD_NOW)
        typealias Digest =
            @convention(c) (UnsafeRawPointer?, Int, UnsafeMutablePointer<UInt8>?) -> UnsafeMutablePointer<UInt8>?
        let digest = library.flatMap { dlsym($0, "SHA256") }.map { unsafeBitCast($0, to: Digest.self) }
        var sum = [UInt8](repeating: 0, count: 32)
        let openSSL = digest.map { digest in
            {
                body.withUnsafeBytes { body in
                    sum.withUnsafeMutableBufferPointer { _ = digest(body.baseAddress, body.count, $0.baseAddress) }
                }
            }
        }
        compare("SHA-256 of the body", calls: 200, per: events, unit: "ns/event", beside: "OpenSSL's", openSSL) {
            _ = SHA256.hashCode(of: body)
        }
        guard let endpoint = try? Endpoint("http://127.0.0.1:9/collect") else { exit(70) }  // it is one
        compare("make the request", calls: 200, per: events, unit: "ns/event") {
            _ = UploadRequest.make(
                batch,
                to: endpoint,
                platform: "Linux",
                appID: "sample",
                bundleSequenceID: 1,
                at: Timestamp(milliseconds: 1_693_920_000_703)
            )
        }
    }
}
