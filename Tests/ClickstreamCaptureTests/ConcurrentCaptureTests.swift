import ClickstreamCapture
import ClickstreamCore
import ClickstreamSimulation
import Testing

@Suite("Concurrent use of Capture")
struct ConcurrentCaptureTests {
    @Test("records each event once in each format, in one order")
    func threads() async throws {
        let app = CaptureApp()
        let (client, capture) = try app.launch()
        let view = Capture.Element(id: InstanceID(7), className: "View", type: .button, responds: true)
        let path = Capture.ElementPath(page: InstanceID(1), links: [Capture.ElementPath.Link(view, ordinal: 0)])
        let (tasks, rounds) = (6, 150)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for round in 0..<rounds {
                        switch task {
                        case 0: client.record("ordinary")
                        case 1: capture.appear(Capture.Page(id: InstanceID(UInt64(1 + round % 3)), className: "Page"))
                        case 2:
                            capture.touch(Capture.Touch(.down, at: Capture.Point(x: 0, y: 0), finger: 1)) { _ in path }
                            capture.touch(Capture.Touch(.up, at: Capture.Point(x: 0, y: 0), finger: 1)) { _ in path }
                        case 3: if round % 2 == 0 { client.background() } else { client.foreground() }
                        case 4:
                            let axis = Capture.ScrollPosition.Axis(offset: Double(round), visible: 1, content: 9_999)
                            capture.scroll(path, to: Capture.ScrollPosition(horizontal: axis, vertical: axis))
                            capture.enable([.touch])
                        default: capture.click(path)
                        }
                    }
                }
            }
        }
        client.terminate()
        #expect(app.names(.clickstream).count { $0 == "ordinary" } == rounds)
        #expect(app.names(.clickstream).count { $0 == "_click" } == rounds)
        #expect(app.names(.pulse).count { $0 == "click" } == rounds)
        #expect(app.names(.pulse).count { $0 == "page_view" } == rounds)
        let ids = app.events(.pulse).map { $0["event_id"]?.string }
        #expect(Set(ids).count == ids.count)
        // An event lists the ids of those before it: in one order for all threads.
        let order = app.events(.clickstream).compactMap { $0["event_id"]?.string }
        let shared = ids.compactMap { $0 }.filter { Set(order).contains($0) }
        #expect(shared == order.filter { Set(shared).contains($0) })
        #expect(app.warnings == [])
    }
}
