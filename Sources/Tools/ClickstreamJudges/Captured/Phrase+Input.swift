import ClickstreamCore

/// Phrases of input, which the Pulse and the clickstream format describe with the same fields.
extension Phrase {
    /// Members of an object whose names have a common prefix.
    struct Fields {
        private let object: JSONValue?
        private let prefix: String

        init(_ object: JSONValue?, prefix: String = "") {
            self.object = object
            self.prefix = prefix
        }

        subscript(name: String) -> JSONValue? { object?[prefix + name] }

        /// An identifier of the element or page.
        var label: String? {
            self["id"]?.word ?? self["accessibility_id"]?.word ?? self["localized_key"]?.word ?? self["class"]?.word
        }
    }

    static func tap(on element: Fields) -> Phrase? {
        let type = element["type"]?.word
        let label = element["value"]?.quotedWord ?? element.label
        return Phrase("tap", type == "button" && label != nil ? nil : type, label)
    }

    static func scroll(_ depth: JSONValue?, _ direction: JSONValue?, of element: Fields) -> Phrase? {
        Phrase("scroll", depth?.word.map { "\($0) %" } ?? direction?.word, element.label)
    }

    static func impression(_ count: JSONValue?, in element: Fields) -> Phrase? {
        let items = count?.word.map { $0 == "1" ? "1 item" : "\($0) items" }
        return Phrase(items ?? "items", "seen", element.label.map { "in \($0)" })
    }

    /// A touch gesture, or one that a recognizer reported.
    static func gesture(_ gesture: Fields, on target: String?) -> Phrase? {
        func value(_ name: String) -> String { gesture[name]?.word ?? "?" }
        func point(_ x: String, _ y: String) -> String? {
            gesture[x] == nil && gesture[y] == nil ? nil : "\(value(x)), \(value(y))"
        }
        let direction = gesture["direction"]?.word
        let position = point("tap_x", "tap_y").map { "at \($0)" }
        return switch gesture["type"]?.string {
        case "tap": Phrase("tap", target, position)
        case "long_press": Phrase("long press", target, position)
        case "drag": Phrase("drag", direction, target)
        case "flick": Phrase("swipe", direction, target)
        case "scale": Phrase("scale", target, "\(value("scale_start")) to \(value("scale_end")) %")
        case "rotate": Phrase("rotate", target, "\(value("rotate_start")) to \(value("rotate_end"))°")
        case "move":
            Phrase(
                "move",
                target,
                point("move_start_x", "move_start_y"),
                point("move_end_x", "move_end_y").map { "to \($0)" }
            )
        default: Phrase(gesture["type"]?.word ?? "gesture", target)
        }
    }

    /// Last component of a target path, such as `UIButton:eq(0)`. A `>` within brackets, or of a generic class, is no
    /// separator.
    static func lastComponent(of path: String) -> String {
        var start = path.utf8.startIndex
        var (brackets, generics) = (0, 0)
        for index in path.utf8.indices {
            switch path.utf8[index] {
            case UInt8(ascii: "["): brackets += 1
            case UInt8(ascii: "]"): brackets = max(0, brackets - 1)
            case UInt8(ascii: "<") where brackets == 0: generics += 1
            case UInt8(ascii: ">") where brackets == 0 && generics > 0: generics -= 1
            case UInt8(ascii: ">") where brackets == 0: start = path.utf8.index(after: index)
            default: break
            }
        }
        return String(path[start...])
    }

    /// The element of a touch gesture: its identifier, or else the last component of its path.
    static func target(id: JSONValue?, path: JSONValue?) -> String? {
        id?.word ?? path?.string.flatMap { $0.isEmpty ? nil : Phrase.word(lastComponent(of: $0)) }
    }
}
