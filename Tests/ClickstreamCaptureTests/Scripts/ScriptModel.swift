import ClickstreamCapture
import ClickstreamCore
import ClickstreamReplay

/// Second implementation of the steps of a user interface, from the contract: input of each process for ``CaptureModel``.
///
/// Views without nested views are the only ones that scroll.
struct ScriptModel {
    private let script: Script
    private(set) var processes: [CaptureScript] = []
    private var steady: Int64 = 0
    private var wall: Int64 = RandomCapture.start
    /// Instances on the navigation path, the current page last.
    private var path: [(page: ScriptedPage, id: InstanceID)] = []
    private var offsets: [CaptureScript.Location: Capture.Point] = [:]
    private var identities: UInt64 = 0

    init(_ script: Script) {
        self.script = script
        for step in script.steps { perform(step.action) }
    }

    private mutating func perform(_ action: Step.Action) {
        switch action {
        case .launch:
            processes.append(CaptureScript())
            path = []
            offsets = [:]
            for type in script.facts.capture.autoEvents ?? [] { take(.enable(type)) }
        case .kill: take(.tick)
        case .wait(let milliseconds): wait(milliseconds)
        case .clock(.by(let milliseconds)): wall += milliseconds
        case .configure(_, let types): for type in types { take(.enable(type)) }
        case .background: take(.background)
        case .foreground: take(.foreground)
        case .input(.show(let page)): show(page)
        case .input(.touch(let points)): touch(points)
        case .input(.click(let view)): if let location = location(view) { take(.click(location)) }
        case .input(.gesture(let gesture, let view)):
            if let location = location(view) { take(.gesture(location, gesture)) }
        case .input(.scroll(let scroll)): self.scroll(scroll)
        default: break
        }
    }

    private mutating func take(_ input: CaptureScript.Input) {
        let time = Moment(wall: Timestamp(milliseconds: wall), steady: steady)
        processes[processes.count - 1].steps.append(CaptureScript.Step(time: time, input: input))
    }

    /// Time passes; a timer ends scrolls.
    private mutating func wait(_ milliseconds: Int64) {
        steady += milliseconds
        wall += milliseconds
        take(.tick)
    }

    // MARK: Pages

    private mutating func show(_ name: String) {
        guard let page = script.pages?[name] else { return }
        if let index = path.firstIndex(where: { $0.page.page.className == name }) {
            if let last = path.last { take(.disappear(last.id)) }
            take(.appear(described(path[index])))
            while path.count > index + 1 { take(.unload(path.removeLast().id)) }
        } else {
            let instance = (page: page, id: identity())
            processes[processes.count - 1].views[instance.id] = page.views.map { element($0) }
            take(.load(described(instance)))
            if let last = path.last { take(.disappear(last.id)) }
            take(.appear(described(instance)))
            path.append(instance)
        }
        var lists: [[Int]] = []
        Self.walk(page.views) { view, location in
            if view.items != nil { lists.append(location) }
        }
        for list in lists { layOut(list) }
    }

    private func described(_ instance: (page: ScriptedPage, id: InstanceID)) -> Capture.Page {
        var page = instance.page.page
        page.id = instance.id
        return page
    }

    private mutating func identity() -> InstanceID {
        identities += 1
        return InstanceID(identities)
    }

    private mutating func element(_ view: ScriptedView) -> Capture.Element {
        var element = view.element
        element.id = identity()
        if let items = view.items {
            processes[processes.count - 1].lists[element.id] = CaptureScript.ListData(
                event: items.eventData,
                items: items.data
            )
        }
        element.children = view.views.map { self.element($0) }
        return element
    }

    // MARK: Elements

    private func location(_ reference: String) -> CaptureScript.Location? {
        path.last.flatMap { current in
            Self.location(of: reference, on: current.page).map { CaptureScript.Location(page: current.id, indices: $0) }
        }
    }

