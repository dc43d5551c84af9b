#if Collector
import ClickstreamCore
import ClickstreamJudges
import Foundation
import TestSupport
import Testing

@testable import ClickstreamCollector

/// Requests that a client might send on a bad day: valid ones with a few of their bytes changed, at random but the same
/// at each run.
@Suite("Mutated requests")
struct MutatedRequestTests {
    private static let count = TestLength.count(200, full: 600, soak: 10_000)

    /// Result of one request.
    private struct Outcome {
        var status: Int?
        var id: String?
    }

    @Test("are accepted or rejected, and the store contains exactly those answered with 200")
    func account() async throws {
        try await withCollector(CollectorConfiguration(appIDs: ["shop"])) { collector in
            var random = SplitMix(seed: 20_240_508)
            let port = collector.port
            var stored: Set<String> = []
            var refused = 0
            var unanswered = 0
            for _ in 0..<Self.count {
                let request = Self.request(&random)
                let outcome = try await RawConnection.blocking { Self.send(request, to: port) }
                switch outcome.status {
                case 200?: if let id = outcome.id { stored.insert(id) }
                case nil: unanswered += 1
                default: refused += 1
                }
            }
            // It is as well as ever.
            #expect(try await collector.post("[\(event("last"))]").status == 200)

            var kept: Set<String> = []
            var events = 0
            var duplicates = 0
            var bad = 0
            var cursor: Int64?
            repeat {
                let page = try await collector.requests(after: cursor, limit: 1_000)
                for request in page.requests {
                    kept.insert(request.id)
                    events += request.events
                    duplicates += request.duplicates
                    if request.reason != nil { bad += 1 }
                }
                cursor = page.next
            } while cursor != nil
            let captured = try await Self.checkCaptured(collector)
            kept.formUnion(captured.ids)
            bad += captured.bad
            // Who went away before the answer may have been stored, and nothing else that was not answered.
            #expect(stored.isSubset(of: kept))
            #expect(kept.count - 1 - stored.count <= unanswered)
            let summary = try await collector.summary()
            #expect(summary.requests + captured.ids.count == kept.count)
            #expect(summary.badRequests + captured.bad == bad)
            #expect(captured.ids.count > Self.count / 20 && captured.bad > 0)
            #expect(summary.events == events && summary.duplicates == duplicates)
            #expect(summary.goodEvents + summary.badEvents == summary.events)
            #expect(try await Self.countEvents(collector) == summary.events)
            #expect(stored.count > Self.count / 10 && bad > 0 && refused > 0)
        }
    }

    /// Compares the lists of captured requests and events with their counts. Returns the requests' ids.
    private static func checkCaptured(_ collector: Collector) async throws -> (ids: Set<String>, bad: Int) {
        let counts = try await collector.capturedSummary()
        var ids: Set<String> = []
        var totals = CapturedCounts()
        for form in counts.values { totals += form }
        var listed = CapturedCounts()
        for list in ["captured", "audit"] {
            var cursor = ""
            repeat {
                let page = try await collector.get("/api/\(list)/requests?limit=1000&cursor=\(cursor)").object()
                for request in page["requests"] as? [[String: Any]] ?? [] {
                    ids.insert(request["rid"] as? String ?? "")
                    listed += CapturedCounts(
                        requests: 1,
                        badRequests: request["reason"] is String ? 1 : 0,
                        events: request["events"] as? Int ?? 0,
                        badEvents: request["bad_events"] as? Int ?? 0,
                        duplicates: request["duplicates"] as? Int ?? 0
                    )
                }
                cursor = page["next"] as? String ?? ""
            } while !cursor.isEmpty
        }
        #expect(listed == totals && listed.requests == ids.count)
        var events = 0
        var filter = CapturedFilter(limit: 1_000)
        filter.forms = CapturedFormat.captured
        repeat {
            let page = try await collector.captured(filter)
            for event in page.events { try JSONReader.check(event.event.json) }
            events += page.events.count
            filter.cursor = page.next
        } while filter.cursor != nil
        #expect(events == totals.events)
        return (ids, totals.badRequests)
    }

    private static func countEvents(_ collector: Collector) async throws -> Int {
        var count = 0
        var filter = EventFilter(limit: 1_000)
        repeat {
            let page = try await collector.events(filter)
            for event in page.events { try JSONReader.check(event.json) }
            count += page.events.count
            filter.cursor = page.next
        } while filter.cursor != nil
        return count
    }

    private static func send(_ bytes: [UInt8], to port: Int) -> Outcome {
        guard let connection = try? RawConnection(port: port) else { return Outcome() }
        connection.send(bytes)
        connection.finish()
        // A request that is no longer whole may get no answer at all.
        guard let response = try? connection.receive() else { return Outcome() }
        return Outcome(status: response.status, id: response.headers["x-request-id"])
    }

    // MARK: - Mutation

    private static func request(_ random: inout SplitMix) -> [UInt8] {
        let forms = [nil, nil] + CapturedFormat.captured
        let form = forms[Int(random.next() % UInt64(forms.count))]
        let events = (0..<Int(random.next() % 3 + 1)).map { _ in
            let number = Int(random.next() % 500)
            if form == .audit {
                return auditEvent(number, "write", data: number % 2 == 0 ? writePayload : insertion(number))
            }
            return form?.sample(number) ?? event("E\(number)", attributes: #""price":9.5,"note":"r\u00e9d""#)
        }
        var json = Array((form ?? .clickstream).text(events).utf8)
        if random.next() % 3 == 0 { mutate(&json, &random) }
        var body = json
        var headers: [String: String] = [:]
        switch random.next() % 4 {
        case 0: break
        case 1:
            body = Gzip.deflate(json)
            headers["Content-Encoding"] = "gzip"
        default: body = Base64.encode(Gzip.deflate(json))
        }
        if random.next() % 3 == 0 { mutate(&body, &random) }
        var request = RawConnection.request(
            "POST",
            (form?.path ?? "/collect")
                + "?platform=Linux&appId=shop&compression=gzip&event_bundle_sequence_id=7&hashCode=01234567",
            headers: headers,
            body: body
        )
        if random.next() % 3 == 0 { mutate(&request, &random) }
        return request
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix) {
        let pieces = [
            "\r\n", "\u{0}", "\"", "{", "]", ":", "é", "%", "1e999", "null", "Content-Length: 5\r\n", "\\u00",
        ]
        for _ in 0...(random.next() % 4) {
            if bytes.isEmpty { return }
            let offset = Int(random.next() % UInt64(bytes.count))
            switch random.next() % 5 {
            case 0: bytes[offset] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes[offset] ^= 1 << (random.next() % 8)
            case 2: bytes.insert(contentsOf: pieces[Int(random.next() % UInt64(pieces.count))].utf8, at: offset)
            case 3: bytes.removeSubrange(offset..<min(bytes.count, offset + 1 + Int(random.next() % 30)))
            default: bytes.append(contentsOf: bytes[offset...].prefix(200))
            }
        }
    }
}

extension JSONReader {
    fileprivate static func check(_ text: String) throws {
        try Array(text.utf8).withUnsafeBytes { try check($0) }
    }
}
#endif
