import ClickstreamCore
import ClickstreamSimulation
import Testing

@Suite("Scripted server", .timeLimit(.minutes(10)))
struct ScriptedServerTests {
    private let time = VirtualTime(start: Timestamp(milliseconds: 0))
    private let request = UploadRequest(url: "http://server.invalid/", headers: [], body: [1, 2, 3])

    @Test("uses its handler first, then its script, then its default")
    func script() async throws {
        let server = ScriptedServer(time: time, script: [.status(500), .status(429, retryAfter: "3")]) { request in
            request.body.isEmpty ? .status(204) : nil
        }
        var empty = request
        empty.body = []
        var statuses: [Int] = []
        for request in [request, empty, request, request] { statuses.append(try await server.send(request).status) }
        #expect(statuses == [500, 204, 429, 200])
        server.defaultReply = .status(503)
        server.answer(.status(201))
        for _ in 0..<2 { statuses.append(try await server.send(request).status) }
        #expect(statuses.suffix(2) == [201, 503])
        #expect(server.requests == [request, empty, request, request, request, request])
    }

    @Test(
        "distinguishes delivered from failed requests",
        arguments: [
            (.refuse, 0), (.cutBeforeRequest, 0), (.cutBeforeReply, 1), (.status(200), 1),
        ] as [(ScriptedServer.Reply, Int)]
    )
    func arrival(reply: ScriptedServer.Reply, arrived: Int) async {
        let server = ScriptedServer(time: time, script: [reply])
        // Only what arrived is looked at here.
        _ = try? await server.send(request)
        #expect(server.attempts == [request])
        #expect(server.requests.count == arrived)
    }

    @Test(
        "replies after its delay, or times out before that",
        arguments: [
            (.delay(.seconds(5), .status(202)), 5_000, .success(202)),
            (.delay(.seconds(5), .delay(.seconds(5), .status(202))), 10_000, .success(202)),
            (.delay(.milliseconds(14_999), .cutBeforeReply), 14_999, .failure(.cut("connection closed by the script"))),
            (.delay(.seconds(15), .status(202)), 15_000, .failure(.timedOut)),
            (.delay(.seconds(10), .delay(.seconds(10), .status(202))), 15_000, .failure(.timedOut)),
            (.delay(.seconds(Int64.min), .status(202)), 0, .success(202)),
            (.delay(.seconds(Int64.max), .status(202)), 15_000, .failure(.timedOut)),
            (.timeOut, 15_000, .failure(.timedOut)),
            (.ignore, 15_000, .failure(.refused("the scripted server was not reached within 15000 ms"))),
        ] as [(ScriptedServer.Reply, Int64, Result<Int, TransportError>)]
    )
    func delay(reply: ScriptedServer.Reply, milliseconds: Int64, outcome: Result<Int, TransportError>) async {
        let server = ScriptedServer(time: time, script: [reply])
        let sender = Task { () -> (Result<Int, TransportError>, Int64) in
            do throws(TransportError) {
                return (.success(try await server.send(request).status), time.now().steady)
            } catch {
                return (.failure(error), time.now().steady)
            }
        }
        await server.requestWaits()
        await time.advance(milliseconds: milliseconds)
        let (result, end) = await sender.value
        #expect(result == outcome)
        #expect(end == milliseconds)
        #expect(time.millisecondsToNextTimer == nil)
    }

    @Test("holds a request until it is released")
    func hold() async throws {
        let server = ScriptedServer(time: time, script: [.hold(.status(201))])
        let sender = Task { try await server.send(request).status }
        await server.requestWaits()
        await time.advance(milliseconds: 14_000)
        #expect(server.heldCount == 1)
        server.release()
        #expect(try await sender.value == 201)
        #expect(server.heldCount == 0)
    }

    @Test("does not block the clock if a timer's work waits for a reply that is held")
    func heldWithinTimer() async {
        let server = ScriptedServer(time: time, script: [.hold(.status(201))])
        let ends = AsyncStream<Void>.makeStream()
        time.after(milliseconds: 10) { [request] in
            await #expect(throws: TransportError.timedOut) { try await server.send(request) }
            ends.continuation.finish()
        }
        await time.advance(milliseconds: 20_000)
        // It ends with the work: at once, or never.
        for await _ in ends.stream {}
    }
}
