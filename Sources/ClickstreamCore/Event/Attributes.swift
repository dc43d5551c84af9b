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
            if elements.count < 24 {
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

    /// Sets everything that `other` holds, in its order.
    public mutating func merge(_ other: Attributes) {
        for element in other.elements { set(element.name, to: element.value) }
    }
}

extension Attributes: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral pairs: (String, any AttributeValueConvertible)...) {
        self.init(pairs.lazy.map { ($0.0, $0.1.attributeValue) })
    }
}

extension Attributes: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { elements.count }

    public subscript(position: Int) -> Element { elements[position] }
}
