import ClickstreamCapture
import ClickstreamCore
import ClickstreamJudges
import ClickstreamSimulation
import FormatFixtures

/// Part of Docs/capture-events.md: one event, and its fields in each wire format.
struct EventTable: Sendable {
    /// One meaning, and its path in each format.
    struct Row {
        var meaning: String
        var paths: [CapturedFormat: String]
        /// True if the formats write different values.
        var differs: Bool
    }

    var title: String
    var trigger: String
    /// The types that enable the event; empty for events that the app or the platform reports.
    var types: [AutoEventType] = []
    /// The name of the event in the clickstream format.
    var name: String
    /// One line for each row: meaning, then the path in the clickstream format if it has the field, then `≠` if the
    /// values of the formats differ. The other paths are those of ``FormatFixture/column``.
    var lines: String
    /// Produces the event on a device that shows two pages.
    var perform: @Sendable (CaptureDevice) async throws -> Void

    var rows: [Row] { Self.rows(of: title, lines) }

    /// The name of the event in each format that has it.
    var names: [CapturedFormat: String] {
        FormatFixture.all.reduce(into: [.clickstream: name]) { $0[$1.format] = $1.column.names[title] }
    }

    static func rows(of title: String, _ lines: String) -> [Row] {
        lines.split(separator: "\n").map { line in
            let cells = line.split(separator: " | ").map(String.init)
            var paths: [CapturedFormat: String] = [:]
            paths[.clickstream] = cells.dropFirst().first { $0 != "≠" }
            for fixture in FormatFixture.all { paths[fixture.format] = fixture.column.paths[title]?[cells[0]] }
            return Row(meaning: cells[0], paths: paths, differs: cells.last == "≠")
        }
    }
}

/// Device whose app shows the pages `Home` and `Detail`, and records in every format.
struct CaptureDevice {
    static let home = Capture.Page(
        id: InstanceID(1),
        className: "HomeViewController",
        accessibilityID: "home",
        data: AutoTrackableEventData(elementName: "Home")
    )
    static let detail = Capture.Page(
        id: InstanceID(2),
        className: "DetailViewController",
        title: "Shoes",
        accessibilityID: "detail",
        data: AutoTrackableEventData(
            elementName: "Detail",
            additionalProperties: ["plan": "free"],
            additionalIDs: ["sid": "e0182f1b"],
            trackingGroup: "shop",
            trackingSection: "top"
        )
    )

    let recorder: ClickstreamTestRecorder
    let client: ClickstreamClient
    let capture: Capture

    /// - Parameter change: changes the settings of the capture.
    init(_ change: (inout CaptureConfiguration) -> Void = { _ in }) throws {
        recorder = ClickstreamTestRecorder(
            device: ClickstreamClient.Device(
                platform: "iOS",
                osVersion: "18.0",
                make: "Apple",
                brand: "Apple",
                model: "iPhone 16",
                locale: "en_US",
                language: "en",
                country: "US",
                carrier: "verizon",
                networkType: "Mobile",
                screenWidth: 1_179,
                screenHeight: 2_556,
                app: ClickstreamClient.Device.App(package: "com.example.shop", title: "Shop", version: "1.0")
            )
        )
        client = try recorder.launch()
        var settings = CaptureConfiguration(autoEvents: AutoEventType.all)
        for fixture in FormatFixture.all {
            fixture.configure(&settings, "http://collector.test\(fixture.format.path)")
        }
        change(&settings)
        capture = Capture(client: client, configuration: settings)
    }

    /// Shows both pages.
    func showPages() async {
        await wait(10)
        capture.appear(Self.home)
        await wait(2_000)
        capture.disappear(Self.home.id)
        capture.appear(Self.detail)
        await wait(1_500)
    }

    func wait(_ milliseconds: Int64) async { await recorder.time.advance(milliseconds: milliseconds) }

    /// Path to an element at the top of the second page, with data of the app.
    func path(
        _ className: String,
        _ type: Capture.ElementType? = nil,
        _ content: Capture.Element.Content = .none,
        identifier: String? = nil,
        key: String? = nil
    ) -> Capture.ElementPath {
        var data = Self.detail.data
        data.elementName = "buy"
        let element = Capture.Element(
            id: InstanceID(10),
            className: className,
            type: type,
            content: content,
            localizedKey: key,
            accessibilityID: identifier,
            responds: true,
            data: data
        )
        return Capture.ElementPath(page: Self.detail.id, links: [Capture.ElementPath.Link(element, ordinal: 0)])
    }

    /// Performs a touch gesture in a straight line to the right, from the point 20, 40.
    func touch(_ distance: Double, in milliseconds: Int64) async {
        let path = path("UIButton", .button, .text("Buy"))
        let start = Capture.Point(x: 20, y: 40)
        capture.touch(Capture.Touch(.down, at: start)) { _ in path }
        await wait(milliseconds)
        capture.touch(Capture.Touch(.up, at: Capture.Point(x: start.x + distance, y: start.y))) { _ in path }
    }

    /// The events in each format since the first `count` notices.
    func events(since count: Int) -> [(format: CapturedFormat, event: JSONValue)] {
        recorder.notices.dropFirst(count).compactMap { notice in
            let (format, line): (CapturedFormat?, [UInt8]) =
                switch notice {
                case .recorded(_, _, let line, _): (.clickstream, line)
                case .captured(let format, let line): (CapturedFormat(rawValue: format.rawValue), line)
                default: (nil, [])
                }
            // Every notice of an event contains JSON.
            guard let format, let event = try? JSONReader.parse(line) else { return nil }
            return (format, event)
        }
    }
}
