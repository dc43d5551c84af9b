/// Ordered list of attribute names with values; names are unique, the latest value wins.
///
/// A value type, written as a dictionary literal whose values may be variables of different types:
///
/// ```swift
/// let attributes: Attributes = ["category": "shoes", "value": price, "count": count]
/// ```
///
/// An optional that is `nil` is left out. Lookup is O(n), intended for tens of names. Names and values are not validated
/// here; the rules are applied when the event is recorded.
public struct Attributes: Sendable, Hashable {
    /// One name with its value.
    public struct Element: Sendable, Hashable {
        /// The attribute name, not validated yet.
        public let name: String
        /// The attribute value.
        public internal(set) var value: AttributeValue

        package init(name: String, value: AttributeValue) {
            self.name = name
            self.value = value
        }
    }

    /// The maximum length for which a linear search is cheaper than a dictionary.
    private static let shortList = 24

    /// The elements in insertion order, names unique.
    @usableFromInline
    package private(set) var elements: [Element]

    /// Creates an empty list.
    public init() {
        elements = []
    }

    /// Creates a list from pairs in their order; a duplicated name keeps the first position and the last value.
    package init(_ pairs: some Sequence<(String, AttributeValue)>) {
        elements = []
        elements.reserveCapacity(pairs.underestimatedCount)
        var indices: [String: Int] = [:]
        for (name, value) in pairs {
            if elements.count < Self.shortList {
                set(name, to: value)
                continue
            }
            if indices.isEmpty {
                for (index, element) in elements.enumerated() { indices[element.name] = index }
            }
            if let index = indices[name] {
                elements[index].value = value
            } else {
                indices[name] = elements.count
                elements.append(Element(name: name, value: value))
            }
        }
    }

    /// Creates a list from elements; a duplicated name keeps the first position and the last value.
    package init(_ given: [Element]) {
        var seen = SeenNames()
        if given.count <= Self.shortList, !given.contains(where: { seen.mayHold($0.name) }) {
            self.init()
            elements = given
        } else {
            self.init(given.lazy.map { ($0.name, $0.value) })
        }
    }

    /// Creates a list from a dictionary, sorted by name, since a dictionary has no order. `nil` is left out.
    public init<Name: StringProtocol>(_ dictionary: [Name: (any AttributeValueConvertible)?]) {
        let pairs = dictionary.compactMap { name, value in value.map { (String(name), $0.attributeValue) } }
        self.init(pairs.sorted { $0.0 < $1.0 })
    }

    /// Sets the value of `name`: in place if the name exists, at the end otherwise. O(n).
    package mutating func set(_ name: String, to value: AttributeValue) {
        if let index = elements.firstIndex(where: { $0.name == name }) {
            elements[index].value = value
        } else {
            elements.append(Element(name: name, value: value))
        }
    }

    /// Removes `name`; does nothing if it does not exist.
    package mutating func remove(_ name: String) {
        elements.removeAll { $0.name == name }
    }

    /// The value of `name`, or `nil`. Setting `nil` removes the name.
    public subscript(name: String) -> AttributeValue? {
        get { elements.first { $0.name == name }?.value }
        set {
            if let newValue {
                set(name, to: newValue)
            } else {
                remove(name)
            }
        }
    }

    /// Sets `name` from a variable of any type that converts to an attribute value.
    @_disfavoredOverload
    public subscript<Value: AttributeValueConvertible>(name: String) -> Value? {
        @available(*, unavailable, message: "read it as an AttributeValue")
        get { nil }
        set { self[name] = newValue?.attributeValue }
    }

    /// Returns true if the two lists have a name in common.
    func sharesName(with other: Attributes) -> Bool {
        let (elements, others) = (elements.span, other.elements.span)
        for index in elements.indices {
            for otherIndex in others.indices where elements[index].name == others[otherIndex].name { return true }
        }
        return false
    }

    /// Sets every attribute of `other`, in its order.
    public mutating func merge(_ other: Attributes) {
        for element in other.elements { set(element.name, to: element.value) }
    }

    /// Returns these attributes with every attribute of `other` set, in its order; of two values with one name that of `other`
    /// is kept. O(n · m) for lists of n and m attributes.
    public func merging(_ other: Attributes) -> Attributes {
        var merged = self
        merged.merge(other)
        return merged
    }
}

extension Attributes: ExpressibleByDictionaryLiteral {
    /// Creates a list from a literal, in its order. Of two values with one name the latest wins. `nil` is left out.
    public init(dictionaryLiteral pairs: (String, (any AttributeValueConvertible)?)...) {
        self.init()
        guard pairs.count <= Self.shortList else {
            self = Attributes(pairs.compactMap { name, value in value.map { (name, $0.attributeValue) } })
            return
        }
        elements.reserveCapacity(pairs.count)
        var seen = SeenNames()
        // Values are moved out, the last one first: copying an optional existential takes calls of the runtime.
        var rest = pairs
        while !rest.isEmpty {
            let (name, convertible) = rest.removeLast()
            switch consume convertible {
            case nil: continue
            case let convertible?:
                var value = convertible.attributeValue
                if seen.mayHold(name), let later = elements.firstIndex(where: { $0.name == name }) {
                    value = elements.remove(at: later).value
                }
                elements.append(Element(name: name, value: value))
            }
        }
        // By hand: reverse() of the library takes more instructions.
        elements.withUnsafeMutableBufferPointer { slots in
            var (low, high) = (0, slots.count - 1)
            while low < high {
                slots.swapAt(low, high)
                (low, high) = (low + 1, high - 1)
            }
        }
    }
}

extension Attributes: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { elements.count }

    public subscript(position: Int) -> Element { elements[position] }
}

/// Small Bloom filter over the names of a list, so that most new names need no comparison.
private struct SeenNames {
    private var marks: UInt64 = 0

    /// Returns false if `name` is certainly not in the list yet. Adds it to the filter.
    mutating func mayHold(_ name: String) -> Bool {
        let mark = name.utf8.withContiguousStorageIfAvailable { bytes -> UInt64? in
            let text = UnsafeRawBufferPointer(bytes)
            let wordSize = MemoryLayout<UInt64>.size
            var (sum, all) = (UInt64(truncatingIfNeeded: text.count), UInt64(0))
            if text.count >= wordSize {
                for offset in stride(from: 0, to: text.count &- wordSize, by: wordSize) {
                    let word = text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
                    all |= word
                }
                let word = text.loadUnaligned(fromByteOffset: text.count &- wordSize, as: UInt64.self)
                (sum, all) = ((sum ^ word) &* 0x9E37_79B9_7F4A_7C15, all | word)
            } else if !text.isEmpty {
                all = Characters.shortWord(text)
                sum = (sum ^ all) &* 0x9E37_79B9_7F4A_7C15
            }
            // Outside ASCII, different bytes can be equal text.
            return all & 0x8080_8080_8080_8080 == 0 ? 1 << (sum >> 58) : nil
        }
        guard let mark, let mark else { return true }
        defer { marks |= mark }
        return marks & mark != 0
    }
}
