import ClickstreamCapture
import ClickstreamCore

extension CaptureModel {
    /// The complete one-finger gestures of the script, with the step of their down and up.
    func gestures() -> [(gesture: TouchGesture, down: Int, up: Int, page: InstanceID?)] {
        script.steps.indices.compactMap { down in
            guard case .touch(let first, let page) = script.steps[down].input, first.phase == .down,
                !isAnotherFingerDown(than: first.finger, before: down)
            else { return nil }
            let rest = script.steps.indices[(down + 1)...]
            let end = rest.first { index in
                switch script.steps[index].input {
                case .background: true
                case .touch(let touch, _): touch.finger == first.finger ? touch.phase != .move : touch.phase == .down
                default: false
                }
            }
            guard let end, case .touch(let last, _) = script.steps[end].input, last.phase == .up else { return nil }
            let points = script.steps[down...end].compactMap { step -> Capture.Point? in
                guard case .touch(let touch, _) = step.input, touch.finger == first.finger else { return nil }
                return touch.point
            }
            let duration = script.steps[end].time.steady - script.steps[down].time.steady
            return (gesture(points, duration: max(1, duration)), down, end, page)
        }
    }

    private func isAnotherFingerDown(than finger: UInt8, before step: Int) -> Bool {
        var seen: Set<UInt8> = [finger]
        for step in script.steps[..<step].reversed() {
            if case .background = step.input { return false }
            guard case .touch(let touch, _) = step.input, touch.phase != .move else { continue }
            if seen.insert(touch.finger).inserted, touch.phase == .down { return true }
        }
        return false
    }

    private func gesture(_ points: [Capture.Point], duration: Int64) -> TouchGesture {
        func length(_ one: Capture.Point, _ other: Capture.Point) -> Double {
            ((one.x - other.x) * (one.x - other.x) + (one.y - other.y) * (one.y - other.y)).squareRoot()
        }
        let (start, end) = (points[0], points[points.count - 1])
        let distance = points.map { length(start, $0) }.max() ?? 0
        let path = zip(points, points.dropFirst()).map(length).reduce(0, +)
        let velocity = path * 1_000 / Double(duration)
        let kind: TouchGesture.Kind =
            if distance < 24 {
                duration > 500 ? .longPress : .tap
            } else if distance <= 48 {
                .unclassified
            } else {
                velocity < 100 ? .drag : .flick
            }
        let (right, down) = (end.x - start.x, end.y - start.y)
        let direction: TouchGesture.Direction =
            if path > 1.5 * length(start, end) {
                .complex
            } else if abs(right) > abs(down) {
                right > 0 ? .right : .left
            } else {
                down > 0 ? .down : .up
            }
        return TouchGesture(
            kind: kind,
            start: start,
            distance: distance,
            velocity: velocity,
            direction: direction,
            duration: duration
        )
    }

    func touchFindings() -> [Finding] {
        gestures().compactMap { gesture, down, up, page in
            guard gesture.kind != .unclassified else { return nil }
            let indices = hit(gesture.start, in: script.views[page] ?? [])
            let location = indices.map { CaptureScript.Location(page: page, indices: $0) }
            return Finding(
                step: up,
                rank: [1],
                time: script.steps[up].time,
                content: .touch(gesture, location.map { target(of: $0, before: up) } ?? .root),
                subject: location.map { .location($0) } ?? .nothing(on: page),
                requires: .touch
            )
        }
    }

    func clickFindings() -> [Finding] {
        script.steps.indices.compactMap { index in
            switch script.steps[index].input {
            case .click(let location):
                let types: [Capture.ElementType: AutoEventType] = [
                    .button: .buttonClick, .slider: .sliderControlClick, .toggle: .switchControlClick,
                    .stepper: .stepperControlClick, .segment: .segmentedControlClick, .barButton: .barButtonClick,
                    .tableViewCell: .tableViewClick, .collectionViewCell: .collectionViewClick,
                ]
                guard let type = script.chain(to: location).last?.type, let required = types[type] else { return nil }
                return Finding(
                    step: index,
                    rank: [1],
                    time: script.steps[index].time,
                    content: .click,
                    subject: .location(location),
                    requires: required
                )
            case .gesture(let location, let gesture):
                return Finding(
                    step: index,
                    rank: [1],
                    time: script.steps[index].time,
                    content: .gesture(parameters(of: gesture)),
                    subject: .location(location),
                    requires: .gesture
                )
            default: return nil
            }
        }
    }

    private func parameters(of gesture: RecognizedGesture) -> GestureParameters {
        switch gesture {
        case .tap(let point, let fingers): .tap(x: Int(point.x), y: Int(point.y), fingers: fingers)
        case .longPress(let point, let fingers): .longPress(x: Int(point.x), y: Int(point.y), fingers: fingers)
        case .scale(let from, let to): .scale(start: Int(from), end: Int(to), change: Int(to - from))
        case .rotate(let from, let to): .rotate(start: Int(from), end: Int(to), change: Int(to - from))
        case .move(let from, let to):
            .move(
                .init(
                    startX: Int(from.x),
                    startY: Int(from.y),
                    endX: Int(to.x),
                    endY: Int(to.y),
                    distanceX: Int(abs(to.x - from.x)),
                    distanceY: Int(abs(to.y - from.y))
                )
            )
        }
    }
}
