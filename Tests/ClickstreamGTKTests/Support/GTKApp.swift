#if GTK
import CGtk4
import ClickstreamCapture
import ClickstreamCore
import ClickstreamGTK
import ClickstreamSimulation
import FormatFixtures
import Testing

typealias WidgetPointer = UnsafeMutablePointer<GtkWidget>

/// App with capture in all formats on a simulated disk, and windows on a real display.
@MainActor
final class GTKApp {
    /// The format with an event for each touch.
    static let touches = FormatName(rawValue: FormatFixture.touches.name)

    let display: Display
    let client: ClickstreamClient
    let capture: Capture
    private let recorded = Recorded()
    private var windows: [WidgetPointer] = []

    init(
        _ types: [AutoEventType] = AutoEventType.all,
        rules: ClassRules = ClassRules(),
        files: any FileSystem = MemoryFileSystem(),
        storage: String = "/data"
    ) throws {
        display = try Display.open()
        _ = Messages.take()
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: "")
        configuration.sendInterval = .zero
        let recorded = recorded
        client = try ClickstreamClient(
            configuration: configuration,
            device: ClickstreamClient.Device(platform: "Linux"),
            storage: storage,
            dependencies: ClickstreamClient.Dependencies(
                time: SystemTime(),
                ids: SeededIDs(seed: 1),
                files: files
            ),
            observe: { notice in recorded.notices.withLock { $0.append(notice) } }
        )
        var settings = CaptureConfiguration(classRules: rules)
        for fixture in FormatFixture.all { fixture.configure(&settings, "") }
        capture = Capture(client: client, configuration: settings)
        capture.observeGTK(types)
    }

    /// Closes all windows, and ends the capture. Every message of the toolkit is an error.
    func end(sourceLocation: SourceLocation = #_sourceLocation) {
        for window in windows { gtk_window_destroy(window.window) }
        windows = []
        display.run(milliseconds: 50)
        capture.stopObservingGTK()
        client.terminate()
        #expect(Messages.take() == [], sourceLocation: sourceLocation)
    }

    // MARK: Windows

    /// Shows a window with content, and waits until it is active.
    @discardableResult
    func show(
        _ content: WidgetPointer,
        title: String = "Shop",
        width: Int32 = 400,
        height: Int32 = 300
    ) -> WidgetPointer {
        let window: WidgetPointer = gtk_window_new()
        gtk_window_set_title(window.window, title)
        gtk_window_set_default_size(window.window, width, height)
        gtk_window_set_child(window.window, content)
        windows.append(window)
        gtk_window_present(window.window)
        display.run { gtk_window_is_active(window.window) != 0 && gtk_widget_get_width(content) > 0 }
        display.run(milliseconds: 100)
        return window
    }

    func close(_ window: WidgetPointer) {
        windows.removeAll { $0 == window }
        gtk_window_destroy(window.window)
    }

    // MARK: Events

    /// The events of a format since the last call.
    func events(_ format: FormatName) -> [JSONValue] {
        recorded.notices.withLock { notices in
            notices.compactMap { notice in
                switch notice {
                case .recorded(_, _, let line, _) where format == .clickstream: try? JSONReader.parse(line)
                case .captured(format, let line): try? JSONReader.parse(line)
                default: nil
                }
            }
        }
    }

    /// The texts of all events in all formats.
    var text: String {
        recorded.notices.withLock { notices in
            notices.map { notice in
                switch notice {
                case .recorded(_, _, let line, _), .captured(_, let line): String(decoding: line, as: UTF8.self)
                default: ""
                }
            }.joined(separator: "\n")
        }
    }

    /// The names of the events of a format, or the numbers that it has in their place.
    func names(_ format: FormatName) -> [String] {
        let fixture = FormatFixture.all.first { $0.name == format.rawValue }
        return events(format).map { event in (fixture?.name(of: event) ?? event["event_type"]?.string) ?? "?" }
    }

    func clear() { recorded.notices.withLock { $0 = [] } }

    /// The clicks in the clickstream format: class, type, name and value of each element.
    var clicks: [Click] {
        events(.clickstream).filter { $0["event_type"]?.string == "_click" }.map { Click($0["attributes"]) }
    }

    /// The number of clicks in the formats that have them.
    var clickCounts: [Int] {
        [names(.clickstream).count { $0 == "_click" }, names(.pulse).count { $0 == "click" }]
    }
}

/// Notices of a client.
private final class Recorded: Sendable {
    let notices = Locked<[Notice]>([])
}

/// Click of a test.
struct Click: Equatable, CustomStringConvertible {
    var className: String?
    var type: String?
    var value: String?
    var name: String?
    var length: Int64?

    init(_ className: String, _ type: String?, _ value: String? = nil, name: String? = nil, length: Int64? = nil) {
        self.className = className
        self.type = type
        self.value = value
        self.name = name
        self.length = length
    }

    init(_ attributes: JSONValue?) {
        className = attributes?["_element_class"]?.string
        type = attributes?["_element_type"]?.string
        value = attributes?["_element_value"]?.string
        name = attributes?["_element_accessibility_id"]?.string
        length = attributes?["_element_input_length"]?.number?.integer
    }

    var description: String { "\(className ?? "-") \(type ?? "-") \(value ?? "-") \(name ?? "-") \(length ?? -1)" }
}

extension WidgetPointer {
    var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
    var opaque: OpaquePointer { OpaquePointer(self) }
    var window: UnsafeMutablePointer<GtkWindow> { raw.assumingMemoryBound(to: GtkWindow.self) }
    var box: UnsafeMutablePointer<GtkBox> { raw.assumingMemoryBound(to: GtkBox.self) }
    var object: UnsafeMutablePointer<GObject> { raw.assumingMemoryBound(to: GObject.self) }
    var range: UnsafeMutablePointer<GtkRange> { raw.assumingMemoryBound(to: GtkRange.self) }
    var checkButton: UnsafeMutablePointer<GtkCheckButton> { raw.assumingMemoryBound(to: GtkCheckButton.self) }
}

/// Returns a vertical box with widgets.
@MainActor
func box(_ children: WidgetPointer...) -> WidgetPointer {
    let box: WidgetPointer = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6)
    for child in children { gtk_box_append(box.box, child) }
    return box
}
#endif
