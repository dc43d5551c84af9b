import ClickstreamCapture
import ClickstreamCore

/// Second implementation of the classification, from the contract: queries over the whole script, without machines.
///
/// Each kind of event is found on its own, by searching the script forward and backward from a step. The findings are
/// then sorted, and completed with the pages and events before them.
struct CaptureModel {
    let script: CaptureScript
    /// The steps, by index.
    private var steps: [CaptureScript.Step] { script.steps }

    /// Event that is not completed with pages and earlier events yet.
    struct Finding {
        /// The step at which the event becomes certain.
        var step: Int
        /// The order among the findings of a step.
        var rank: [Int64]
        var time: Moment
        var content: CapturedEvent.Content
        var subject: Subject
        var requires: AutoEventType
    }

    enum Subject {
        case page(Capture.Page)
        case location(CaptureScript.Location)
        /// A touch that hits no element.
        case nothing(on: InstanceID?)
    }

    init(_ script: CaptureScript) {
        self.script = script
    }

    /// The events of the script, in their order.
    func events() -> [CapturedEvent] {
        let findings = (pageFindings() + clickFindings() + touchFindings() + scrollFindings() + impressionFindings())
            .filter { isTracked($0) }
            .sorted { one, other in
                one.step == other.step ? one.rank.lexicographicallyPrecedes(other.rank) : one.step < other.step
            }
        return findings.indices.map { event(findings[$0], number: $0) }
    }

    /// The number of touch gestures without a class.
    func unclassified() -> Int {
        gestures().filter { $0.gesture.kind == .unclassified }.count
    }

    // MARK: Completion

    private func event(_ finding: Finding, number: Int) -> CapturedEvent {
        var event = CapturedEvent(
            id: UniqueID(high: 1, low: UInt64(number)),
            time: finding.time,
            isInBackground: isInBackground(before: finding.step),
            content: finding.content,
            element: nil,
            parent: nil,
            context: PageContext(),
            group: nil,
            section: nil,
            properties: [:],
            ids: [:]
        )
        switch finding.subject {
        case .page(let page):
            event.element = CapturedElement(
                className: page.className,
                type: .controller,
                name: page.data.elementName,
                value: page.title.flatMap { $0.isEmpty ? nil : page.isMasked ? "*" : $0 },
                accessibilityID: page.accessibilityID
            )
            event.group = page.data.trackingGroup
            event.section = page.data.trackingSection
            event.properties = page.data.additionalProperties
            event.ids = page.data.additionalIDs
            if case .pageLoad = finding.content {
                event.context = context(page: nil, before: finding.step)
            } else {
                event.context = context(page: page.id, before: finding.step + 1)
            }
        case .location(let location):
            let chain = script.chain(to: location)
            let page = location.page.flatMap { lastValue(of: $0, before: finding.step) }
            var element = description(of: location, before: finding.step)
            if case .scroll = finding.content { element.type = .scrollView }
            event.element = element
            event.parent = page.map(reference)
            let data = chain.reversed().map(\.data) + (page.map { [$0.data] } ?? [])
            event.group = data.compactMap(\.trackingGroup).first
            event.section = data.compactMap(\.trackingSection).first
            event.properties = chain[chain.count - 1].data.additionalProperties
            event.ids = chain[chain.count - 1].data.additionalIDs
            event.context = context(page: location.page, before: finding.step)
            if case .impressions = finding.content, let id = location.page,
                let shown = lastAppearance(of: id, before: finding.step)
            {
                event.context.sources = Array((event.context.sources + [reference(shown)]).suffix(3))
            }
        case .nothing(let id):
            let page = id.flatMap { lastValue(of: $0, before: finding.step) }
            event.parent = page.map(reference)
            event.group = page?.data.trackingGroup
            event.section = page?.data.trackingSection
            event.context = context(page: id, before: finding.step)
        }
        return event
    }

    private func isTracked(_ finding: Finding) -> Bool {
        let isEnabled = steps[..<finding.step].contains { step in
            if case .enable(finding.requires) = step.input { true } else { false }
        }
        let (own, className): (OptBehavior?, String) =
            switch finding.subject {
            case .page(let page): (page.optBehavior, page.className)
            case .location(let location):
                script.chain(to: location).last.map { ($0.optBehavior, $0.className) } ?? (nil, "")
            case .nothing: (nil, "")
            }
        return isEnabled && (own ?? script.rules.optBehavior[className] ?? .autoOptIn) == .autoOptIn
    }

