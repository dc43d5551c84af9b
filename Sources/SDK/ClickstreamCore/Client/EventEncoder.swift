/// Values of one typed event while it is encoded. Used by one thread, in one call.
final class EncodedValues {
    var attributes = Attributes()
    private var items: [Attributes] = []
    /// Indices of items with a nested value, which are discarded.
    private var discarded: Set<Int> = []
    private(set) var violations: [Violation] = []

    var keptItems: [Attributes] {
        discarded.isEmpty ? items : items.indices.filter { !discarded.contains($0) }.map { items[$0] }
    }

    var itemCount: Int { items.count }

    func addItem() -> Int {
        items.append(Attributes())
        return items.count - 1
    }

    /// - Parameter item: the index of the item; `nil` for the event.
    func set(_ name: String, to value: AttributeValue, item: Int?) {
        if let item {
            items[item].set(name, to: value)
        } else {
            attributes.set(name, to: value)
        }
    }

    func reportNested(_ name: String, item: Int?) {
        if let item, !discarded.insert(item).inserted { return }
        guard violations.count < Rules.maxFindings else { return }
        let rules = item == nil ? Rules.attributes : Rules.items
        if let rule = rules[.scalar] {
            violations.append(rule.violation(by: name, nil, noun: rules.noun, item: item))
        }
    }

    /// Sets the value of a property of any type.
    func encode(_ value: some Encodable, _ name: String, item: Int?) throws {
        if let value = (value as? any AttributeValueConvertible)?.attributeValue, !value.isNested {
            set(name, to: value, item: item)
        } else {
            try value.encode(to: PropertyEncoder(self, name, item: item))
        }
    }
}

/// Encoder of an event or an item: an object whose properties are values.
struct ObjectEncoder: Encoder {
    let sink: EncodedValues
    /// The index of the item; `nil` for the event.
    let item: Int?
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ sink: EncodedValues, item: Int?) {
        self.sink = sink
        self.item = item
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(PropertyContainer(sink, item: item))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { refused }
    func singleValueContainer() -> any SingleValueEncodingContainer { refused }

    /// An event or item that is not an object.
    private var refused: DiscardingContainer<AnyKey> {
        sink.reportNested(item == nil ? "event" : FieldName.items, item: item)
        return DiscardingContainer()
    }
}

/// Container of the properties of an event or item.
private struct PropertyContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let sink: EncodedValues
    private let item: Int?
    var codingPath: [any CodingKey] { [] }

    init(_ sink: EncodedValues, item: Int?) {
        self.sink = sink
        self.item = item
    }

    private func set(_ value: AttributeValue, _ key: Key) { sink.set(key.stringValue, to: value, item: item) }

    mutating func encodeNil(forKey key: Key) {}
    mutating func encode(_ value: Bool, forKey key: Key) { set(.boolean(value), key) }
    mutating func encode(_ value: String, forKey key: Key) { set(.string(value), key) }
    mutating func encode(_ value: Double, forKey key: Key) { set(.double(value), key) }
    mutating func encode(_ value: Float, forKey key: Key) { set(.float(value), key) }
    mutating func encode(_ value: Int, forKey key: Key) { set(.integer(Int64(value)), key) }
    mutating func encode(_ value: Int8, forKey key: Key) { set(.integer(Int64(value)), key) }
    mutating func encode(_ value: Int16, forKey key: Key) { set(.integer(Int64(value)), key) }
    mutating func encode(_ value: Int32, forKey key: Key) { set(.integer(Int64(value)), key) }
    mutating func encode(_ value: Int64, forKey key: Key) { set(.integer(value), key) }
    mutating func encode(_ value: UInt, forKey key: Key) { set(.whole(value), key) }
    mutating func encode(_ value: UInt8, forKey key: Key) { set(.integer(Int64(value)), key) }
    mutating func encode(_ value: UInt16, forKey key: Key) { set(.integer(Int64(value)), key) }
    mutating func encode(_ value: UInt32, forKey key: Key) { set(.integer(Int64(value)), key) }
    mutating func encode(_ value: UInt64, forKey key: Key) { set(.whole(value), key) }

    mutating func encode(_ value: some Encodable, forKey key: Key) throws {
        try sink.encode(value, key.stringValue, item: item)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        sink.reportNested(key.stringValue, item: item)
        return KeyedEncodingContainer(DiscardingContainer())
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        PropertyEncoder(sink, key.stringValue, item: item).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { superEncoder(named: "super") }
    mutating func superEncoder(forKey key: Key) -> any Encoder { superEncoder(named: key.stringValue) }

    private func superEncoder(named name: String) -> any Encoder {
        sink.reportNested(name, item: item)
        return DiscardingContainer<AnyKey>()
    }
}

