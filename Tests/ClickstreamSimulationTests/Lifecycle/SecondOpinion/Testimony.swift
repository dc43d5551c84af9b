import ClickstreamCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Compares the recorded events with those predicted by the second opinion, line by line; reports the first difference.
struct Testimony {
    /// The unique id of each of the store's users, as their first event showed it.
    private var people: [Int: String] = [:]
    /// The unique ids that derive from names.
    private var derived: [String: String] = [:]
    private var deviceID: String?

    /// The first difference between one recorded event and its prediction; `nil` when there is none.
    mutating func difference(_ event: JSONValue, _ expected: Sighting) -> String? {
        guard event["event_type"]?.string == expected.name else {
            return "is \(event["event_type"] ?? JSONValue(.null)), should be \(expected.name)"
        }
        guard event["timestamp"]?.integer == expected.time else {
            return "timestamp is \(event["timestamp"] ?? JSONValue(.null)), should be \(expected.time)"
        }
        guard event["app_version"]?.string == expected.appVersion else {
            return "app_version is \(event["app_version"] ?? JSONValue(.null)), should be \(expected.appVersion)"
        }
        guard let device = event["device_id"]?.string, deviceID ?? device == device else {
            return "the device is another"
        }
        deviceID = device
        guard let person = event["unique_id"]?.string else { return "unique_id is missing" }
        if let known = people[expected.person] {
            guard known == person else { return "unique_id is \(person), should be \(known)" }
        } else {
            guard !people.values.contains(person) else { return "unique_id is an earlier user's: \(person)" }
            people[expected.person] = person
        }
        return attributes(event["attributes"]?.members ?? [], expected.attributes)
            ?? user(event["user"]?.members ?? [], expected.user)
            ?? items(event["items"], expected.items)
    }

    private mutating func attributes(_ members: [JSONMember], _ expected: [String: Sighting.Value]) -> String? {
        for member in members {
            guard let wanted = expected[member.name] else { return "\(member.name) must be absent, is \(member.value)" }
            guard matches(member.value, wanted) else {
                return "\(member.name) is \(member.value), should be \(wanted)"
            }
        }
        guard members.count != expected.count else { return nil }
        let missing = Set(expected.keys).subtracting(members.map(\.name))
        return missing.isEmpty ? "an attribute stands twice" : "\(missing.sorted()) must stand there"
    }

    private mutating func user(_ members: [JSONMember], _ expected: [String: Sighting.Trait]) -> String? {
        for member in members {
            guard let wanted = expected[member.name] else { return "user's \(member.name) must be absent" }
            guard let value = member.value["value"], matches(value, wanted.value),
                member.value["set_timestamp"]?.integer == wanted.set
            else { return "user's \(member.name) is \(member.value), should be \(wanted)" }
        }
        guard members.count != expected.count else { return nil }
        return "user's \(Set(expected.keys).subtracting(members.map(\.name)).sorted()) must stand there"
    }

    private func items(_ value: JSONValue?, _ expected: [String]) -> String? {
        let found = value?.array?.map { $0["id"]?.string ?? "?" }
        return found ?? [] == expected && found?.isEmpty != true
            ? nil : "items are \(found ?? []), should be \(expected)"
    }

    private mutating func matches(_ value: JSONValue, _ wanted: Sighting.Value) -> Bool {
        switch wanted {
        case .text(let text): return value.kind == .string(text)
        case .whole(let number): return value.integer == number
        case .flag(let flag): return value.kind == .boolean(flag)
        case .real(let number): return value.number?.double == number
        case .words: return value.string?.isEmpty == false
        case .sessionID(let stretch):
            // Events of a user who started a session may all have been dropped for lack of consent.
            guard let owner = people[stretch.person] else {
                return value.string?.hasSuffix("-" + Self.stamp(stretch.start)) == true
            }
            return value.string == owner.suffix(8) + "-" + Self.stamp(stretch.start)
        case .derived(let name):
            guard let text = value.string, !text.isEmpty else { return false }
            if let known = derived[name] { return known == text }
            guard !derived.values.contains(text) else { return false }
            derived[name] = text
            return true
        }
    }

    /// `20230905-131926703`, by the C library rather than by ours.
    private static func stamp(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func padded(_ number: some BinaryInteger, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: width - digits.count) + digits
        }
        return padded(parts.tm_year + 1_900, 4) + padded(parts.tm_mon + 1, 2) + padded(parts.tm_mday, 2) + "-"
            + padded(parts.tm_hour, 2) + padded(parts.tm_min, 2) + padded(parts.tm_sec, 2)
            + padded(milliseconds % 1_000, 3)
    }
}
