#if GTK
import CGtk4
import ClickstreamCapture
import ClickstreamCore
import ClickstreamGTK
import Glibc

/// Costs of capture from GTK in processor time: `GTKCosts FOLDER` prints a line of JSON for each figure, with and without
/// the hooks in one run. Needs a display. `GTKCosts FOLDER clicks N` reports N clicks only, for counters of instructions; `none N` the
/// same signals without the hooks.
@main
@MainActor
struct GTKCosts {
    private let capture: Capture
    private let window: UnsafeMutablePointer<GtkWidget>
    private let button: UnsafeMutablePointer<GtkWidget>
    private let label: UnsafeMutablePointer<GtkWidget>
    private let adjustment: UnsafeMutablePointer<GtkAdjustment>

    static func main() throws {
        guard CommandLine.arguments.count > 1 else { return print("GTKCosts FOLDER [clicks N|none N]") }
        guard gtk_init_check() != 0 else { fatalError("GTK cannot open a display: run it with xvfb-run") }
        let costs = try GTKCosts(folder: CommandLine.arguments[1])
        let arguments = CommandLine.arguments.dropFirst(2)
        if let count = arguments.last.flatMap({ Int($0) }) {
            if arguments.first == "clicks" { costs.capture.observeGTK() }
            costs.click(count)
        } else {
            costs.measure()
        }
    }

    private init(folder: String) throws {
        var configuration = ClickstreamClient.Configuration(appID: "costs", endpoint: "")
        configuration.sendInterval = .zero
        let client = try ClickstreamClient(
            configuration: configuration,
            device: ClickstreamClient.Device(platform: "Linux"),
            storage: folder,
            dependencies: ClickstreamClient.Dependencies(
                time: SystemTime(),
                ids: SystemIDs(),
                files: LocalFileSystem()
            )
        )
        capture = Capture(client: client, configuration: CaptureConfiguration())
        button = gtk_button_new_with_label("Buy")
        label = gtk_label_new("text")
        window = gtk_window_new()
        let top = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        var box: UnsafeMutablePointer<GtkWidget>? = top
        // Depth of an ordinary window.
        for _ in 0..<8 {
            let inner = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
            Self.append(inner, to: box)
            box = inner
        }
        Self.append(button, to: box)
        Self.append(label, to: box)
        gtk_window_set_child(UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self), top)
        gtk_widget_show(window)
        adjustment = gtk_adjustment_new(0, 0, 1_000_000, 1, 1, 1)
        g_object_ref_sink(adjustment)
        while g_main_context_iteration(nil, 0) != 0 {}
    }

    private static func append(_ child: UnsafeMutablePointer<GtkWidget>?, to box: UnsafeMutablePointer<GtkWidget>?) {
        gtk_box_append(UnsafeMutableRawPointer(box)?.assumingMemoryBound(to: GtkBox.self), child)
    }

    // MARK: Measurements

    private func measure() {
        let before = signals.map { time($0.emit) / $0.emissions }
        let plain = time(count: 20_000) { emitClicked() }
        let start = now
        capture.observeGTK()
        report("install", now - start, "ms", limit: 5, scale: 1e-6)
        let after = signals.map { time($0.emit) / $0.emissions }
        for (index, signal) in signals.enumerated() {
            report("\(signal.name) without hooks", before[index], "ns")
            report("\(signal.name) with hooks", after[index], "ns")
            report("\(signal.name), cost without event", after[index] - before[index], "us", limit: 1, scale: 1e-3)
        }
        let click = time(count: 20_000) {
            SimulatedInput.press(button)
            emitClicked()
        }
        let press = time(count: 20_000) { SimulatedInput.press(button) }
        report("clicked without hooks", plain, "ns")
        report("click, stored in one format", click - press - plain, "us", limit: 20, scale: 1e-3)
        capture.stopObservingGTK()
        let stopped = signals.map { time($0.emit) / $0.emissions }
        for (index, signal) in signals.enumerated() {
            report("\(signal.name) after the end", stopped[index], "ns")
        }
    }

    /// Signals with hooks whose emissions below create no event.
    private var signals: [(name: String, emissions: Double, emit: () -> Void)] {
        var value = 0.0
        return [
            ("clicked by the program", 1, { emitClicked() }),
            (
                "map or unmap",
                2,
                {
                    gtk_widget_set_child_visible(label, 0)
                    gtk_widget_set_child_visible(label, 1)
                }
            ),
            (
                "value of an adjustment",
                1,
                {
                    value += 1
                    gtk_adjustment_set_value(adjustment, value.truncatingRemainder(dividingBy: 1_000))
                }
            ),
        ]
    }

    private func click(_ count: Int) {
        for _ in 0..<count {
            SimulatedInput.press(button)
            emitClicked()
        }
    }

    private func emitClicked() {
        var instance = GValue()
        g_value_init(&instance, clickstream_type(button))
        g_value_set_object(&instance, button)
        g_signal_emitv(&instance, g_signal_lookup("clicked", clickstream_type(button)), 0, nil)
        g_value_unset(&instance)
    }

    /// The least mean time of a call in seven rounds, in nanoseconds.
    private func time(count: Int = 50_000, _ body: () -> Void) -> Double {
        (0..<7).map { _ in
            let start = now
            for _ in 0..<count { body() }
            return (now - start) / Double(count)
        }.min() ?? 0
    }

    /// Processor time of this thread, including the kernel's, in nanoseconds: other processes have no share in it.
    private var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    private func report(_ name: String, _ value: Double, _ unit: String, limit: Double? = nil, scale: Double = 1) {
        let value = (value * scale * 1_000).rounded() / 1_000
        print(
            "{\"name\": \"\(name)\", \"value\": \(value), \"unit\": \"\(unit)\", \"limit\": \(limit.map { "\($0)" } ?? "null")}"
        )
    }
}
#else
@main
struct GTKCosts {
    static func main() { print("built without the trait GTK") }
}
#endif
