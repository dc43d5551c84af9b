import ClickstreamCore
import ClickstreamJudges
import FuzzInput

/// The rules and the writer over any call: the wire's judge finds no mistake in the written events.
@c(LLVMFuzzerTestOneInput)
public func fuzzEvents(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    var input = FuzzInput(UnsafeRawBufferPointer(start: start, count: count))
    var findings: [Violation] = []
    let moment = Moment(wall: Timestamp(milliseconds: Int64(input.byte()) << 32 + 1), steady: Int64(input.byte()))
    var user = User(uniqueID: "0E6614B7-2D2C-4774-AB2F-B0A9E6C3BFAC", firstTouch: moment.wall)
    var writer = EventWriter(session: Session(number: 1, uniqueID: user.uniqueID, at: moment))
    writer.prepare(
        appID: "shop",
        device: ClickstreamClient.Device(
            platform: "Linux",
            model: input.text(),
            app: ClickstreamClient.Device.App(version: "1")
        ),
        deviceID: "d"
    )
    writer.prepare(session: Session(number: 1, uniqueID: user.uniqueID, at: moment))

    for _ in 0..<input.byte() % 3 {
        let accepted = Validator.checkUserAttributes(
            input.attributes(),
            existingNames: user.attributes.map(\.name),
            into: &findings
        )
        user.set(accepted, at: moment.wall)
    }
    writer.prepare(user: user, attributesInEveryEvent: input.byte() & 1 == 0)
    let globals = Validator.checkGlobals(input.attributes(), existing: [:], into: &findings)
    check(findings)
    findings = []

    let name = input.eventName()
    let refused = Validator.checkEventName(name)
    check(refused.map { [$0] } ?? [])
    var event = Event(
        refused == nil ? name : EventName.clickstreamError,
        id: UniqueID(high: 0, low: 0),
        timestamp: moment.wall,
        own: input.attributes()
    )
    if event.name == EventName.screenView { event.preset["_screen_name"] = "S" }
    let presets = writer.presets
    let preset = event.preset
    let reportsSuggestions = input.byte() & 1 == 0
    let verdict = Validator.checkAttributes(
        own: event.own,
        globals: globals,
        presetCount: presets.count + preset.count,
        isPreset: { presets.contains($0) || preset[$0] != nil },
        reportsSuggestions: reportsSuggestions,
        into: &findings
    )
    event.items = Validator.checkItems(input.items(), reportsSuggestions: reportsSuggestions, into: &findings)
    check(findings)
    var line = EventLine()
    writer.write(event, globals: globals, verdict: verdict, error: findings.firstError, at: moment, into: &line)
    check(line: line.json, error: findings.firstError)
    return 0
}

private func check(_ findings: [Violation]) {
    require(findings.count <= 1_000, "there are \(findings.count) findings")
    for finding in findings {
        require(finding.message.unicodeScalars.count <= Rules.longestMessage, "the message is long: \(finding)")
        require(!finding.message.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "\(finding)")
        require(Rules[finding.code]?.subject == finding.subject, "the subject is another's: \(finding)")
    }
}

private func check(line: [UInt8], error: Violation?) {
    require(!line.contains(UInt8(ascii: "\n")), "the line is broken")
    let value: JSONValue
    do {
        value = try JSONReader.parse(line, loneSurrogates: .refused)
    } catch {
        return require(false, "\(error): \(String(decoding: line, as: UTF8.self))")
    }
    let attributes = value["attributes"]?.members ?? []
    require(Set(attributes.map(\.name)).count == attributes.count, "an attribute stands twice: \(value)")
    let reported = attributes.contains { $0.name == AttributeName.errorCode }
    // The library checks neither unit nor range of an attribute that is named like a time, nor the bytes of a text.
    let findings = WireJudge.judge(value, receivedAt: Timestamp(milliseconds: value["timestamp"]?.integer ?? 0))
        .filter { !["etl_time_unit", "etl_time_range", "etl_cut"].contains($0.code) }
    // The violation that the event reports is repeated as the last finding.
    require(findings.count <= (reported ? 1 : 0), "\(findings): \(value)")
    if let error {
        require(value["attributes"]?["_error_code"]?.integer == Int64(error.code.rawValue), "\(error): \(value)")
    }
}
