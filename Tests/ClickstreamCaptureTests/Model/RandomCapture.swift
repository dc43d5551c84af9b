import ClickstreamCapture
import ClickstreamCore
import TestSupport

/// Random use of a random interface. The same number gives the same script. Times and lengths around every threshold
/// are frequent.
struct RandomCapture {
    /// 2024-01-01.
    static let start: Int64 = 1_704_067_200_000
    private static let pauses: [Int64] = [
        0, 0, 1, 16, 50, 199, 200, 201, 499, 500, 501, 1_499, 1_500, 2_999, 3_000, 3_001, 3_499, 3_500, 7_000,
    ]
    /// Quarters of a pixel, whose squares are exact.
    private static let lengths: [Double] = [
        0, 0, 1, 10, 16, 20, 23.75, 24, 24.25, 30, 40, 47.75, 48, 48.25, 50, 60, 100, 150,
    ]

    private var random: SplitMix
    private var script = CaptureScript()
    private var steady: Int64 = 0
    private var wall = Self.start
    private var pages: [Capture.Page] = []
    private var elements: UInt64 = 0
    private var locations: [CaptureScript.Location] = []
    private var pointer = Capture.Point(x: 0, y: 0)

    private init(number: UInt64) {
        random = SplitMix(seed: number)
    }

    static func script(number: UInt64) -> CaptureScript {
        var capture = RandomCapture(number: number)
        return capture.make()
    }

    private mutating func make() -> CaptureScript {
        script.rules = ClassRules(
            optBehavior: chance(2) ? [pick(["UIButton", "UIView", "PageA"]): pick([.autoOptIn, .autoOptOut])] : [:],
            masked: chance(4) ? [pick(["UIButton", "UILabel"])] : []
        )
        for id in 1...UInt64(2 + below(3)) { pages.append(page(InstanceID(id))) }
        for owner in pages.map(\.id) as [InstanceID?] + [nil] {
            script.views[owner] = views(page: owner, at: [], depth: 0)
        }
        for type in AutoEventType.all where !chance(6) { take(.enable(type)) }
        let count = 15 + below(60)
        while script.steps.count < count { addStep() }
        // Events that are due at the end.
        wait(5_000)
        take(.background)
        return script
    }

    // MARK: Interface

    private mutating func page(_ id: InstanceID) -> Capture.Page {
        Capture.Page(
            id: id,
            className: pick(["PageA", "PageB", "PageC"]),
            title: pick([nil, "Title", ""]),
            accessibilityID: pick([nil, nil, "page"]),
            isContainer: chance(8),
            isMasked: chance(8),
            optBehavior: pick([nil, nil, nil, .autoOptOut, .autoOptIn]),
            data: data()
        )
    }

    private mutating func data() -> AutoTrackableEventData {
        AutoTrackableEventData(
            elementName: pick([nil, nil, "name", "other"]),
            additionalProperties: chance(4) ? ["plan": "free"] : [:],
            additionalIDs: chance(4) ? ["sid": "x"] : [:],
            trackingGroup: pick([nil, nil, "g1", "g2"]),
            trackingSection: pick([nil, nil, "s1", "s2"])
        )
    }

    private mutating func views(page: InstanceID?, at indices: [Int], depth: Int) -> [Capture.Element] {
        (0..<below(depth == 0 ? 5 : 3)).map { index in
            let indices = indices + [index]
            locations.append(CaptureScript.Location(page: page, indices: indices))
            elements += 1
            let id = InstanceID(elements)
            return Capture.Element(
                id: id,
                className: pick(["UIButton", "UIView", "UIView", "UILabel", "UITableView"]),
                type: pick([nil] + Capture.ElementType.allCases),
                content: pick([.none, .none, .text("Yes"), .text("No"), .text(""), .input(length: 7)]),
                localizedKey: pick([nil, nil, nil, "shop.buy"]),
                accessibilityID: pick([nil, nil, nil, "ai", ""]),
                restorationID: pick([nil, nil, "ri", ""]),
                tag: pick([nil, nil, 4, -1]),
                frame: Capture.Frame(
                    x: pick([0, 0, 10, 40]),
                    y: pick([0, 0, 10, 40]),
                    width: pick([0, 20, 100, 300]),
                    height: pick([20, 100, 300, 600])
                ),
                responds: chance(4),
                isSecure: chance(8),
                masking: pick([.none, .none, .none, .none, .instance, .subtree]),
                optBehavior: pick([nil, nil, nil, nil, .autoOptIn, .autoOptOut]),
                data: data(),
                children: depth < 3 ? views(page: page, at: indices, depth: depth + 1) : []
            )
        }
    }

    // MARK: Steps

    private mutating func take(_ input: CaptureScript.Input) {
        let time = Moment(wall: Timestamp(milliseconds: wall), steady: steady)
        script.steps.append(CaptureScript.Step(time: time, input: input))
    }

    private mutating func wait(_ milliseconds: Int64) {
        steady += milliseconds
        wall += milliseconds
    }

    private mutating func addStep() {
        wait(pick(Self.pauses))
        // The wall clock is set.
        if chance(40) { wall += pick([-10_000, 10_000, -1]) }
        switch below(100) {
        case 0..<22: show()
        case 22..<27: take(.load(changed(pick(pages))))
        case 27..<31: take(.disappear(pick(pages).id))
        case 31..<34: take(.unload(pick(pages).id))
        case 34..<54: touch()
        case 54..<60: click()
        case 60..<74: scroll()
        case 74..<78: recognize()
        case 78..<91: layOut()
        case 91..<93: take(.background)
        case 93..<95: take(.foreground)
        case 95: take(.resolve(key: pick(["yes", "alert.ok"]), text: pick(["Yes", "No"])))
        case 96, 97: remove()
        case 98: take(.enable(pick(AutoEventType.all)))
        default: take(.tick)
        }
    }