/// Encoder of one property whose type encodes itself: one value, or the items.
private struct PropertyEncoder: Encoder, SingleValueEncodingContainer {
    private let sink: EncodedValues
    private let name: String
    private let item: Int?
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ sink: EncodedValues, _ name: String, item: Int?) {
        self.sink = sink
        self.name = name
        self.item = item
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        sink.reportNested(name, item: item)
        return KeyedEncodingContainer(DiscardingContainer())
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if item == nil, name == FieldName.items { return ItemContainer(sink) }
        sink.reportNested(name, item: item)
        return DiscardingContainer<AnyKey>()
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    private func set(_ value: AttributeValue) { sink.set(name, to: value, item: item) }

    func encodeNil() {}
    func encode(_ value: Bool) { set(.boolean(value)) }
    func encode(_ value: String) { set(.string(value)) }
    func encode(_ value: Double) { set(.double(value)) }
    func encode(_ value: Float) { set(.float(value)) }
    func encode(_ value: Int) { set(.integer(Int64(value))) }
    func encode(_ value: Int8) { set(.integer(Int64(value))) }
    func encode(_ value: Int16) { set(.integer(Int64(value))) }
    func encode(_ value: Int32) { set(.integer(Int64(value))) }
    func encode(_ value: Int64) { set(.integer(value)) }
    func encode(_ value: UInt) { set(.whole(value)) }
    func encode(_ value: UInt8) { set(.integer(Int64(value))) }
    func encode(_ value: UInt16) { set(.integer(Int64(value))) }
    func encode(_ value: UInt32) { set(.integer(Int64(value))) }
    func encode(_ value: UInt64) { set(.whole(value)) }
    func encode(_ value: some Encodable) throws { try sink.encode(value, name, item: item) }
}

/// Container of the items of an event.
private struct ItemContainer: UnkeyedEncodingContainer {
    private let sink: EncodedValues
    var codingPath: [any CodingKey] { [] }
    var count: Int { sink.itemCount }

    init(_ sink: EncodedValues) {
        self.sink = sink
    }

    /// An item that is not an object.
    private func refuse() {
        sink.reportNested(FieldName.items, item: sink.addItem())
    }

    mutating func encodeNil() { refuse() }

    mutating func encode(_ value: some Encodable) throws {
        let item = sink.addItem()
        try value.encode(to: ObjectEncoder(sink, item: item))
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(PropertyContainer(sink, item: sink.addItem()))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        refuse()
        return DiscardingContainer<AnyKey>()
    }

    mutating func superEncoder() -> any Encoder { ObjectEncoder(sink, item: sink.addItem()) }
}

/// Encoder and container of a value that is reported already: accepts everything and keeps nothing.
private struct DiscardingContainer<Key: CodingKey>: Encoder, KeyedEncodingContainerProtocol, UnkeyedEncodingContainer,
    SingleValueEncodingContainer
{
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    var count: Int { 0 }

    func container<Other: CodingKey>(keyedBy type: Other.Type) -> KeyedEncodingContainer<Other> {
        KeyedEncodingContainer(DiscardingContainer<Other>())
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() {}
    func encodeNil(forKey key: Key) {}
    func encode(_ value: some Encodable) {}
    func encode(_ value: some Encodable, forKey key: Key) {}

    func nestedContainer<Other: CodingKey>(keyedBy type: Other.Type) -> KeyedEncodingContainer<Other> {
        container(keyedBy: type)
    }

    func nestedContainer<Other: CodingKey>(keyedBy type: Other.Type, forKey key: Key) -> KeyedEncodingContainer<Other> {
        container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { self }
    func superEncoder(forKey key: Key) -> any Encoder { self }
}

/// Coding key of containers whose keys do not matter.
private struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) { nil }
}