    private func isInBackground(before step: Int) -> Bool {
        for step in steps[..<step].reversed() {
            if case .background = step.input { return true }
            if case .foreground = step.input { return false }
        }
        return false
    }

    // MARK: Elements

    /// Value of an element before privacy rules are applied, with the elements from the top level to its owner.
    private func source(of chain: [Capture.Element]) -> (owner: [Capture.Element], text: String)? {
        guard let element = chain.last else { return nil }
        if case .text(let text) = element.content, !text.isEmpty, !element.isSecure { return (chain, text) }
        guard element.type == .tableViewCell || element.type == .collectionViewCell, element.content == .none,
            !element.isSecure
        else { return nil }
        return firstText(in: chain)
    }

    private func firstText(in chain: [Capture.Element]) -> (owner: [Capture.Element], text: String)? {
        for child in chain[chain.count - 1].children.filter({ !$0.isSecure }) {
            let inner = chain + [child]
            if case .text(let text) = child.content, !text.isEmpty { return (inner, text) }
            if let found = firstText(in: inner) { return found }
        }
        return nil
    }

    private func description(of location: CaptureScript.Location, before step: Int) -> CapturedElement {
        let chain = script.chain(to: location)
        let element = chain[chain.count - 1]
        let isPageMasked = location.page.flatMap { lastValue(of: $0, before: step) }?.isMasked ?? false
        func isMasked(_ chain: [Capture.Element]) -> Bool {
            isPageMasked || chain.contains { $0.masking == .subtree }
                || chain.last.map { $0.masking == .instance || script.rules.masked.contains($0.className) } ?? false
        }
        var result = CapturedElement(
            className: element.className,
            type: element.type,
            name: element.data.elementName,
            accessibilityID: element.accessibilityID
        )
        if let (owner, text) = source(of: chain) {
            if isMasked(chain) || isMasked(owner) {
                result.value = "*"
            } else {
                result.value = text
                result.localizedKey = owner[owner.count - 1].localizedKey ?? key(of: text, before: step)
            }
        }
        if case .input(let length) = element.content, !element.isSecure {
            if isMasked(chain) { result.value = "*" } else { result.inputLength = length }
        }
        return result
    }

    private func key(of text: String, before step: Int) -> String? {
        for step in steps[..<step].reversed() {
            if case .resolve(let key, text) = step.input { return key }
        }
        return nil
    }

    // MARK: Targets

    func hit(_ point: Capture.Point, in views: [Capture.Element], at indices: [Int] = []) -> [Int]? {
        let inside = views.indices.filter { index in
            let frame = views[index].frame
            return frame.x <= point.x && point.x < frame.x + frame.width && frame.y <= point.y
                && point.y < frame.y + frame.height
        }
        guard let top = inside.last else { return nil }
        return hit(point, in: views[top].children, at: indices + [top]) ?? indices + [top]
    }

    func target(of location: CaptureScript.Location, before step: Int) -> Target {
        let chain = script.chain(to: location)
        let element = chain[chain.count - 1]
        let pageClass = location.page.flatMap { lastValue(of: $0, before: step) }?.className ?? ""
        func text(_ text: String?) -> String? { text == "" ? nil : text }
        var path = "[root]"
        for depth in chain.indices {
            let (component, siblings) = (
                chain[depth], depth == 0 ? script.views[location.page] ?? [] : chain[depth - 1].children
            )
            let same = siblings[..<location.indices[depth]].filter { $0.className == component.className }
            path += ">" + component.className
            if let id = text(component.restorationID) {
                path += "[ri:\(pageClass).\(id)]"
            } else if let tag = component.tag {
                path += "[tg:\(tag)]"
            } else {
                path += ":eq(\(same.count))"
            }
        }
        if let id = text(element.accessibilityID) { path = "\(element.className)[ai:\(pageClass).\(id)]" }
        let ids = [
            text(element.accessibilityID), text(element.restorationID), element.tag.map { "\($0)" },
            text(element.data.elementName), "",
        ]
        return Target(
            path: path,
            id: ids.compactMap { $0 }[0],
            isResponsive: !chain.filter(\.responds).isEmpty
        )
    }
}
