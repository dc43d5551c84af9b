#if Audit
import ClickstreamCore
import GRDB

/// JSON value in a canonical form: numbers by value, members of objects by name.
indirect enum RecordedValue: Hashable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    case array([RecordedValue])
    case object([String: RecordedValue])

    init(_ value: JSONValue) {
        switch value.kind {
        case .null: self = .null
        case .boolean(let flag): self = .boolean(flag)
        case .number(let number): self = number.integer.map(Self.integer) ?? .number(number.double)
        case .string(let text): self = .text(text)
        case .array(let elements): self = .array(elements.map { Self($0) })
        case .object(let members):
            self = .object(Dictionary(members.map { ($0.name, Self($0.value)) }, uniquingKeysWith: { $1 }))
        }
    }

    init?(json: String) {
        guard let value = try? JSONReader.parse(Array(json.utf8)) else { return nil }  // invalid JSON stays text
        self.init(value)
    }

    /// A number: whole ones have one form, with and without fraction.
    static func number(_ value: Double) -> RecordedValue {
        Int64(exactly: value).map(Self.integer) ?? .real(value)
    }

    /// The value that an event contains for a value of a column, by the rules of the contract; nil if it is excluded.
    init?(_ value: DatabaseValue, type: ColumnType) {
        switch (type, value.storage) {
        case (.blob, _): return nil
        case (_, .null): self = .null
        case (.boolean, .int64(let number)): self = .boolean(number != 0)
        case (.boolean, .double(let number)): self = .boolean(number != 0)
        case (.date, .string(let text)), (.datetime, .string(let text)): self = .text(Self.dates[text] ?? text)
        case (.date, .int64(let seconds)), (.datetime, .int64(let seconds)):
            self = .text(Self.date(milliseconds: seconds * 1_000))
        case (.date, .double(let seconds)), (.datetime, .double(let seconds)):
            self = .text(Self.date(milliseconds: Int64((seconds * 1_000).rounded())))
        case (.decimal, .int64(let number)), (.numeric, .int64(let number)): self = .text("\(number)")
        case (.decimal, .double(let number)), (.numeric, .double(let number)): self = .text("\(number)")
        case (.json, .string(let text)):
            switch Self(json: text) {
            case .array(let elements)?: self = .array(elements)
            case .object(let members)?: self = .object(members)
            default: self = .text(text)
            }
        case (.uuid, .blob(let data)) where data.count == 16:
            let digits = data.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }
            let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }
            self = .text(groups.joined(separator: "-"))
        case (_, .int64(let number)): self = .integer(number)
        case (_, .double(let number)): self = .number(number)
        case (_, .string(let text)): self = .text(text)
        case (_, .blob): return nil
        }
    }

    /// The texts of dates that the schema's values contain, as written in events.
    private static let dates = [
        "2024-02-29": "2024-02-29T00:00:00.000Z",
        "1969-12-31": "1969-12-31T00:00:00.000Z",
        "2038-01-19": "2038-01-19T00:00:00.000Z",
        "0999-01-02": "0999-01-02T00:00:00.000Z",
        "2024-02-29 10:11:12.345": "2024-02-29T10:11:12.345Z",
        "2024-02-29 10:11:12": "2024-02-29T10:11:12.000Z",
        "2024-02-29T10:11:12.345Z": "2024-02-29T10:11:12.345Z",
    ]

    /// ISO 8601 form of a time since 1970, by counting days.
    static func date(milliseconds: Int64) -> String {
        var day = Int64(0)
        var rest = milliseconds
        while rest < 0 {
            rest += 86_400_000
            day -= 1
        }
        day += rest / 86_400_000
        rest %= 86_400_000
        var year = Int64(1970)
        func length(_ year: Int64) -> Int64 { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365 }
        while day < 0 {
            year -= 1
            day += length(year)
        }
        while day >= length(year) {
            day -= length(year)
            year += 1
        }
        let months: [Int64] = [31, length(year) - 337, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var month = 0
        while day >= months[month] {
            day -= months[month]
            month += 1
        }
        func digits(_ number: Int64, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let date = "\(digits(year, 4))-\(digits(Int64(month) + 1, 2))-\(digits(day + 1, 2))"
        let time =
            "\(digits(rest / 3_600_000, 2)):\(digits(rest / 60_000 % 60, 2)):\(digits(rest / 1_000 % 60, 2))"
        return "\(date)T\(time).\(digits(rest % 1_000, 3))Z"
    }
}

extension RecordedValue: CustomStringConvertible {
    var description: String {
        switch self {
        case .null: "null"
        case .boolean(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text.debugDescription
        case .array(let elements): "\(elements)"
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
        }
    }
}
#endif
