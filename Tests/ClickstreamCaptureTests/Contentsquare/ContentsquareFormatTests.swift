import ClickstreamCapture
import ClickstreamCore
import ClickstreamSimulation
import Testing

/// Deviations of the batch from the example of document 002. All other keys and values are the document's.
///
/// | document | here | source |
/// |---|---|---|
/// | no commas after `an` and `h` | valid JSON | JSON |
/// | `dt:4` beside 1080 × 1920 pixels with the density 1.5, 720 logical pixels wide | 5; 4 with the density 3 | contract |
/// | `pl:[]` | one event | a batch has events |
@Suite("Contentsquare format")
struct ContentsquareFormatTests {
    private static let endpoint = "http://square.test/batches?key=1"
    private static let userID = "ac1529a7-59f6-49d9-b254-6f0a22f57284"
    private static let event = #"{"ea":0}"#

    private let format = ContentsquareFormat(projectID: 8, timeZone: "Europe/Paris", density: 1.5)
    private let device = ClickstreamClient.Device(
        platform: "iOS",
        osVersion: "13.1",
        make: "Apple",
        model: "iPhone X",
        locale: "en_US",
        screenWidth: 1_080,
        screenHeight: 1_920,
        app: ClickstreamClient.Device.App(title: "appname")
    )

    private func session(_ number: Int) -> Session {
        Session(number: number, uniqueID: Self.userID, at: .at(0))
    }

    private func partition(_ number: Int) throws -> PartitionKey {
        let user = User(uniqueID: Self.userID, firstTouch: Timestamp(milliseconds: 0))
        return try #require(ContentsquareFormat.partition(user: user, session: session(number)))
    }

    private func body(
        _ format: ContentsquareFormat? = nil,
        now: Int64 = 1_522_159_618_000,
        device change: (inout ClickstreamClient.Device) -> Void = { _ in }
    ) throws -> String {
        var device = device
        change(&device)
        let format = format ?? self.format
        var builder = BatchBuilder(limit: 1_000, deflater: nil)
        _ = builder.append(Array(Self.event.utf8))
        let request = format.request(
            for: builder.finish(),
            DeliveryAttempt(
                endpoint: try Endpoint(Self.endpoint),
                destination: format.destination(appID: "shop", endpoint: Self.endpoint),
                configuration: ClickstreamClient.Configuration(appID: "shop"),
                device: device,
                bundleSequenceID: 1,
                partition: try partition(1),
                time: Timestamp(milliseconds: now)
            )
        )
        #expect(request.url == Self.endpoint)
        #expect(request.headers.map(\.name) == ["content-type", "user-agent"])
        return String(decoding: request.body, as: UTF8.self)
    }

