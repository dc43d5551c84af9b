import ClickstreamCapture
import ClickstreamCore
import ClickstreamDocuments

/// Input of the user interface.
extension Verb {
    static let input = [show, click, touch, scroll, gesture]

    /// A touch without a point, which refers to no view of a page.
    private static let noInput = Step.Action.input(.touch([]))

    private static let show = Verb(
        "show",
        value: "the class of a page",
        schema: .text,
        summary: "A page of ui appears, by its class.",
        // A page that does not exist: the views of the following steps cannot be checked.
        placeholder: .input(.show(page: ""))
    ) { reader, node, verb in
        guard let page = reader.text(node, verb.quoted) else { return nil }
        guard let pages = reader.pages else {
            let message = "\(verb.quoted) in a script without the block 'ui'"
            reader.report(node.position, message, "add 'ui:' with the pages of the app")
            return nil
        }
        guard pages[page] != nil else {
            let classes = pages.keys.sorted()
            let question = Suggestion.question(about: page, among: classes)
            let hint = classes.isEmpty ? "'ui' has no pages" : "pages of 'ui': \(String.list(classes, "or"))"
            reader.report(node.position, "unknown page '\(page)'", question ?? hint)
            return nil
        }
        return .input(.show(page: page))
    }

    private static let click = Verb(
        "click",
        value: "the name of a view",
        schema: .text,
        summary: "The user activates a view of the current page, by its name.",
        placeholder: noInput
    ) { reader, node, verb in
        reader.text(node, verb.quoted).map { .input(.click(view: $0)) }
    }

    private static let touch = Verb(
        "touch",
        value: "a list of points and durations",
        schema: .list(of: .either(.point, .duration), minItems: 1),
        summary: "A finger comes down at the first point, moves, and is lifted at the last; a duration is the time "
            + "until the next point.",
        placeholder: noInput
    ) { reader, node, verb in
        guard case .list(let nodes) = node.content else {
            let expected = "a list of points and durations such as [ [10, 20], 80ms, [10, 20] ]"
            reader.reportType(node, verb.quoted, expected: expected)
            return nil
        }
        var points: [Step.TouchPoint] = []
        var delay: Int64?
        var isValid = true
        for node in nodes {
            if case .list = node.content {
                if let point = reader.point(node, "a point of \(verb.quoted)") {
                    points.append(Step.TouchPoint(point, after: delay ?? 0))
                } else {
                    isValid = false
                }
                delay = nil
                continue
            }
            guard let duration = reader.duration(node, "a value of \(verb.quoted)") else {
                isValid = false
                continue
            }
            if isValid, points.isEmpty || delay != nil {
                let rule = points.isEmpty ? "starts with a point" : "has a point after each duration"
                reader.report(node.position, "\(verb.quoted) \(rule), not a duration", nil)
                isValid = false
            }
            delay = duration
        }
        guard isValid else { return nil }
        guard !points.isEmpty else {
            reader.report(node.position, "\(verb.quoted) has no point", "write it like [ [10, 20], 80ms, [10, 20] ]")
            return nil
        }
        guard delay == nil else {
            let position = nodes.last?.position ?? node.position
            reader.report(position, "\(verb.quoted) ends with a duration; the last value is a point", nil)
            return nil
        }
        return .input(.touch(points))
    }

    private static let scroll = Verb(
        "scroll",
        value: "a mapping with view, to and in",
        schema: .mapping(
            [
                "view": .text,
                "to": ValueSchema.either(.number, .point).described("Offset in logical pixels, or [x, y]."),
                "in": ValueSchema.duration.described("Default 0ms."),
            ],
            required: ["view", "to"]
        ),
        summary: "Scrolls a view of the current page in sixteen equal steps.",
        placeholder: noInput
    ) { reader, node, verb in
        guard let fields = reader.fields(node, of: verb) else { return nil }
        let view = reader.required("view", of: fields, verb, at: node.position)
        let duration = fields["in"].map { reader.duration($0, "'in'") } ?? 0
        guard let to = fields["to"] else {
            reader.report(node.position, "\(verb.quoted) has no 'to'", "add the offset in logical pixels")
            return nil
        }
        let target: Step.ScrollTo.Target?
        if case .list = to.content {
            target = reader.numbers(to, "'to'", count: 2, expected: "an offset, or [x, y]")
                .map { .point(Capture.Point(x: $0[0], y: $0[1])) }
        } else {
            target = reader.number(to, "'to'").map { .offset($0) }
        }
        guard let view, let duration, let target else { return nil }
        return .input(.scroll(Step.ScrollTo(view: view, to: target, in: duration)))
    }

    private static let gesture = Verb(
        "gesture",
        value: "a mapping with view and type",
        schema: .mapping(
            [
                "view": .text, "type": .words(gestureTypes), "at": .point,
                "fingers": .integer(in: 1...64, default: 1),
                "from": .either(.number, .point), "to": .either(.number, .point),
            ],
            required: ["view", "type"]
        ),
        summary: "A gesture recognizer of a view fires: tap and long_press with at, scale (percent) and rotate "
            + "(degrees) with from and to, move with two points.",
        placeholder: noInput
    ) { reader, node, verb in
        guard case .mapping(let entries) = node.content else {
            reader.reportType(node, verb)
            return nil
        }
        guard let type = entries.first(where: { $0.key == "type" })?.value else {
            let types = String.list(gestureTypes, "or")
            reader.report(node.position, "\(verb.quoted) has no 'type'", "add one of \(types)")
            return nil
        }
        guard let type = reader.word(type, "'type'", named: "gesture", of: gestureTypes.map { ($0, $0) }) else {
            return nil
        }
        let own = type == "tap" || type == "long_press" ? ["at", "fingers"] : ["from", "to"]
        let fields = reader.mapping(node, "the gesture '\(type)'", keys: ["view", "type"] + own)
        let view = reader.required("view", of: fields, verb, at: node.position)
        for key in own where key != "fingers" && fields[key] == nil {
            reader.report(node.position, "the gesture '\(type)' has no '\(key)'", nil)
        }
        guard let gesture = recognized(type, fields, &reader), let view else { return nil }
        return .input(.gesture(gesture, view: view))
    }

    private static let gestureTypes = ["tap", "long_press", "scale", "rotate", "move"]

    private static func recognized(
        _ type: String,
        _ fields: [String: DocumentNode],
        _ reader: inout ScriptReader
    ) -> RecognizedGesture? {
        switch type {
        case "tap", "long_press":
            let fingers = fields["fingers"].map { reader.integer($0, "'fingers'", in: 1...64) } ?? 1
            let point = fields["at"].flatMap { reader.point($0, "'at'") }
            guard let fingers = fingers.map(Int.init), let point else { return nil }
            return type == "tap" ? .tap(at: point, fingers: fingers) : .longPress(at: point, fingers: fingers)
        case "move":
            let from = fields["from"].flatMap { reader.point($0, "'from'") }
            let to = fields["to"].flatMap { reader.point($0, "'to'") }
            guard let from, let to else { return nil }
            return .move(from: from, to: to)
        default:
            let from = fields["from"].flatMap { reader.number($0, "'from'") }
            let to = fields["to"].flatMap { reader.number($0, "'to'") }
            guard let from, let to else { return nil }
            return type == "scale" ? .scale(from: from, to: to) : .rotate(from: from, to: to)
        }
    }
}
