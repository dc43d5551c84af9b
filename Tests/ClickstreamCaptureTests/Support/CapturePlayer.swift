import ClickstreamCapture
import ClickstreamCore
import ClickstreamSimulation

/// Plays a script on a session.
struct CapturePlayer {
    private let script: CaptureScript
    private var session: CaptureSession
    /// The touched page at the last down of each finger.
    private var touched: [UInt8: InstanceID?] = [:]

    private init(_ script: CaptureScript, seed: UInt64) {
        self.script = script
        session = CaptureSession(rules: script.rules, ids: SeededIDs(seed: seed))
    }

    /// Returns the events of the script, and the number of touch gestures without a class.
    static func play(_ script: CaptureScript, seed: UInt64 = 1) -> (events: [CapturedEvent], unclassified: Int) {
        var player = CapturePlayer(script, seed: seed)
        let events = script.steps.flatMap { player.perform($0.input, at: $0.time) }
        return (events, player.session.unclassified)
    }

    private mutating func perform(_ input: CaptureScript.Input, at time: Moment) -> [CapturedEvent] {
        switch input {
        case .enable(let type):
            defer { session.enable([type]) }
            return session.advance(to: time)
        case .resolve(let key, let text):
            defer { session.resolve(key: key, to: text) }
            return session.advance(to: time)
        case .load(let page): return session.load(page, at: time)
        case .appear(let page): return session.appear(page, at: time)
        case .disappear(let id): return session.disappear(id, at: time)
        case .unload(let id): return session.unload(id, at: time)
        case .remove(let location): return path(location).element.map { session.remove($0.id, at: time) } ?? []
        case .click(let location): return session.click(path(location), at: time)
        case .gesture(let location, let gesture): return session.gesture(gesture, on: path(location), at: time)
        case .scroll(let location, let position): return session.scroll(path(location), to: position, at: time)
        case .items(let location, let layout):
            let path = path(location)
            guard let id = path.element?.id else { return [] }
            let missing = session.itemsWithoutData(layout, in: path)
            let data = ItemsData(
                event: CaptureScript.eventData(id) ?? [:],
                items: Dictionary(missing.map { ($0, CaptureScript.itemData(id, $0) ?? [:]) }) { $1 }
            )
            return session.show(layout, in: path, data: data, at: time)
        case .touch(let touch, let page):
            if touch.phase == .down { touched[touch.finger] = .some(page) }
            let page = touched[touch.finger] ?? page
            let due = session.advance(to: time)
            guard let gesture = session.receive(touch, at: time) else { return due }
            let path = Capture.ElementPath(to: gesture.start, in: script.views[page] ?? [], page: page)
            return due + session.record(gesture, on: path, at: time)
        case .background: return session.background(at: time)
        case .foreground: return session.foreground(at: time)
        case .tick: return session.advance(to: time)
        }
    }

    private func path(_ location: CaptureScript.Location) -> Capture.ElementPath {
        Capture.ElementPath(at: location.indices, in: script.views[location.page] ?? [], page: location.page)
            ?? Capture.ElementPath(page: location.page)
    }
}