    @Test("writes the batch of the document, key by key")
    func document() throws {
        #expect(
            try body() == """
                {"pid":8,"uid":"ac1529a7-59f6-49d9-b254-6f0a22f57284","dt":5,"dma":"Apple","dmo":"iPhone X",\
                "os":"13.1","l":"en_US","tz":"Europe/Paris","now":1522159618000,\
                "to":{"an":"appname","st":"sdk-ios","sf":"release"},"r":{"w":1080,"h":1920,"d":1.5},\
                "pl":[{"ea":0}]}
                """
        )
    }

    @Test("omits an unknown manufacturer and model", arguments: ["", "UNKNOWN"])
    func unknown(text: String) throws {
        let body = try body {
            $0.make = text
            $0.model = text
        }
        #expect(body.contains(#""dt":5,"os":"13.1""#))
    }

    @Test(
        "is of a tablet if the smaller side has 600 logical pixels",
        arguments: [
            (899, 900, 1.5, 4), (900, 899, 1.5, 4), (900, 900, 1.5, 5), (600, 2_000, 1, 5), (599, 2_000, 1, 4),
            (0, 0, 1, 4), (1_080, 1_920, 3, 4),
        ]
    )
    func tablet(width: Int, height: Int, density: Double, type: Int) throws {
        let body = try body(ContentsquareFormat(projectID: 8, density: density)) {
            $0.screenWidth = width
            $0.screenHeight = height
        }
        #expect(body.contains(#","dt":\#(type),"#))
    }

    @Test("has a density from 0.75 to 10", arguments: [(0.5, 0.75), (11, 10), (0, 1), (-1, 1), (.nan, 1), (2, 2)])
    func density(given: Double, used: Double) {
        #expect(ContentsquareFormat(projectID: 8, density: given).density == used)
    }

    @Test("has 50 events in a batch unless it is configured")
    func batchSize() {
        let configuration = ClickstreamClient.Configuration(appID: "shop")
        #expect(format.name.rawValue == "contentsquare")
        let form = format.batch(configuration)
        #expect(form == BatchForm(encoding: .plain, addedBytes: 1_024, maxEvents: 50, isPartitioned: true))
        #expect(ContentsquareFormat(projectID: 8, batchSize: 7).batch(configuration).maxEvents == 7)
        #expect(ContentsquareFormat(projectID: 8, batchSize: 0).batch(configuration).maxEvents == 1)
    }

    // MARK: Deliveries

    /// The fields of a request that differ between batches.
    private struct Sent: Equatable {
        var now: Int64?
        var user: String?
        var sessions: [Int64]
        var events: [JSONValue]

        init(_ request: UploadRequest) throws {
            let batch = try JSONReader.parse(request.body)
            now = batch["now"]?.number?.integer
            user = batch["uid"]?.string
            events = batch["pl"]?.array ?? []
            sessions = Set(events.compactMap { $0["sn"]?.number?.integer }).sorted()
        }
    }

    private func launch(_ server: ScriptedServer, _ time: VirtualTime) async throws -> ClickstreamClient {
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: "http://collector.test/collect")
        configuration.sendInterval = .zero
        let client = try ClickstreamClient(
            configuration: configuration,
            device: device,
            storage: "/data",
            dependencies: ClickstreamClient.Dependencies(
                time: time,
                ids: SeededIDs(seed: 1),
                files: MemoryFileSystem(),
                transport: server
            )
        )
        // The flush of the launch does not take a part of the events.
        _ = await client.flush()
        let destination = format.destination(appID: "shop", endpoint: Self.endpoint)
        client.withAccess { access, _ in access.open(destination) }
        return client
    }

    private func record(_ count: Int, session number: Int, _ client: ClickstreamClient) throws {
        let key = try partition(number)
        var encoder = ContentsquareEncoder()
        for index in 0..<count {
            let line = encoder.encode(
                .variable(DynamicVariable(key: "k", value: .integer(Int64(index)))),
                id: UniqueID(high: UInt64(number), low: UInt64(index)),
                at: .at(Int64(index)),
                in: ContentsquareContext(appID: "shop", device: device, session: session(number))
            )
            client.withAccess { access, moment in
                access.store(line, partition: key, format: .contentsquare, at: moment)
            }
        }
    }

    @Test("has batches of at most 50 events and of one session")
    func batches() async throws {
        let time = VirtualTime(start: Timestamp(milliseconds: 1_522_159_618_000))
        let server = ScriptedServer(time: time)
        let client = try await launch(server, time)
        // The first batch is a probe of at most 4096 bytes.
        try record(1, session: 1, client)
        #expect(await client.flush().isComplete)
        try record(60, session: 1, client)
        try record(50, session: 2, client)
        try record(10, session: 3, client)
        #expect(await client.flush().isComplete)
        let sent = try server.requests.filter { $0.url == Self.endpoint }.map { try Sent($0) }.dropFirst()
        #expect(sent.map(\.events.count) == [50, 10, 50, 10])
        #expect(sent.map(\.sessions) == [[1], [1], [2], [3]])
        #expect(sent.allSatisfy { $0.user == Self.userID })
        let values = sent.flatMap(\.events).map { $0["v"]?.number?.integer }
        let ranges: [Range<Int64>] = [0..<60, 0..<50, 0..<10]
        let expected: [Int64?] = ranges.joined().map { (value: Int64) -> Int64? in value }
        #expect(values == expected)
    }

    @Test("sends the same events in a retry, with another time")
    func retry() async throws {
        let time = VirtualTime(start: Timestamp(milliseconds: 1_522_159_618_000))
        let server = ScriptedServer(time: time)
        let client = try await launch(server, time)
        try record(3, session: 1, client)
        server.answer(.status(503))
        _ = await client.flush()
        await time.advance(milliseconds: 600_000)
        let bodies = server.attempts.filter { $0.url == Self.endpoint }.map(\.body)
        try #require(bodies.count == 2)
        let texts = bodies.map { String(decoding: $0, as: UTF8.self) }
        let events = texts.compactMap { text in text.firstRange(of: #""pl":"#).map { text[$0.lowerBound...] } }
        #expect(events.count == 2 && events[0] == events[1])
        let sent = try server.attempts.filter { $0.url == Self.endpoint }.map { try Sent($0) }
        #expect(sent[0].now == 1_522_159_618_000)
        #expect(try #require(sent[1].now) > 1_522_159_618_000)
    }

    @Test("has no partition key for an identifier that is no printable ASCII", arguments: ["a b", "é", "a@b"])
    func partitions(id: String) throws {
        let user = User(uniqueID: id, firstTouch: Timestamp(milliseconds: 0))
        #expect(ContentsquareFormat.partition(user: user, session: session(1)) == nil)
        #expect(try partition(1) != partition(2))
    }
}
