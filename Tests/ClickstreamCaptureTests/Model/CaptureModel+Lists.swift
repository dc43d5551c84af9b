import ClickstreamCapture
import ClickstreamCore

extension CaptureModel {
    // MARK: Scrolling

    func scrollFindings() -> [Finding] {
        reports { if case .scroll(let location, _) = $0 { location } else { nil } }
            .enumerated().flatMap { order, report in scrolls(of: report.location, at: report.steps, order: order) }
    }

    /// The steps that report each place, until it or its page is released; in the order of the first report.
    private func reports(
        _ location: (CaptureScript.Input) -> CaptureScript.Location?
    ) -> [(location: CaptureScript.Location, steps: [Int])] {
        var result: [(location: CaptureScript.Location, steps: [Int], isOver: Bool)] = []
        for index in script.steps.indices {
            if case .unload(let id) = script.steps[index].input {
                for other in result.indices where result[other].location.page == id { result[other].isOver = true }
            }
            if case .remove(let location) = script.steps[index].input {
                for other in result.indices where result[other].location == location { result[other].isOver = true }
            }
            guard let reported = location(script.steps[index].input) else { continue }
            if let known = result.firstIndex(where: { $0.location == reported && !$0.isOver }) {
                result[known].steps.append(index)
            } else {
                result.append((reported, [index], false))
            }
        }
        return result.map { ($0.location, $0.steps) }
    }

    private func position(_ step: Int) -> Capture.ScrollPosition? {
        if case .scroll(_, let position) = script.steps[step].input { position } else { nil }
    }

    private func scrolls(of location: CaptureScript.Location, at reports: [Int], order: Int) -> [Finding] {
        // Changes of the offset; the first report is the position at rest.
        let changes = zip(reports, reports.dropFirst()).compactMap { before, step -> (before: Int, step: Int)? in
            guard let old = position(before), let new = position(step) else { return nil }
            let isSame = old.horizontal.offset == new.horizontal.offset && old.vertical.offset == new.vertical.offset
            return isSame ? nil : (before, step)
        }
        var findings: [Finding] = []
        var first = 0
        for last in changes.indices {
            guard let end = end(after: changes[last].step, of: location) else { break }
            if last + 1 < changes.count, changes[last + 1].step < end.step { continue }
            defer { first = last + 1 }
            guard let scroll = scroll(from: changes[first].before, first: changes[first].step, to: changes[last].step)
            else { continue }
            findings.append(
                Finding(
                    step: end.step,
                    rank: [end.isIdle ? 0 : 1, end.isIdle ? end.time.steady : 0, Int64(order)],
                    time: end.time,
                    content: .scroll(scroll),
                    subject: .location(location),
                    requires: .scroll
                )
            )
        }
        return findings
    }

    /// The step at which a scroll with its last change at `step` ends, unless it changes again before.
    private func end(after step: Int, of location: CaptureScript.Location) -> (step: Int, time: Moment, isIdle: Bool)? {
        let last = script.steps[step].time
        let deadline = Moment(
            wall: Timestamp(milliseconds: last.wall.milliseconds + 200),
            steady: last.steady + 200
        )
        for index in script.steps.indices[(step + 1)...] {
            if script.steps[index].time.steady >= deadline.steady { return (index, deadline, true) }
            switch script.steps[index].input {
            case .background: return (index, script.steps[index].time, false)
            case .disappear(let id) where id == location.page: return (index, script.steps[index].time, false)
            case .unload(let id) where id == location.page: return (index, script.steps[index].time, false)
            case .remove(location): return (index, script.steps[index].time, false)
            default: continue
            }
        }
        return nil
    }

    private func scroll(from rest: Int, first: Int, to last: Int) -> Scroll? {
        guard let start = position(rest), let end = position(last) else { return nil }
        let right = end.horizontal.offset - start.horizontal.offset
        let down = end.vertical.offset - start.vertical.offset
        let isHorizontal = abs(right) > abs(down)
        let (before, after, change) =
            isHorizontal ? (start.horizontal, end.horizontal, right) : (start.vertical, end.vertical, down)
        guard change != 0 else { return nil }
        let duration = max(1, script.steps[last].time.steady - script.steps[first].time.steady)
        let depth = after.content > 0 ? 100 * (after.offset + after.visible) / after.content : 100
        return Scroll(
            distance: Int(abs(change)),
            speed: Int(abs(change) * 1_000 / Double(duration)),
            direction: isHorizontal ? (change > 0 ? .left : .right) : (change > 0 ? .up : .down),
            depth: Int(max(0, min(100, depth))),
            start: Int(before.offset),
            end: Int(after.offset),
            duration: duration
        )
    }

