import ClickstreamCore

extension EventDraft {
    /// The event in the clickstream format; `nil` for the view of a page, which is the `_screen_view` of its screen.
    ///
    /// Fields of the library have a leading underscore and are always written; data of the app keeps its names and is
    /// subject to the rules for attributes and items.
    init?(_ event: CapturedEvent) {
        guard let name = event.content.clickstreamName else { return nil }
        var preset: Attributes = [:]
        event.appendFields(to: &preset)
        var own = event.properties
        for element in event.ids.elements where own[element.name] == nil { own.set(element.name, to: element.value) }
        var items: [Attributes] = []
        if case .impressions(let seen, let data) = event.content {
            for element in data.elements where own[element.name] == nil { own.set(element.name, to: element.value) }
            items = seen.map { $0.clickstreamItem }
        }
        self.init(name.rawValue, id: event.id, preset: preset, own: own, items: items)
    }

    /// A purchase that the app reports.
    init(_ transaction: Capture.Transaction, id: UniqueID) {
        var preset: Attributes = [
            AttributeName.value: transaction.value,
            AttributeName.currency: transaction.currency.letters ?? String(transaction.currency.code),
        ]
        preset.append(.transactionID, cut: transaction.id)
        self.init(CapturedName.transaction.rawValue, id: id, preset: preset)
    }

    /// A dynamic variable of the session.
    init(_ variable: DynamicVariable, id: UniqueID) {
        var preset: Attributes = [:]
        preset.append(.variableKey, cut: variable.key)
        switch variable.value {
        case .text(let text): preset.append(.variableValue, cut: text)
        case .integer(let integer): preset.append(.variableValue, integer)
        }
        self.init(CapturedName.variable.rawValue, id: id, preset: preset)
    }

    /// Revenue that the app reports, as an event with the name of its kind.
    init(_ event: RevenueEvent) {
        self.init(event.kind.rawValue, id: event.id, own: event.properties)
    }
}

extension CapturedEvent.Content {
    /// The name of the event; `nil` for the view of a page.
    var clickstreamName: CapturedName? {
        switch self {
        case .pageLoad: .screenLoad
        case .pageView: nil
        case .click: .click
        case .touch, .gesture: .gesture
        case .scroll: .scroll
        case .impressions: .itemsImpression
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
