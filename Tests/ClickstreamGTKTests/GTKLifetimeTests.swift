#if GTK
import CGtk4
import ClickstreamCapture
import ClickstreamCore
import ClickstreamGTK
import Foundation
import TestSupport
import Testing

/// The number of objects of a test that are not released yet.
private nonisolated(unsafe) var living = 0  // changed on the main thread only: objects are released there

extension DisplayTests {
    @Suite("Lifetime of objects")
    @MainActor
    struct GTKLifetimeTests {
        /// The resident size of this process, in KiB.
        private var residentSize: Int {
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return line.flatMap { Int($0.split(separator: " ").dropLast().last ?? "") } ?? 0
        }

        /// True in a build with the thread sanitizer.
        private var isThreadSanitized: Bool { dlsym(nil, "__tsan_acquire") != nil }

        /// Opens and closes windows with a stack, a list and a scrolled window, counting all of them until their end.
        private func openAndClose(_ count: Int, _ display: Display) {
            for index in 0..<count {
                let stack: WidgetPointer = gtk_stack_new()
                let scroller: WidgetPointer = gtk_scrolled_window_new()
                let list: WidgetPointer = gtk_list_box_new()
                let button: WidgetPointer = gtk_button_new_with_label("row")
                gtk_list_box_append(list.opaque, button)
                gtk_scrolled_window_set_child(scroller.opaque, list)
                gtk_stack_add_named(stack.opaque, scroller, "list")
                let window: WidgetPointer = gtk_window_new()
                gtk_window_set_child(window.window, stack)
                GTKWidget(button).masking = .instance
                for widget in [window, stack, scroller, list, button] {
                    living += 1
                    g_object_weak_ref(widget.object, { _, _ in living -= 1 }, nil)
                }
                gtk_widget_show(window)
                gtk_window_destroy(window.window)
                if index % 20 == 0 { while g_main_context_iteration(nil, 0) != 0 {} }
            }
            display.run { living == 0 }
        }

        @Test("leaves no object of windows that are opened and closed")
        func windows() throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gtk-\(UUID().uuidString)").path
            defer { try? FileManager.default.removeItem(atPath: folder) }  // a folder that remains does no harm
            let app = try GTKApp(files: LocalFileSystem(), storage: folder)
            defer { app.end() }
            living = 0
            app.capture.stopObservingGTK()
            openAndClose(500, app.display)
            let before = residentSize
            openAndClose(500, app.display)
            let without = residentSize - before
            app.capture.observeGTK()
            let count = TestLength.count(1_000, full: 1_000, soak: 10_000)
            openAndClose(count / 2, app.display)
            app.clear()
            let start = residentSize
            openAndClose(count / 2, app.display)
            app.clear()
            let growth = residentSize - start
            print(
                "resident size: \(without) KiB per 500 windows without capture, \(growth) KiB per \(count / 2) with it"
            )
            #expect(living == 0)
            // The thread sanitizer keeps memory of its own for each address.
            if !isThreadSanitized { #expect(growth < 4_096) }
        }
    }
}
#endif