    /// The name counts before accessibility identifiers, which count before restoration identifiers.
    static func location(of reference: String, on page: ScriptedPage) -> [Int]? {
        var found: [[Int]?] = [nil, nil, nil]
        walk(page.views) { view, location in
            let element = view.element
            let names = [element.data.elementName, element.accessibilityID, element.restorationID]
            for (rank, name) in names.enumerated() where name == reference && found[rank] == nil {
                found[rank] = location
            }
        }
        return found.compactMap(\.self).first
    }

    static func view(at location: [Int], on page: ScriptedPage) -> ScriptedView {
        var view = page.views[location[0]]
        for index in location.dropFirst() { view = view.views[index] }
        return view
    }

    /// Visits views before the views in them.
    static func walk(_ views: [ScriptedView], _ location: [Int] = [], _ visit: (ScriptedView, [Int]) -> Void) {
        for (index, view) in views.enumerated() {
            visit(view, location + [index])
            walk(view.views, location + [index], visit)
        }
    }

    private mutating func touch(_ points: [Step.TouchPoint]) {
        let page = path.last?.id
        for (index, point) in points.enumerated() {
            if index > 0, point.delay > 0 { wait(point.delay) }
            if index == 0 { take(.touch(Capture.Touch(.down, at: point.point), on: page)) }
            if index > 0, index < points.count - 1 { take(.touch(Capture.Touch(.move, at: point.point), on: page)) }
            if index == points.count - 1 { take(.touch(Capture.Touch(.up, at: point.point), on: page)) }
        }
    }

    // MARK: Scrolling

    private mutating func scroll(_ scroll: Step.ScrollTo) {
        guard let current = path.last, let location = location(scroll.view) else { return }
        let view = Self.view(at: location.indices, on: current.page)
        let start = offsets[location] ?? Capture.Point(x: 0, y: 0)
        let end: Capture.Point =
            switch scroll.target {
            case .offset(let offset): Capture.Point(x: start.x, y: offset)
            case .point(let point): point
            }
        report(view, at: location, start)
        let began = steady
        for change in 1...16 as ClosedRange<Int64> {
            let time = began + scroll.duration * change / 16
            if time > steady { wait(time - steady) }
            let part = Double(change) / 16
            let point = Capture.Point(x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part)
            offsets[location] = point
            report(view, at: location, point)
            if view.items != nil { layOut(location.indices) }
        }
    }

    private mutating func report(_ view: ScriptedView, at location: CaptureScript.Location, _ offset: Capture.Point) {
        let frame = view.element.frame
        let items = view.items.map { $0.size * Double($0.data.count) }
        let height = view.content.height ?? items ?? frame.height
        take(
            .scroll(
                location,
                Capture.ScrollPosition(
                    horizontal: .init(offset: offset.x, visible: frame.width, content: frame.width),
                    vertical: .init(offset: offset.y, visible: frame.height, content: height)
                )
            )
        )
    }

    /// Reports all items, also those outside of the list.
    private mutating func layOut(_ indices: [Int]) {
        guard let current = path.last else { return }
        let location = CaptureScript.Location(page: current.id, indices: indices)
        let chain = processes[processes.count - 1].chain(to: location)
        guard let items = Self.view(at: indices, on: current.page).items, let list = chain.last?.frame else { return }
        let (left, top) = (chain.map(\.frame.x).max() ?? 0, chain.map(\.frame.y).max() ?? 0)
        let right = chain.map { $0.frame.x + $0.frame.width }.min() ?? 0
        let bottom = chain.map { $0.frame.y + $0.frame.height }.min() ?? 0
        let offset = offsets[location]?.y ?? 0
        let layout = VisibleItems(
            viewport: Capture.Frame(x: left, y: top, width: max(0, right - left), height: max(0, bottom - top)),
            items: items.data.indices.map { index in
                let y = list.y - offset + items.size * Double(index)
                return VisibleItems.Item(
                    index: index,
                    frame: Capture.Frame(x: list.x, y: y, width: list.width, height: items.size)
                )
            }
        )
        take(.items(location, layout))
    }
}
