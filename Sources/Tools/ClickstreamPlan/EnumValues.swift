import ClickstreamCore

/// Set of scalar JSON values, compared as in JSON Schema: numbers by value, strings by their scalars.
///
/// A lookup costs O(n) in the length of the value, whatever the number of values in the set.
struct EnumValues: Sendable {
    private var texts: Set<ExactText> = []
    private var booleans: Set<Bool> = []
    /// Numbers that are written as integers and fit `Int64`: exact for one another, as doubles for the others.
    private var integers: Set<Int64> = []
    private var integersAsDoubles: Set<Double> = []
    private var doubles: Set<Double> = []

    init(_ values: [JSONValue] = []) {
        for value in values { insert(value) }
    }

    /// Adds a scalar; arrays, objects and null are no members.
    mutating func insert(_ value: JSONValue) {
        switch value.kind {
        case .string(let text): texts.insert(ExactText(text))
        case .boolean(let truth): booleans.insert(truth)
        case .number(let number):
            if let integer = number.integer {
                integers.insert(integer)
                integersAsDoubles.insert(number.double)
            } else {
                doubles.insert(number.double)
            }
        case .null, .array, .object: break
        }
    }

    func contains(_ value: JSONValue) -> Bool {
        switch value.kind {
        case .string(let text): texts.contains(ExactText(text))
        case .boolean(let truth): booleans.contains(truth)
        case .number(let number):
            if let integer = number.integer {
                integers.contains(integer) || doubles.contains(number.double)
            } else {
                doubles.contains(number.double) || integersAsDoubles.contains(number.double)
            }
        case .null, .array, .object: false
        }
    }
}