    /// As a toolkit reports it: the new page is loaded, the old one disappears, the new one appears.
    private mutating func show() {
        let page = changed(pick(pages))
        if chance(2) { take(.load(page)) }
        if chance(2) { take(.disappear(pick(pages).id)) }
        take(.appear(page))
    }

    /// The same page, sometimes described otherwise.
    private mutating func changed(_ page: Capture.Page) -> Capture.Page {
        guard chance(6), let index = pages.firstIndex(of: page) else { return page }
        pages[index].data.elementName = pick([nil, "renamed", "name"])
        return pages[index]
    }

    private mutating func click() {
        guard let location = location() else { return }
        take(.click(location))
    }

    private mutating func remove() {
        guard let location = location() else { return }
        take(.remove(location))
    }

    /// An element, often one of a few, so that the same one is used again.
    private mutating func location() -> CaptureScript.Location? {
        locations.isEmpty ? nil : pick(chance(2) ? Array(locations.prefix(3)) : locations)
    }

    private mutating func length() -> Double { chance(2) ? pick(Self.lengths) : -pick(Self.lengths) }

    private mutating func touch() {
        let page = pick(pages.map(\.id) as [InstanceID?] + [nil])
        let finger: UInt8 = chance(12) ? 1 : 0
        pointer = Capture.Point(x: pick([0, 5, 15, 45, 119.75, 400]), y: pick([0, 5, 15, 45, 119.75, 700]))
        if !chance(30) { take(.touch(Capture.Touch(.down, at: pointer, finger: finger), on: page)) }
        let straight = chance(2) ? Capture.Point(x: length(), y: chance(2) ? 0 : length()) : nil
        for _ in 0..<below(4) {
            wait(pick([0, 16, 100, 250, 499, 500, 501, 1_000]))
            pointer.x += straight?.x ?? length()
            pointer.y += straight?.y ?? length()
            take(.touch(Capture.Touch(.move, at: pointer, finger: chance(20) ? 2 : finger), on: page))
            if chance(25) { take(pick([.background, .foreground, .tick])) }
            if chance(20) {
                let phase = pick(Capture.Touch.Phase.allCases)
                take(.touch(Capture.Touch(phase, at: pointer, finger: 1 + UInt8(below(2))), on: page))
            }
        }
        wait(pick([0, 1, 100, 400, 500, 501, 1_000]))
        if chance(3) { pointer.x += length() }
        let phase: Capture.Touch.Phase = chance(8) ? pick([.cancel, .leave, .down]) : .up
        if !chance(30) { take(.touch(Capture.Touch(phase, at: pointer, finger: finger), on: pick([page, nil]))) }
    }

    private mutating func scroll() {
        guard let location = location() else { return }
        let isTall = chance(2)
        for _ in 0..<(1 + below(4)) {
            let position = Capture.ScrollPosition(
                horizontal: .init(
                    offset: isTall ? 0 : pick([0, 10, 36.5, -20]),
                    visible: 300,
                    content: pick([600, 900, 0])
                ),
                vertical: .init(
                    offset: pick([0, 0, 36, 36.75, 100, 1_100, -50]),
                    visible: 400,
                    content: pick([1_500, 1_500, 100, 0, -1])
                )
            )
            take(.scroll(location, position))
            wait(pick([0, 1, 16, 100, 199, 200, 201, 487]))
        }
    }

    private mutating func recognize() {
        guard let location = location() else { return }
        let (one, other) = (Capture.Point(x: length(), y: length()), Capture.Point(x: length(), y: length()))
        take(
            .gesture(
                location,
                pick([
                    .tap(at: one, fingers: 1), .longPress(at: one, fingers: 2), .move(from: one, to: other),
                    .scale(from: 100, to: 150.75), .scale(from: 99.5, to: 20.25), .rotate(from: 0, to: -90.5),
                ])
            )
        )
    }

    private mutating func layOut() {
        let lists = locations.filter { location in
            let type = script.views.isEmpty ? nil : script.chain(to: location).last?.type
            return type == .tableViewCell || type == .collectionViewCell
        }
        guard !lists.isEmpty else { return }
        let list = pick(lists)
        for _ in 0..<(1 + below(3)) {
            let offset = pick([0, 24, 25, 26, 50, 100]) as Double
            let items = (0..<below(7)).map { index in
                VisibleItems.Item(
                    index: index,
                    frame: Capture.Frame(x: 0, y: Double(index) * 50 - offset, width: 100, height: chance(20) ? 0 : 50)
                )
            }
            take(
                .items(
                    list,
                    VisibleItems(
                        viewport: Capture.Frame(x: 0, y: 0, width: 100, height: pick([0, 100, 125, 200])),
                        items: items
                    )
                )
            )
            wait(pick([0, 1, 1_500, 3_000, 3_001, 3_499, 3_500]))
        }
    }

    // MARK: Chance

    private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    /// Once in `times`.
    private mutating func chance(_ times: Int) -> Bool { below(times) == 0 }

    private mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[below(choices.count)] }
}
