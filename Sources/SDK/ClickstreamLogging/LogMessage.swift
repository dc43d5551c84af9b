#if Server
import ClickstreamCore
import Logging

/// Log message with its metadata, as attributes of an event or as a line.
struct LogMessage: Sendable {
    static let eventName = "log_message"
    /// The maximum number of metadata values that become attributes; the others are left out.
    static let maxMetadata = 20
    /// The maximum length of a text in characters, as for event attributes.
    private static let longestText = Rules.attributes.longestValue
    private static let longestName = Rules.attributes.longestName

    var level: Logger.Level
    var label: String
    var source: String
    var text: String
    var metadata: Logger.Metadata

    /// The message as one line, for a breadcrumb.
    var line: String {
        (["\(level) \(label): \(text)"] + sortedMetadata.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
    }

    /// The attributes of the event.
    ///
    /// Names of metadata are adapted to the rules: `http.method` becomes `http_method`. Texts are cut. Lists and
    /// dictionaries become text.
    func attributes(suppressed: Int) -> Attributes {
        var attributes: Attributes = [
            "log_level": level.rawValue, "log_label": Self.cut(label), "log_source": Self.cut(source),
            "log_message": Self.cut(text), "log_suppressed": suppressed > 0 ? suppressed : nil,
        ]
        for (key, value) in sortedMetadata.prefix(Self.maxMetadata) {
            let name = Self.name(key)
            // The attributes of the message are not replaced.
            guard attributes[name] == nil else { continue }
            attributes.set(name, to: .string(Self.cut("\(value)")))
        }
        return attributes
    }

    private var sortedMetadata: [(key: String, value: Logger.MetadataValue)] {
        metadata.sorted { $0.key < $1.key }
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > longestText else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(longestText)))
    }

    /// Returns a valid attribute name without the reserved prefix: other characters than ASCII letters, digits and `_`
    /// are replaced by `_`.
    static func name(_ key: String) -> String {
        var name = ""
        for scalar in key.unicodeScalars.prefix(longestName) {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_": name.unicodeScalars.append(scalar)
            default: name += "_"
            }
        }
        guard let first = name.first, first.isASCII, first.isLetter else {
            return String(("meta_" + name).prefix(longestName))
        }
        return name
    }
}
#endif
