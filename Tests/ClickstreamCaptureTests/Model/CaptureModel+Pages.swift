import ClickstreamCapture
import ClickstreamCore

/// Page instances: a value of ``InstanceID`` names another one after each `unload`.
extension CaptureModel {
    struct Instance: Hashable {
        var id: InstanceID
        /// The number of times that the identifier was released before.
        var generation: Int
    }

    private func page(_ input: CaptureScript.Input) -> Capture.Page? {
        switch input {
        case .load(let page), .appear(let page): page.isContainer ? nil : page
        default: nil
        }
    }

    private func instance(_ id: InstanceID, before step: Int) -> Instance {
        let releases = script.steps[..<step].filter { step in
            if case .unload(id) = step.input { true } else { false }
        }
        return Instance(id: id, generation: releases.count)
    }

    /// The latest description of a page that still exists.
    func lastValue(of id: InstanceID, before step: Int) -> Capture.Page? {
        for step in script.steps[..<step].reversed() {
            if case .unload(id) = step.input { return nil }
            if let page = page(step.input), page.id == id { return page }
        }
        return nil
    }

    /// The description of a page that still exists, at its last appearance.
    func lastAppearance(of id: InstanceID, before step: Int) -> Capture.Page? {
        for step in script.steps[..<step].reversed() {
            if case .unload(id) = step.input { return nil }
            if case .appear(let page) = step.input, !page.isContainer, page.id == id { return page }
        }
        return nil
    }

    func isVisible(_ id: InstanceID?, after step: Int) -> Bool {
        guard let id else { return true }
        for step in script.steps[...step].reversed() {
            switch step.input {
            case .unload(id), .disappear(id): return false
            case .appear(let page) where page.id == id && !page.isContainer: return true
            default: continue
            }
        }
        return false
    }

    func reference(_ page: Capture.Page) -> PageReference {
        PageReference(
            className: page.className,
            name: page.data.elementName,
            accessibilityID: page.accessibilityID
        )
    }

    /// The appearances of pages, one after another; those of the same instance without another in between are one.
    private func appearances(before step: Int) -> [(instance: Instance, step: Int, page: Capture.Page)] {
        var result: [(instance: Instance, step: Int, page: Capture.Page)] = []
        for index in 0..<step {
            guard case .appear(let page) = script.steps[index].input, !page.isContainer else { continue }
            let instance = instance(page.id, before: index)
            if let last = result.last, last.instance == instance { result.removeLast() }
            result.append((instance, index, page))
        }
        return result
    }

    /// The navigation path after the steps before `step`.
    private func path(before step: Int) -> [Instance] {
        guard step > 0 else { return [] }
        let before = path(before: step - 1)
        switch script.steps[step - 1].input {
        case .appear(let page) where !page.isContainer:
            let shown = instance(page.id, before: step - 1)
            return before.prefix { $0 != shown } + [shown]
        case .unload(let id):
            return before.filter { $0.id != id }
        default:
            return before
        }
    }

    private func entries(before step: Int) -> [PageContext.Entry] {
        path(before: step).map { instance in
            // The key is that of the last description; the number of the instance becomes its identifier.
            let page = lastValue(of: instance.id, before: step)
            return PageContext.Entry(
                key: page?.data.elementName ?? page?.className ?? "",
                id: UniqueID(high: 2 + instance.id.value, low: UInt64(instance.generation))
            )
        }
    }

    /// Pages before an event of `page`, which are those before its last appearance.
    func context(page: InstanceID?, before step: Int) -> PageContext {
        let all = appearances(before: step)
        guard let page, let own = all.last(where: { $0.instance == instance(page, before: step) }) else {
            return PageContext(sources: all.suffix(3).map { reference($0.page) }, path: entries(before: step))
        }
        let earlier = all.prefix { $0.step < own.step }
        return PageContext(
            sources: earlier.suffix(3).map { reference($0.page) },
            path: entries(before: own.step + 1)
        )
    }

    func pageFindings() -> [Finding] {
        script.steps.indices.flatMap { index -> [Finding] in
            guard let page = page(script.steps[index].input) else { return [] }
            var findings: [Finding] = []
            func add(_ content: CapturedEvent.Content) {
                findings.append(
                    Finding(
                        step: index,
                        rank: [1, Int64(findings.count)],
                        time: script.steps[index].time,
                        content: content,
                        subject: .page(page),
                        requires: .viewController
                    )
                )
            }
            if lastValue(of: page.id, before: index) == nil { add(.pageLoad) }
            if case .appear = script.steps[index].input {
                let own = instance(page.id, before: index)
                let before = script.steps[..<index].indices.filter { earlier in
                    guard case .appear(let other) = script.steps[earlier].input, !other.isContainer else {
                        return false
                    }
                    return other.id == page.id && instance(page.id, before: earlier) == own
                }
                add(.pageView(sequence: before.count + 1))
            }
            return findings
        }
    }
}
