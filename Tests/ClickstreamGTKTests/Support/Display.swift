#if GTK
import CGtk4
import Foundation
import Testing

/// X server without a screen, with a window manager, for the tests of this process. A missing program is an error.
@MainActor
struct Display {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private static var state: Result<Display, any Error>?
    /// A shell that ends both programs when this process ends: its input is then closed.
    private let shell: Process
    private let input: Pipe

    /// The display of this process, on which GTK is initialized.
    static func open() throws -> Display {
        if state == nil { state = Result { try Display() } }
        guard let state else { preconditionFailure("Invalid state: no display") }
        return try state.get()
    }

    private init() throws {
        for program in ["Xvfb", "openbox", "xdotool"] where !Self.hasProgram(program) {
            throw Failure(description: "\(program) is missing: apt-get install xvfb openbox xdotool")
        }
        shell = Process()
        input = Pipe()
        let output = Pipe()
        shell.executableURL = URL(fileURLWithPath: "/bin/bash")
        // Numbers of displays that are in use are skipped.
        shell.arguments = [
            "-c",
            """
            exec 3< <(exec Xvfb -displayfd 1 -screen 0 1024x768x24 -nolisten tcp 2>/dev/null </dev/null)
            server=$!
            read -r number <&3 || exit 1
            DISPLAY=:$number openbox >/dev/null 2>&1 </dev/null &
            manager=$!
            echo $number
            cat >/dev/null
            kill $manager $server
            """,
        ]
        shell.standardInput = input
        shell.standardOutput = output
        try shell.run()
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 { line.append(byte) }
        guard let number = Int(String(decoding: line, as: UTF8.self)) else {
            throw Failure(description: "Xvfb does not start")
        }
        setenv("DISPLAY", ":\(number)", 1)
        setenv("GDK_BACKEND", "x11", 1)
        setenv("GSK_RENDERER", "cairo", 1)
        // The test backend keeps the labels that an app sets for assistive technologies, without a bus.
        setenv("GTK_A11Y", "test", 1)
        setenv("NO_AT_BRIDGE", "1", 1)
        Messages.count()
        guard gtk_init_check() != 0 else { throw Failure(description: "GTK cannot open the display :\(number)") }
        HandledInput.count()
    }

