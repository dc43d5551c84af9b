// swift-format-ignore-file: UseShorthandTypeNames, NoVoidReturnOnFunctionSignature

import ClickstreamAnalytics
import Foundation

// App that uses the platform's names beside the events of clickstream-plan.json, which have the same names.

enum Failure: Error, CaseIterable, Codable, Sendable {
    case offline
}

protocol Store: Sendable, Identifiable, Sequence {
    associatedtype Value: Hashable, Comparable
    func data(at url: URL) async throws -> Data
}

struct Settings: Codable, Equatable, RawRepresentable {
    enum CodingKeys: String, CodingKey {
        case rawValue
    }

    var rawValue: [String: Optional<Bool>]
}

actor Cache {
    private var entries: Dictionary<UUID, Array<Data>> = [:]
    private var names: Set<Character> = []

    func add(_ data: Data, at date: Date = Date()) -> Result<Int, any Error> {
        entries[UUID(), default: Array<Data>()].append(data)
        return .success(entries.count)
    }
}

@MainActor
func run(_ locale: Locale, _ calendar: Calendar, _ path: KeyPath<String, Int>, _ object: AnyObject) async throws -> Void
{
    let task = Task<Double, any Error> {
        try await Task.sleep(for: Duration.seconds(1), clock: ContinuousClock())
        return Double(Float(1)) + Double(Int.max)
    }
    _ = try await task.value
    let stream = AsyncStream<Never> { _ in }
    for await _ in stream {}
    await withTaskGroup(of: Void.self) { (group: inout TaskGroup<Void>) in group.addTask {} }
    let range: Range<Int> = 0..<1
    print(
        [String](),
        ["a"].map(String.init(describing:)),
        range,
        Swift.String("a"),
        Foundation.Data([1]),
        String.self,
        Data.Index.self
    )
    print(
        Optional<Int>.none as Any,
        Decimal(1),
        IndexPath(index: 0),
        TimeZone.current,
        Measurement(value: 1, unit: UnitLength.meters)
    )
    print(UserDefaults.standard, FileManager.default, Bundle.main, Notification.Name("a"), Progress(totalUnitCount: 1))
    print(NSError(domain: "a", code: 1), JSONDecoder(), Process(), Pipe(), OperationQueue(), Thread.self, Timer.self)
    let attributes: Attributes = ["a": 1]
    let value: AttributeValue = 1
    let code: ErrorCode? = nil
    print(attributes, value, code as Any, Array(attributes.map(\.value)).count)
}

@MainActor
func record() {
    ClickstreamAnalytics.record(ErrorEvent_2())
    ClickstreamAnalytics.record(ErrorEvent())
    ClickstreamAnalytics.record(TaskEvent())
    ClickstreamAnalytics.record(AddToCart())
    ClickstreamAnalytics.record(
        EveryEnum(attributeSelf: .valueNone, type: .valueSelf, items: [EveryEnum.Item(name: .x)])
    )
}
