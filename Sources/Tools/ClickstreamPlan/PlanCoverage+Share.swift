import ClickstreamCore

extension PlanCoverage {
    /// Number of planned events or attributes, with the number of those that were seen.
    package struct Share: Sendable, Hashable {
        package var planned: Int
        package var seen: Int

        package init(planned: Int, seen: Int) {
            self.planned = planned
            self.seen = seen
        }

        /// The share of those that were seen, from 0 to 1; 1 if none is planned.
        package var value: Double { planned == 0 ? 1 : Double(seen) / Double(planned) }
    }

    /// The planned events. One counts as seen after an event of its name, whatever the findings on it.
    package var eventShare: Share {
        Share(planned: plan.events.count, seen: plan.events.count { state(of: $0.name) == .seen })
    }

    /// Names of the planned events that were not seen, in the order of the plan.
    package var neverSeen: [String] {
        plan.events.map(\.name).filter { state(of: $0) == .neverSeen }
    }

    /// The planned attributes of seen events and of their items, global ones for each event. One counts as seen after any value of
    /// it, whatever the findings on it.
    package var attributeShare: Share {
        var share = Share(planned: 0, seen: 0)
        for planned in plan.events {
            guard let event = events[ExactText(planned.name)] else { continue }
            let fields = [(plan.fields(of: planned), event.attributes), (planned.items?.attributes ?? [], event.items)]
            for (attributes, observed) in fields {
                share.planned += attributes.count
                share.seen += attributes.count { observed.values[ExactText($0.name)] != nil }
            }
        }
        return share
    }
}
