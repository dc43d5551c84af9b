import ClickstreamCore
import ClickstreamReplay

/// The user of the device.
extension SecondOpinion {
    /// U2 to U7.
    mutating func login(_ id: String?) {
        guard let id else {
            if turns(before: now).last.flatMap(\.id) != nil { report("_profile_set") }
            return
        }
        guard !id.isEmpty else { return complain(3_003) }
        guard id.unicodeScalars.count <= 256 else { return complain(3_004) }
        report("_profile_set")
    }

    // MARK: Looking back

    struct Profile: Equatable {
        var person: Int
        var traits: [String: Sighting.Trait]
    }

    /// A login or a logout that changed who is logged in.
    private struct Turn {
        var index: Int
        var id: String?
    }

    private func turns(before end: Int) -> [Turn] {
        var turns: [Turn] = []
        for index in past.indices.prefix(end) {
            guard case .userID(let id) = past[index].action, id != turns.last.flatMap(\.id) else { continue }
            if let id, !(1...256).contains(id.unicodeScalars.count) { continue }
            turns.append(Turn(index: index, id: id))
        }
        return turns
    }

    /// Current user of the device with the stored attributes: U1 to U6.
    func profile(before end: Int) -> Profile {
        let turns = turns(before: end)
        // The first login of a device is the anonymous user's.
        var people: [String] = []
        for case let id? in turns.map(\.id) where !people.contains(id) { people.append(id) }
        let named = turns.last { $0.id != nil }.flatMap(\.id)
        let person = named.flatMap { people.firstIndex(of: $0) } ?? 0
        let firstTurn = turns.first { $0.id == named }
        let touched = person == 0 ? 0 : firstTurn?.index ?? 0
        let touch = past[touched].wall + correction(of: touched, through: end)

        var traits: [String: Sighting.Trait] = [:]
        for index in past.indices.prefix(end) {
            guard case .addUserAttributes(let attributes) = past[index].action else { continue }
            let before = turns.filter { $0.index < index }
            let setBy = before.last.flatMap(\.id)
            let isOfFirst = before.isEmpty && person == 0
            let isOfNamed = setBy != nil && setBy == named
            // Attributes set without a logged-in user last until the next login.
            let isOfNobody = setBy == nil && before.count == turns.count
            guard isOfFirst || isOfNamed || isOfNobody else { continue }
            for case .kept(let name, let value) in attributes.map({ Verdict(onUser: $0) }) {
                traits[name] = Sighting.Trait(value: value, set: past[index].wall)
            }
        }
        traits["_user_first_touch_timestamp"] = Sighting.Trait(value: .whole(touch), set: touch)
        if let last = turns.last, let id = last.id {
            traits["_user_id"] = Sighting.Trait(value: .text(id), set: past[last.index].wall)
        }
        return Profile(person: person, traits: traits)
    }
}
