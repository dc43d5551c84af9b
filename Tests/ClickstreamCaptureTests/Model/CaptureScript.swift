import ClickstreamCapture
import ClickstreamCore

/// Input of a user interface over time, for the session and for the model.
struct CaptureScript {
    var rules = ClassRules()
    /// The elements of each page, and of windows without a page (`nil`).
    var views: [InstanceID?: [Capture.Element]] = [:]
    /// Times never decrease on the monotonic clock.
    var steps: [Step] = []
    /// Data of lists, by their elements; other lists have that of ``itemData(_:_:)``.
    var lists: [InstanceID: ListData] = [:]

    struct ListData {
        var event: Attributes?
        var items: [Attributes]
    }

    struct Step {
        var time: Moment
        var input: Input
    }

    /// Element in the `views`, by its indices from the top level.
    struct Location: Hashable {
        var page: InstanceID?
        var indices: [Int]
    }

    enum Input {
        case enable(AutoEventType)
        case resolve(key: String, text: String)
        case load(Capture.Page)
        case appear(Capture.Page)
        case disappear(InstanceID)
        case unload(InstanceID)
        case remove(Location)
        case click(Location)
        /// - on: the page that is touched; that of the down counts.
        case touch(Capture.Touch, on: InstanceID?)
        case scroll(Location, Capture.ScrollPosition)
        case gesture(Location, RecognizedGesture)
        case items(Location, VisibleItems)
        case background
        case foreground
        /// Time passes.
        case tick
    }

    /// Returns the elements from the top level to the place.
    func chain(to location: Location) -> [Capture.Element] {
        var chain: [Capture.Element] = []
        var level = views[location.page] ?? []
        for index in location.indices {
            chain.append(level[index])
            level = level[index].children
        }
        return chain
    }

    /// Returns the data of an item of a list of this script.
    func itemData(of container: InstanceID, at index: Int) -> Attributes? {
        lists[container].map { $0.items[index] } ?? Self.itemData(container, index)
    }

    /// Returns the data of the event of a list of this script.
    func eventData(of container: InstanceID) -> Attributes? {
        lists[container].map(\.event) ?? Self.eventData(container)
    }

    /// Returns the data of an item; every fifth has none.
    static func itemData(_ container: InstanceID, _ index: Int) -> Attributes? {
        index % 5 == 4 ? nil : ["id": "\(container.value)-\(index)"]
    }

    /// Returns the data of the event of a container; every second has none.
    static func eventData(_ container: InstanceID) -> Attributes? {
        container.value % 2 == 0 ? nil : ["list": "\(container.value)"]
    }
}

extension [CapturedEvent] {
    /// The same events with the identifiers numbered in the order of their first use.
    var numbered: [CapturedEvent] {
        var numbers: [UniqueID: UInt64] = [:]
        func number(_ id: UniqueID, _ kind: UInt64) -> UniqueID {
            let next = UInt64(numbers.count)
            let known = numbers[id] ?? next
            numbers[id] = known
            return UniqueID(high: kind, low: known)
        }
        return map { event in
            var event = event
            event.id = number(event.id, 1)
            event.context.path = event.context.path.map { .init(key: $0.key, id: number($0.id, 2)) }
            return event
        }
    }
}
