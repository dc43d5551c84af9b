extension Validator {
    /// Returns the items that the event keeps: the same array if there is no violation.
    ///
    /// The published SDK's `item_category` and similar names are renamed first; the later of two values wins. An item
    /// with any violation is discarded, and each of its violations is reported; discarded items are not counted.
    package static func checkItems(
        _ items: [Attributes],
        reportsSuggestions: Bool = false,
        into findings: inout [Violation]
    ) -> [Attributes] {
        let rules = Rules.items
        // The items kept so far, once they differ from the given ones.
        var accepted: [Attributes]?
        var count = 0
        var rest = UnlistedFindings()
        for index in items.indices {
            let renamed = hasOldNames(items[index]) ? renaming(items[index]) : nil
            if renamed != nil, accepted == nil { accepted = Array(items[..<index]) }

            let isFine: Bool
            if let renamed {
                isFine = checkItem(renamed, at: index, reportsSuggestions: reportsSuggestions, &rest, into: &findings)
            } else {
                isFine = checkItem(
                    items[index],
                    at: index,
                    reportsSuggestions: reportsSuggestions,
                    &rest,
                    into: &findings
                )
            }
            guard isFine, count < rules.maxItems else {
                if isFine { rest.add(rules.violation(ofCountByItem: index), to: &findings) }
                if accepted == nil { accepted = Array(items[..<index]) }
                continue
            }
            count += 1
            accepted?.append(renamed ?? items[index])
            if reportsSuggestions { suggest(itemCount: count, at: index, into: &findings) }
        }
        rest.finish(into: &findings)
        return accepted ?? items
    }

    /// Returns true if the item at `index` has no violation; reports each violation.
    package static func checkItem(
        _ item: Attributes,
        at index: Int,
        reportsSuggestions: Bool,
        _ rest: inout UnlistedFindings,
        into findings: inout [Violation]
    ) -> Bool {
        let rules = Rules.items
        var isFine = true
        let id = item[ItemName.id]
        if rules.isViolated(byRequired: id, named: ItemName.id) {
            rest.add(rules.violation(byRequired: id, named: ItemName.id, item: index), to: &findings)
            isFine = false
        }
        for element in item.elements where !isAccepted(element.name, element.value, rules) {
            guard isBroken(element.name, element.value, rules) else { continue }
            rest.add(violation(element.name, element.value, rules, item: index), to: &findings)
            isFine = false
        }
        // With an id among them, this number of attributes is always within the limit.
        if item.count > rules.maxCount, customCount(item) > rules.maxCount {
            rest.add(rules[.count]?.brokenByCustomCount(customCount(item), at: index), to: &findings)
            isFine = false
        }
        guard isFine else { return false }
        if reportsSuggestions {
            for element in item.elements { suggest(element.name, element.value, rules, item: index, into: &findings) }
        }
        return true
    }

    private static func customCount(_ item: Attributes) -> Int {
        var count = 0
        for element in item.elements where !ItemName.preset.contains(element.name) { count += 1 }
        return count
    }

    /// The length in bytes of the shortest renamed name: shorter names need no lookup.
    private static let shortestOldName = ItemName.renamed.keys.lazy.map(\.utf8.count).min() ?? .max

    private static func hasOldNames(_ item: Attributes) -> Bool {
        for element in item.elements where element.name.utf8.count >= shortestOldName {
            if ItemName.renamed[element.name] != nil { return true }
        }
        return false
    }

    private static func renaming(_ item: Attributes) -> Attributes {
        Attributes(item.elements.lazy.map { (ItemName.renamed[$0.name] ?? $0.name, $0.value) })
    }
}
