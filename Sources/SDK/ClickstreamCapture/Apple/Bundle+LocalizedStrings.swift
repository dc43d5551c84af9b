#if canImport(ObjectiveC)
public import Foundation
import ObjectiveC
import Synchronization

extension Bundle {
    /// Enables the reverse lookup of localized strings: the keys of resolved strings are reported to an object.
    ///
    /// Exchanges `localizedString(forKey:value:table:)`, once in a process; a second object replaces the first. Strings
    /// that were resolved before have no key. Thread-safe. Not compiled on Linux, where this repository is built.
    public static func enableLocalizedStringSwizzling(for capture: Capture) {
        let isFirst = LocalizedStrings.capture.withLock { current in
            defer { current = capture }
            return current == nil
        }
        guard isFirst else { return }
        MethodExchange.perform(
            self,
            #selector(localizedString(forKey:value:table:)),
            #selector(clickstream_localizedString(forKey:value:table:))
        )
    }

    @objc fileprivate dynamic func clickstream_localizedString(
        forKey key: String,
        value: String?,
        table: String?
    ) -> String {
        let text = clickstream_localizedString(forKey: key, value: value, table: table)
        // Bundles of frameworks contain the system's own texts.
        if self === Bundle.main, text != key { LocalizedStrings.capture.withLock { $0 }?.resolve(key: key, to: text) }
        return text
    }
}

private enum LocalizedStrings {
    /// The receiver of resolved strings.
    static let capture = Mutex<Capture?>(nil)
}
#endif
