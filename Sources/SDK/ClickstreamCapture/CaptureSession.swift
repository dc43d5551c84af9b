package import ClickstreamCore

/// All machines of automatic capture together: input of the user interface in, captured events out.
///
/// Pure apart from the source of identifiers: every input carries its time, which never decreases on the monotonic
/// clock. Each input first performs what is due before it; see ``advance(to:)``. Not thread-safe; the owner is the
/// thread of the user interface.
package struct CaptureSession: Sendable {
    private let rules: ClassRules
    private let ids: any IDSource
    private var enabled = AutoEventTypes()
    private var strings = ReverseLookup()
    private var pages = PageMachine()
    private var touches = TouchMachine()
    private var scrollViews: [ScrollView] = []
    private var lists: [List] = []
    private var isInBackground = false
    /// The monotonic time at which the next scroll ends, if no further input comes.
    package private(set) var deadline = Int64.max
    /// The number of touch gestures without a class, for which no event is created.
    package private(set) var unclassified = 0

    private struct ScrollView {
        var path: Capture.ElementPath
        var machine: ScrollMachine
    }

    /// Table or collection.
    private struct List {
        var path: Capture.ElementPath
        /// The layout that was reported last.
        var layout: VisibleItems
        var data: ItemsData
        var machine = ImpressionMachine()

        /// Reports the layout to the machine, and removes data that cannot be needed any more.
        mutating func update(at moment: Moment) {
            machine.update(layout, at: moment)
            guard data.items.count > layout.items.count + machine.seenCount else { return }
            let shown = Set(layout.items.map(\.index))
            data.items = data.items.filter { shown.contains($0.key) || machine.hasSeen($0.key) }
        }
    }

    package init(rules: ClassRules = ClassRules(), ids: any IDSource) {
        self.rules = rules
        self.ids = ids
    }

    // MARK: Settings

    /// Enables types of auto events. They cannot be disabled again.
    package mutating func enable(_ types: [AutoEventType]) {
        for type in types { enabled.enable(type) }
    }

    /// Handles the resolution of a localized string.
    package mutating func resolve(key: String, to text: String) {
        strings.resolve(key: key, to: text)
    }

    // MARK: Time

    /// Creates the events of scrolls that have ended until now, in the order of their ends.
    package mutating func advance(to moment: Moment) -> [CapturedEvent] {
        guard moment.steady >= deadline else { return [] }
        var ends: [(index: Int, end: ScrollMachine.End)] = []
        for index in scrollViews.indices {
            if let end = scrollViews[index].machine.expire(at: moment) { ends.append((index, end)) }
        }
        updateDeadline()
        // Equal deadlines keep the order of the scroll views.
        ends.sort { ($0.end.time.steady, $0.index) < ($1.end.time.steady, $1.index) }
        return ends.compactMap { scrolled(scrollViews[$0.index].path, $0.end) }
    }

    private mutating func updateDeadline() {
        deadline = scrollViews.reduce(.max) { min($0, $1.machine.deadline ?? .max) }
    }

    // MARK: Pages

    /// A page was created.
    package mutating func load(_ page: Capture.Page, at moment: Moment) -> [CapturedEvent] {
        let due = advance(to: moment)
        let actions = pages.load(page) { [ids] in ids.next() }
        return due + record(actions, of: page, at: moment)
    }

    /// A page appeared. One that was not loaded is loaded before.
    package mutating func appear(_ page: Capture.Page, at moment: Moment) -> [CapturedEvent] {
        let due = advance(to: moment)
        let actions = pages.appear(page) { [ids] in ids.next() }
        let events = record(actions, of: page, at: moment)
        showLists(at: moment) { $0 == page.id }
        return due + events
    }

    /// A page disappeared: its scrolls and impressions end.
    package mutating func disappear(_ id: InstanceID, at moment: Moment) -> [CapturedEvent] {
        let events = advance(to: moment) + close(at: moment) { $0.page == id }
        pages.disappear(id)
        return events
    }

    /// A page was removed: its identifiers may be reused.
    package mutating func unload(_ id: InstanceID, at moment: Moment) -> [CapturedEvent] {
        let events = disappear(id, at: moment)
        pages.unload(id)
        scrollViews.removeAll { $0.path.page == id }
        lists.removeAll { $0.path.page == id }
        return events
    }

    // MARK: Elements

    /// An element was removed: its scroll and impressions end, its identifier may be reused.
    package mutating func remove(_ id: InstanceID, at moment: Moment) -> [CapturedEvent] {
        let events = advance(to: moment) + close(at: moment) { $0.element?.id == id }
        scrollViews.removeAll { $0.path.element?.id == id }
        lists.removeAll { $0.path.element?.id == id }
        return events
    }

    /// The user activated an element.
    package mutating func click(_ path: Capture.ElementPath, at moment: Moment) -> [CapturedEvent] {
        let due = advance(to: moment)
        guard let last = path.links.indices.last, let type = path.links[last].element.type?.click else { return due }
        let events = record(.click, on: path, if: type, at: moment)
        return due.isEmpty ? events : due + events
    }

    /// A finger touched the screen, moved or left it. Does not allocate, and does not perform what is due before.
    /// - Returns: the gesture that is complete now, to be passed to ``record(_:on:at:)``; `nil` if it has no class, or if
    ///   touch gestures are disabled.
    package mutating func receive(_ touch: Capture.Touch, at moment: Moment) -> TouchGesture? {
        guard let gesture = touches.receive(touch, at: moment) else { return nil }
        guard gesture.kind != .unclassified else {
            unclassified += 1
            return nil
        }
        return enabled.contains(.touch) ? gesture : nil
    }

    /// Creates the event of a touch gesture.
    /// - Parameter path: the element that was at the gesture's start when the finger came down.
    package mutating func record(
        _ gesture: TouchGesture,
        on path: Capture.ElementPath,
        at moment: Moment
    ) -> [CapturedEvent] {
        let due = advance(to: moment)
        let target = Target(path, pageClass: pages.facts(path.page)?.reference.className ?? "")
        return due + record(.touch(gesture, target), on: path, if: .touch, at: moment)
    }

    /// A recognizer of the toolkit fired.
    package mutating func gesture(
        _ gesture: RecognizedGesture,
        on path: Capture.ElementPath,
        at moment: Moment
    ) -> [CapturedEvent] {
        advance(to: moment) + record(.gesture(GestureParameters(gesture)), on: path, if: .gesture, at: moment)
    }

    /// A scroll view has this position. The first report is its position at rest.
    package mutating func scroll(
        _ path: Capture.ElementPath,
        to position: Capture.ScrollPosition,
        at moment: Moment
    ) -> [CapturedEvent] {
        let due = advance(to: moment)
        guard let element = path.element else { return due }
        if let index = scrollViews.firstIndex(where: { $0.path.element?.id == element.id }) {
            scrollViews[index].path = path
            scrollViews[index].machine.move(to: position, at: moment)
            updateDeadline()
        } else {
            scrollViews.append(ScrollView(path: path, machine: ScrollMachine(at: position)))
        }
        return due
    }

    /// Returns the indexes of items without data: those of a layout that was not shown before.
    package func itemsWithoutData(_ layout: VisibleItems, in path: Capture.ElementPath) -> [Int] {
        guard let element = path.element else { return [] }
        let known = lists.first { $0.path.element?.id == element.id }?.data.items
        return layout.items.lazy.map(\.index).filter { known?[$0] == nil }
    }

    /// A table or collection has this layout.
    /// - Parameter data: data of the list, and of items of the layout; data of other items is kept while it is needed.
    package mutating func show(
        _ layout: VisibleItems,
        in path: Capture.ElementPath,
        data: ItemsData = ItemsData(),
        at moment: Moment
    ) -> [CapturedEvent] {
        let due = advance(to: moment)
        guard let element = path.element else { return due }
        if let index = lists.firstIndex(where: { $0.path.element?.id == element.id }) {
            lists[index].path = path
            lists[index].layout = layout
            lists[index].data.merge(data)
        } else {
            lists.append(List(path: path, layout: layout, data: data))
        }
        showLists(at: moment) { $0 == path.page }
        return due
    }

    // MARK: App

    /// Revenue that the app reports.
    package func revenue(_ kind: RevenueKind, _ properties: Attributes, at moment: Moment) -> RevenueEvent {
        RevenueEvent(
            kind,
            id: ids.next(),
            time: moment,
            isInBackground: isInBackground,
            context: pages.context(of: nil),
            properties: properties
        )
    }

    // MARK: Visibility

    /// The app became invisible: scrolls and impressions end, touches are canceled.
    package mutating func background(at moment: Moment) -> [CapturedEvent] {
        let events = advance(to: moment) + close(at: moment) { _ in true }
        touches.reset()
        isInBackground = true
        return events
    }

    /// The app became visible.
    package mutating func foreground(at moment: Moment) -> [CapturedEvent] {
        let due = advance(to: moment)
        isInBackground = false
        showLists(at: moment) { _ in true }
        return due
    }

    /// Items become visible in the lists of visible pages.
    private mutating func showLists(at moment: Moment, ofPage isShown: (InstanceID?) -> Bool) {
        guard !isInBackground else { return }
        for index in lists.indices where isShown(lists[index].path.page) && pages.isVisible(lists[index].path.page) {
            lists[index].update(at: moment)
        }
    }

    /// Ends scrolls and impressions of elements that disappear.
    private mutating func close(at moment: Moment, where isClosed: (Capture.ElementPath) -> Bool) -> [CapturedEvent] {
        var events: [CapturedEvent] = []
        for index in scrollViews.indices where isClosed(scrollViews[index].path) {
            guard let end = scrollViews[index].machine.close(at: moment) else { continue }
            if let event = scrolled(scrollViews[index].path, end) { events.append(event) }
        }
        updateDeadline()
        for index in lists.indices where isClosed(lists[index].path) {
            let items = lists[index].machine.close(at: moment)
            guard !items.isEmpty else { continue }
            events += seen(items, in: lists[index], at: moment)
        }
        return events
    }

    // MARK: Events

    private func scrolled(_ path: Capture.ElementPath, _ end: ScrollMachine.End) -> CapturedEvent? {
        guard let scroll = end.scroll else { return nil }
        return record(.scroll(scroll), on: path, if: .scroll, at: end.time).first
    }

    private func seen(_ items: [ItemImpression], in list: List, at moment: Moment) -> [CapturedEvent] {
        guard let type = list.path.element?.type?.impression, isTracked(list.path, type) else { return [] }
        let items = items.map { item in
            var item = item
            item.data = list.data.items[item.index] ?? [:]
            return item
        }
        return record(
            .impressions(items, data: list.data.event),
            on: list.path,
            if: type,
            context: pages.closingContext(of: list.path.page),
            at: moment
        )
    }

    private func isTracked(_ path: Capture.ElementPath, _ type: AutoEventType) -> Bool {
        guard enabled.contains(type) else { return false }
        guard let last = path.links.indices.last else { return true }
        // Accessed in place: extracting the element would copy it.
        return rules.tracks(className: path.links[last].element.className, own: path.links[last].element.optBehavior)
    }

    /// Creates the event of an element, if its type is enabled and the element is opted in.
    private func record(
        _ content: CapturedEvent.Content,
        on path: Capture.ElementPath,
        if type: AutoEventType,
        context: PageContext? = nil,
        at moment: Moment
    ) -> [CapturedEvent] {
        guard isTracked(path, type) else { return [] }
        let page = pages.facts(path.page)
        var element = CapturedElement(
            path,
            isPageMasked: page?.isMasked ?? false,
            rules: rules,
            strings: strings
        )
        if case .scroll = content { element?.type = .scrollView }
        let last = path.links.indices.last
        return [
            CapturedEvent(
                id: ids.next(),
                time: moment,
                isInBackground: isInBackground,
                content: content,
                element: element,
                parent: page?.reference,
                context: context ?? page?.context ?? pages.context(of: path.page),
                group: path.group ?? page?.group,
                section: path.section ?? page?.section,
                properties: last.map { path.links[$0].element.data.additionalProperties } ?? [:],
                ids: last.map { path.links[$0].element.data.additionalIDs } ?? [:]
            )
        ]
    }

    /// Creates the events of a page, if they are enabled and the page is opted in.
    private func record(
        _ actions: [PageMachine.Action],
        of page: Capture.Page,
        at moment: Moment
    ) -> [CapturedEvent] {
        guard enabled.contains(.viewController), rules.tracks(className: page.className, own: page.optBehavior) else {
            return []
        }
        return actions.map { action in
            let (content, context): (CapturedEvent.Content, PageContext) =
                switch action {
                case .load(let context): (.pageLoad, context)
                case .view(let sequence, let context): (.pageView(sequence: sequence), context)
                }
            return CapturedEvent(
                id: ids.next(),
                time: moment,
                isInBackground: isInBackground,
                content: content,
                element: CapturedElement(page),
                parent: nil,
                context: context,
                group: page.data.trackingGroup,
                section: page.data.trackingSection,
                properties: page.data.additionalProperties,
                ids: page.data.additionalIDs
            )
        }
    }
}

extension Capture.ElementPath {
    /// The group that the element itself or its nearest ancestor sets.
    var group: String? {
        for index in links.indices.reversed() {
            if let group = links[index].element.data.trackingGroup { return group }
        }
        return nil
    }

    /// The section that the element itself or its nearest ancestor sets.
    var section: String? {
        for index in links.indices.reversed() {
            if let section = links[index].element.data.trackingSection { return section }
        }
        return nil
    }
}
