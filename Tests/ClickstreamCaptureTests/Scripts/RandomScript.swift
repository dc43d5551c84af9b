import ClickstreamCapture
import ClickstreamCore
import ClickstreamReplay
import TestSupport

/// Random replay script with the pages of a ``RandomCapture``. The same number gives the same script.
struct RandomScript {
    private var random: SplitMix
    private var pages: [String: ScriptedPage] = [:]
    private var steps: [Step] = [Step(.launch(LaunchFacts()))]
    /// The page that appeared last in this process.
    private var current: ScriptedPage?

    static func script(number: UInt64) -> Script {
        var script = RandomScript(random: SplitMix(seed: ~number))
        return script.make(RandomCapture.script(number: number))
    }

    private mutating func make(_ capture: CaptureScript) -> Script {
        for step in capture.steps {
            guard case .appear(var page) = step.input, pages["Page\(page.id.value)"] == nil else { continue }
            let views = capture.views[page.id] ?? []
            page.className = "Page\(page.id.value)"
            page.id = InstanceID(0)
            let content = views.map { view($0) }
            pages[page.className] = ScriptedPage(page, views: content)
        }
        let types = AutoEventType.all.filter { _ in !chance(6) }
        for _ in 0..<(10 + below(30)) { addStep() }
        steps.append(Step(.wait(5_000)))
        steps.append(Step(.background))
        return Script(
            seed: random.next(),
            facts: LaunchFacts(capture: CaptureFacts(autoEvents: types)),
            pages: pages,
            steps: steps
        )
    }

    private mutating func view(_ element: Capture.Element) -> ScriptedView {
        var bare = element
        bare.id = InstanceID(0)
        bare.children = []
        var view = ScriptedView(bare, views: element.children.map { self.view($0) })
        guard view.views.isEmpty else { return view }
        if chance(2) { view.content.height = pick([100, 600, 1_500]) }
        if bare.type == .tableViewCell || bare.type == .collectionViewCell || chance(8) {
            view.items = ScriptedView.Items(
                size: pick([20, 50]),
                data: (0..<below(12)).map { $0 % 5 == 4 ? [:] : ["id": "i\($0)"] },
                eventData: chance(2) ? ["list": "x"] : nil
            )
        }
        return view
    }

    // MARK: Steps

    private mutating func addStep() {
        if chance(2) {
            take(.wait(pick([1, 50, 199, 200, 201, 500, 1_499, 3_000, 3_001, 3_499, 3_500, 7_000])))
        }
        switch below(100) {
        case 0..<30: show()
        case 30..<45: touch()
        case 45..<57: click()
        case 57..<75: scroll()
        case 75..<82: recognize()
        case 82..<86: take(.background)
        case 86..<92: take(.foreground)
        case 92..<94: restart()
        case 94..<96: take(.configure([], autoEvents: [pick(AutoEventType.all)]))
        case 96..<98: take(.clock(.by(pick([-10_000, 10_000, -1]))))
        default: take(.wait(pick([200, 3_001])))
        }
    }

    private mutating func take(_ action: Step.Action) {
        steps.append(Step(action))
    }

    private mutating func show() {
        guard let name = pages.keys.sorted().randomElement(using: &random) else { return }
        take(.input(.show(page: name)))
        current = pages[name]
    }

    private mutating func restart() {
        take(.kill)
        take(.launch(LaunchFacts()))
        current = nil
    }

    private mutating func touch() {
        var point = Capture.Point(x: pick([0, 5, 15, 45, 119.75, 400]), y: pick([0, 5, 15, 45, 119.75, 700]))
        var points = [Step.TouchPoint(point)]
        for _ in 0..<below(4) {
            point.x += pick([0, 0, 1, 23.75, 24, 24.25, -30, 48.25, -100])
            point.y += pick([0, 0, 1, 10, -23.75, 48, 60, -150])
            points.append(Step.TouchPoint(point, after: pick([0, 16, 100, 499, 500, 501, 1_000])))
        }
        take(.input(.touch(points)))
    }

    /// A reference to a view of the current page that meets a condition.
    private mutating func reference(where isMet: (ScriptedView) -> Bool = { _ in true }) -> String? {
        guard let current else { return nil }
        var references: [String] = []
        ScriptModel.walk(current.views) { view, _ in
            let element = view.element
            for reference in [element.data.elementName, element.accessibilityID, element.restorationID] {
                if let reference, isMet(view) { references.append(reference) }
            }
        }
        return references.randomElement(using: &random)
    }

    private mutating func click() {
        guard let view = reference() else { return }
        take(.input(.click(view: view)))
    }

    /// Scrolls a view without nested views, which would move.
    private mutating func scroll() {
        guard let current, let view = reference(where: { $0.views.isEmpty }),
            let location = ScriptModel.location(of: view, on: current),
            ScriptModel.view(at: location, on: current).views.isEmpty
        else { return }
        let target: Step.ScrollTo.Target =
            chance(4)
            ? .point(Capture.Point(x: pick([0, 32]), y: pick([0, 36, 100])))
            : .offset(pick([0, 36, 36.75, 100, 1_100, -50]))
        take(.input(.scroll(Step.ScrollTo(view: view, to: target, in: pick([0, 5, 480, 519, 3_000, 4_000])))))
    }

    private mutating func recognize() {
        guard let view = reference() else { return }
        let gesture: RecognizedGesture = pick([
            .tap(at: Capture.Point(x: 1.5, y: 2), fingers: 1), .longPress(at: Capture.Point(x: -1.5, y: 2), fingers: 2),
            .scale(from: 100, to: 150.75), .rotate(from: 0, to: -90.5),
            .move(from: Capture.Point(x: 1, y: 2), to: Capture.Point(x: 3.5, y: -4)),
        ])
        take(.input(.gesture(gesture, view: view)))
    }

    // MARK: Chance

    private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    /// Once in `times`.
    private mutating func chance(_ times: Int) -> Bool { below(times) == 0 }

    private mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[below(choices.count)] }
}
