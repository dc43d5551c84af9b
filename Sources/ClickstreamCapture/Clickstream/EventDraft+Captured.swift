import ClickstreamCore

extension EventDraft {
    /// The event in the clickstream format; `nil` for the view of a page, which is the `_screen_view` of its screen.
    ///
    /// Fields of the library have a leading underscore and are always written; data of the app keeps its names and is
    /// subject to the rules for attributes and items.
    init?(_ event: CapturedEvent) {
        guard let name = event.content.clickstreamName else { return nil }
        var preset: [(String, AttributeValue)] = []
        preset.reserveCapacity(16)
        preset.append(contentsOf: event.element)
        preset.append(AttributeName.parentClass, event.parent?.className)
        preset.append(AttributeName.parentID, event.parent?.name)
        preset.append(AttributeName.parentAccessibilityID, event.parent?.accessibilityID)
        preset.append(contentsOf: event.content)
        preset.append(AttributeName.group, event.group)
        preset.append(AttributeName.section, event.section)
        var own = event.properties
        for element in event.ids.elements where own[element.name] == nil { own.set(element.name, to: element.value) }
        var items: [Attributes] = []
        if case .impressions(let seen, let data) = event.content {
            for element in data.elements where own[element.name] == nil { own.set(element.name, to: element.value) }
            items = seen.map { $0.clickstreamItem }
        }
        self.init(name, id: event.id, preset: Attributes(preset), own: own, items: items)
    }

    /// A purchase that the app reports.
    init(_ transaction: Transaction, id: UniqueID) {
        var preset: [(String, AttributeValue)] = [
            (AttributeName.value, .double(transaction.value)),
            (AttributeName.currency, .string(transaction.currency.letters ?? String(transaction.currency.code))),
        ]
        preset.append(AttributeName.transactionID, transaction.id)
        self.init(EventName.transaction, id: id, preset: Attributes(preset))
    }

    /// A dynamic variable of the session.
    init(_ variable: DynamicVariable, id: UniqueID) {
        var preset: [(String, AttributeValue)] = []
        preset.append(AttributeName.variableKey, variable.key)
        switch variable.value {
        case .text(let text): preset.append(AttributeName.variableValue, text)
        case .integer(let integer): preset.append((AttributeName.variableValue, .integer(integer)))
        }
        self.init(EventName.variable, id: id, preset: Attributes(preset))
    }

    /// Revenue that the app reports, as an event with the name of the pulse format.
    init(_ event: RevenueEvent) {
        self.init(event.kind.rawValue, id: event.id, own: event.properties)
    }
}

extension CapturedEvent.Content {
    fileprivate var clickstreamName: String? {
        switch self {
        case .pageLoad: EventName.screenLoad
        case .pageView: nil
        case .click: EventName.click
        case .touch, .gesture: EventName.gesture
        case .scroll: EventName.scroll
        case .impressions: EventName.itemsImpression
        }
    }
}

extension ItemImpression {
    /// The item of an event: its own data, and its position as the id if it has none.
    fileprivate var clickstreamItem: Attributes {
        var item = data
        if item[ItemName.id] == nil { item.set(ItemName.id, to: .string(String(index))) }
        item.set("timestamp", to: .integer(start.milliseconds))
        item.set("view_time", to: .integer(Int64(viewTime)))
        return item
    }
}

extension [(String, AttributeValue)] {
    /// Appends a text, cut to the longest value of an attribute; nothing for `nil`.
    fileprivate mutating func append(_ name: String, _ text: String?) {
        guard let text else { return }
        append((name, .string(CrashReport.cut(message: text))))
    }

    fileprivate mutating func append(_ name: String, _ integer: Int) {
        append((name, .integer(Int64(integer))))
    }

    fileprivate mutating func append(contentsOf element: CapturedElement?) {
        guard let element else { return }
        append(AttributeName.elementClass, element.className)
        append(AttributeName.elementType, element.type?.rawValue)
        append(AttributeName.elementID, element.name)
        append(AttributeName.elementValue, element.value)
        append(AttributeName.elementLocalizedKey, element.localizedKey)
        append(AttributeName.elementAccessibilityID, element.accessibilityID)
        if let length = element.inputLength { append(AttributeName.elementInputLength, length) }
    }

    fileprivate mutating func append(contentsOf content: CapturedEvent.Content) {
        switch content {
        case .pageLoad, .pageView, .click:
            break
        case .touch(let gesture, let target):
            append(AttributeName.gestureType, gesture.kind.name)
            append(AttributeName.target, target.path)
            append(AttributeName.targetID, target.id)
            append((AttributeName.targetResponsive, .boolean(target.isResponsive)))
            append((AttributeName.gestureDuration, .integer(gesture.duration)))
            guard gesture.kind == .drag || gesture.kind == .flick else { return }
            append(AttributeName.gestureDirection, gesture.direction.name)
            append(AttributeName.gestureDistance, Int(saturating: gesture.distance))
            append(AttributeName.gestureVelocity, Int(saturating: gesture.velocity))
        case .scroll(let scroll):
            append(AttributeName.scrollDistance, scroll.distance)
            append(AttributeName.scrollSpeed, scroll.speed)
            append(AttributeName.scrollDirection, scroll.direction.rawValue)
            append(AttributeName.scrollDepth, scroll.depth)
            append(AttributeName.scrollStartPosition, scroll.start)
            append(AttributeName.scrollEndPosition, scroll.end)
            append((AttributeName.scrollDuration, .integer(scroll.duration)))
        case .gesture(let parameters):
            append(contentsOf: parameters)
        case .impressions(let items, _):
            append(AttributeName.itemsCount, items.count)
        }
    }

    private mutating func append(contentsOf gesture: GestureParameters) {
        append(AttributeName.gestureType, gesture.name)
        switch gesture {
        case .tap(let x, let y, let fingers), .longPress(let x, let y, let fingers):
            append(AttributeName.gestureTapX, x)
            append(AttributeName.gestureTapY, y)
            append(AttributeName.gestureTapsCount, fingers)
        case .scale(let start, let end, let change):
            append(AttributeName.gestureScaleStart, start)
            append(AttributeName.gestureScaleEnd, end)
            append(AttributeName.gestureScaleValue, change)
        case .rotate(let start, let end, let change):
            append(AttributeName.gestureRotateStart, start)
            append(AttributeName.gestureRotateEnd, end)
            append(AttributeName.gestureRotateValue, change)
        case .move(let move):
            append(AttributeName.gestureMoveStartX, move.startX)
            append(AttributeName.gestureMoveStartY, move.startY)
            append(AttributeName.gestureMoveEndX, move.endX)
            append(AttributeName.gestureMoveEndY, move.endY)
            append(AttributeName.gestureMoveDistanceX, move.distanceX)
            append(AttributeName.gestureMoveDistanceY, move.distanceY)
        }
    }
}