    // MARK: Impressions

    func impressionFindings() -> [Finding] {
        reports { if case .items(let location, _) = $0 { location } else { nil } }
            .enumerated().flatMap { order, report in
                impressions(in: report.location, at: report.steps, order: order)
            }
    }

    private func impressions(in location: CaptureScript.Location, at reports: [Int], order: Int) -> [Finding] {
        guard let element = script.chain(to: location).last, let first = reports.first else { return [] }
        let required: AutoEventType
        switch element.type {
        case .tableViewCell: required = .tableViewImpression
        case .collectionViewCell: required = .collectionViewImpression
        default: return []
        }
        var findings: [Finding] = []
        var start = first
        for step in script.steps.indices[first...] {
            let isReleased: Bool
            switch script.steps[step].input {
            case .background: isReleased = false
            case .disappear(let id) where id == location.page: isReleased = false
            case .unload(let id) where id == location.page: isReleased = true
            case .remove(location): isReleased = true
            default: continue
            }
            let items = seen(in: location, reports: reports, from: start, to: step)
            start = step
            if !items.isEmpty {
                findings.append(
                    Finding(
                        step: step,
                        rank: [2, Int64(order)],
                        time: script.steps[step].time,
                        content: .impressions(
                            items.map { item in
                                var item = item
                                item.data = script.itemData(of: element.id, at: item.index) ?? [:]
                                return item
                            },
                            data: script.eventData(of: element.id) ?? [:]
                        ),
                        subject: .location(location),
                        requires: required
                    )
                )
            }
            if isReleased { break }
        }
        return findings
    }

    /// The items that count between two steps, in order.
    private func seen(
        in location: CaptureScript.Location,
        reports: [Int],
        from start: Int,
        to end: Int
    ) -> [ItemImpression] {
        let indices = Set(
            reports.flatMap { step -> [Int] in
                guard case .items(_, let layout) = script.steps[step].input else { return [] }
                return layout.items.map(\.index)
            }
        )
        let counted = indices.compactMap { index -> ItemImpression? in
            var periods: [(first: Int, last: Int)] = []
            var current: Int?
            for step in start...end {
                // The closing step ends each period.
                let isShown = step < end && isShown(index, in: location, reports: reports, after: step)
                if isShown, current == nil { current = step }
                if !isShown, let first = current {
                    periods.append((first, step))
                    current = nil
                }
            }
            let lengths = periods.map { script.steps[$0.last].time.steady - script.steps[$0.first].time.steady }
            guard let longest = lengths.max(), longest > 3_000, let longestIndex = lengths.firstIndex(of: longest)
            else {
                return nil
            }
            return ItemImpression(
                index: index,
                start: script.steps[periods[longestIndex].first].time.wall,
                viewTime: Int((Double(longest) / 1_000).rounded())
            )
        }
        return counted.sorted { one, other in
            one.start == other.start ? one.index < other.index : one.start < other.start
        }
    }

    /// True if more than half of the item's area is visible to the user after a step.
    private func isShown(_ index: Int, in location: CaptureScript.Location, reports: [Int], after step: Int) -> Bool {
        guard isVisible(location.page, after: step) else { return false }
        for step in script.steps[...step].reversed() {
            if case .background = step.input { return false }
            if case .foreground = step.input { break }
        }
        guard let report = reports.last(where: { $0 <= step }),
            case .items(_, let layout) = script.steps[report].input,
            let frame = layout.items.last(where: { $0.index == index })?.frame
        else { return false }
        let view = layout.viewport
        let width = min(frame.x + frame.width, view.x + view.width) - max(frame.x, view.x)
        let height = min(frame.y + frame.height, view.y + view.height) - max(frame.y, view.y)
        guard frame.width > 0, frame.height > 0, width > 0, height > 0 else { return false }
        return width * height / (frame.width * frame.height) > 0.5
    }
}