    private static func hasProgram(_ name: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
        }
    }

    // MARK: Main loop

    /// Runs the main loop until a condition holds.
    /// - Returns: false if it did not hold within the time.
    @discardableResult
    func run(seconds: Double = 10, until condition: () -> Bool) -> Bool {
        let end = g_get_monotonic_time() + Int(seconds * 1_000_000)
        while !condition() {
            guard g_get_monotonic_time() < end else { return false }
            // A timer bounds the wait for the next event.
            let timer = g_timeout_add(10, { _ in 0 }, nil)
            g_main_context_iteration(nil, 1)
            if g_main_context_find_source_by_id(nil, timer) != nil { g_source_remove(timer) }
        }
        return true
    }

    /// Runs the main loop for a time.
    func run(milliseconds: Int) {
        let end = g_get_monotonic_time() + milliseconds * 1_000
        run(seconds: 60) { g_get_monotonic_time() >= end }
    }

    // MARK: Input

    /// Performs real input.
    func xdotool(_ arguments: String...) {
        guard let process = Self.start(arguments) else { return }
        run { !process.isRunning }
        run(milliseconds: 20)
    }

    private static func start(_ arguments: [String]) -> Process? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["xdotool"] + arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        do {
            try process.run()
            return process
        } catch {
            Issue.record("xdotool: \(error)")
            return nil
        }
    }

    /// Moves the pointer to a point of a widget, relative to its size.
    func point(at widget: UnsafeMutablePointer<GtkWidget>, _ x: Double = 0.5, _ y: Double = 0.5) {
        guard let native = gtk_widget_get_native(widget), let surface = gtk_native_get_surface(native) else {
            Issue.record("the widget has no window")
            return
        }
        let top = UnsafeMutableRawPointer(native).assumingMemoryBound(to: GtkWidget.self)
        var (left, above, dx, dy) = (0.0, 0.0, 0.0, 0.0)
        let width = Double(gtk_widget_get_width(widget))
        let height = Double(gtk_widget_get_height(widget))
        gtk_widget_translate_coordinates(widget, top, x * width, y * height, &left, &above)
        gtk_native_get_surface_transform(native, &dx, &dy)
        xdotool("mousemove", "--window", "\(Self.xid(surface))", "\(Int(left + dx))", "\(Int(above + dy))")
    }

    func click(_ widget: UnsafeMutablePointer<GtkWidget>, _ x: Double = 0.5, _ y: Double = 0.5) {
        point(at: widget, x, y)
        click()
    }

    /// Presses and releases the primary button.
    ///
    /// The release happens between two frames: GTK cancels a click if the layout changes in a frame between the release
    /// and its event. It creates a motion with the state of the buttons that the X server has at that time.
    func click() {
        let before = HandledInput.counts
        xdotool("mousedown", "1")
        #expect(run { HandledInput.counts.presses > before.presses }, "no press")
        Self.start(["mouseup", "1"])?.waitUntilExit()
        #expect(run { HandledInput.counts.releases > before.releases }, "no release")
        run(milliseconds: 20)
    }

    /// Sets the greatest time between two clicks that are a double click.
    /// - Returns: the former time.
    @discardableResult
    func setDoubleClickTime(milliseconds: Int32) -> Int32 {
        let settings = gtk_settings_get_default().map {
            UnsafeMutableRawPointer($0).assumingMemoryBound(to: GObject.self)
        }
        var value = GValue()
        g_value_init(&value, GType(6 << 2))
        defer { g_value_unset(&value) }
        g_object_get_property(settings, "gtk-double-click-time", &value)
        let former = g_value_get_int(&value)
        g_value_set_int(&value, milliseconds)
        g_object_set_property(settings, "gtk-double-click-time", &value)
        return former
    }

    /// The identifier of a window of the X server.
    static func xid(_ surface: OpaquePointer) -> UInt {
        typealias Function = @convention(c) (OpaquePointer) -> UInt
        guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "gdk_x11_surface_get_xid") else { return 0 }
        return unsafeBitCast(symbol, to: Function.self)(surface)
    }
}

/// Numbers of presses and releases that the toolkit has handled.
enum HandledInput {
    private(set) nonisolated(unsafe) static var counts = (presses: 0, releases: 0)  // changed on the main thread only

    static func count() {
        g_type_class_ref(gdk_surface_get_type())
        g_signal_add_emission_hook(
            g_signal_lookup("event", gdk_surface_get_type()),
            0,
            { _, _, values, _ in
                guard let values, let event = clickstream_pointer(values + 1) else { return 1 }
                let type = gdk_event_get_event_type(OpaquePointer(event))
                if type == GDK_BUTTON_PRESS { HandledInput.counts.presses += 1 }
                if type == GDK_BUTTON_RELEASE { HandledInput.counts.releases += 1 }
                return 1
            },
            nil,
            nil
        )
    }
}

/// Warnings and critical messages of the toolkit.
enum Messages {
    private nonisolated(unsafe) static var texts: [String] = []  // written by the main thread only: it runs the toolkit
    private nonisolated(unsafe) static var isCounting = false

    static func count() {
        guard !isCounting else { return }
        isCounting = true
        g_log_set_writer_func(
            { level, fields, count, _ in
                if level.rawValue & (G_LOG_LEVEL_WARNING.rawValue | G_LOG_LEVEL_CRITICAL.rawValue) != 0 {
                    let text = g_log_writer_format_fields(level, fields, count, 0)
                    Messages.texts.append(text.map { String(cString: $0) } ?? "?")
                    g_free(text)
                }
                return G_LOG_WRITER_HANDLED
            },
            nil,
            nil
        )
    }

    /// The messages since the last call.
    static func take() -> [String] {
        defer { texts = [] }
        return texts
    }
}
#endif
