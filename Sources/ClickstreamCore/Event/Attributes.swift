/// Names with values, in the order in which they were written; each name once, the latest value wins.
///
/// A value type, written as a dictionary literal whose values may be variables of different types:
///
/// ```swift
/// let attributes: Attributes = ["category": "shoes", "value": price, "count": count]
/// ```
///
/// Looking a name up walks the list: it is meant for tens of names. Nothing is checked here; the rules look at it when
/// the event is recorded.
public struct Attributes: Sendable, Hashable {
    /// One name with its value.
    public struct Element: Sendable, Hashable {
        public let name: String
        public internal(set) var value: AttributeValue

        package init(name: String, value: AttributeValue) {
            self.name = name
            self.value = value
        }
    }

    /// In a list of so many, walking it is cheaper than anything else.
    private static let shortList = 24

    /// In written order, each name once.
    @usableFromInline
    package private(set) var elements: [Element]

    public init() {
        elements = []
    }

    /// The given pairs in their order; of several with one name, the first one's place and the last one's value.
    package init(_ pairs: some Sequence<(String, AttributeValue)>) {
        elements = []
        elements.reserveCapacity(pairs.underestimatedCount)
        var places: [String: Int] = [:]
        for (name, value) in pairs {
            if elements.count < Self.shortList {
                set(name, to: value)
                continue
            }
            if places.isEmpty {
                for (place, element) in elements.enumerated() { places[element.name] = place }
            }
            if let place = places[name] {
                elements[place].value = value
            } else {
                places[name] = elements.count
                elements.append(Element(name: name, value: value))
            }
        }
    }

    /// What a dictionary holds, sorted by name, since a dictionary has no order of its own.
    public init(_ dictionary: [String: any AttributeValueConvertible]) {
        self.init(dictionary.sorted { $0.key < $1.key }.lazy.map { ($0.key, $0.value.attributeValue) })
    }

    /// Sets the value of `name`: in its place when the name is there, at the end otherwise.
    public mutating func set(_ name: String, to value: AttributeValue) {
        if let place = elements.firstIndex(where: { $0.name == name }) {
            elements[place].value = value
        } else {
            elements.append(Element(name: name, value: value))
        }
    }

    /// Takes `name` out; nothing happens when it is not there.
    public mutating func remove(_ name: String) {
        elements.removeAll { $0.name == name }
    }

    /// The value of `name`, or `nil`. Setting `nil` takes the name out.
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

    /// Sets `name` from a variable of any type that an attribute may have.
    @_disfavoredOverload
    public subscript<Value: AttributeValueConvertible>(name: String) -> Value? {
        @available(*, unavailable, message: "read it as an AttributeValue")
        get { nil }
        set { self[name] = newValue?.attributeValue }
    }

    /// Whether a name stands in both.
    func sharesName(with other: Attributes) -> Bool {
        let (elements, others) = (elements.span, other.elements.span)
        for place in elements.indices {
            for otherPlace in others.indices where elements[place].name == others[otherPlace].name { return true }
        }
        return false
    }

    /// Sets everything that `other` holds, in its order.
    public mutating func merge(_ other: Attributes) {
        for element in other.elements { set(element.name, to: element.value) }
    }
}

extension Attributes: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral pairs: (String, any AttributeValueConvertible)...) {
        self.init()
        guard pairs.count <= Self.shortList else {
            self = Attributes(pairs.lazy.map { ($0.0, $0.1.attributeValue) })
            return
        }
        elements.reserveCapacity(pairs.count)
        var seen = SeenNames()
        for (name, convertible) in pairs {
            let value = convertible.attributeValue
            if seen.mayHold(name) {
                set(name, to: value)
            } else {
                elements.append(Element(name: name, value: value))
            }
        }
    }
}

extension Attributes: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { elements.count }

    public subscript(position: Int) -> Element { elements[position] }
}

/// Which names a short list may hold already: most new ones are told from a look at their bytes alone.
private struct SeenNames {
    private var marks: UInt64 = 0

    /// Whether `name` may be one of those that were asked about before.
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
            // Outside ASCII, different bytes can be the same text.
            return all & 0x8080_8080_8080_8080 == 0 ? 1 << (sum >> 58) : nil
        }
        guard let mark, let mark else { return true }
        defer { marks |= mark }
        return marks & mark != 0
    }
}
