#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Time zone of the host, without Foundation.
enum HostTimeZone {
    /// The IANA name: from `TZ`, or from the link `/etc/localtime`; `UTC` if neither has one.
    static var name: String {
        if let text = getenv("TZ").map({ String(cString: $0) }), let name = name(in: text) { return name }
        var buffer = [CChar](repeating: 0, count: 1_024)
        let count = readlink("/etc/localtime", &buffer, buffer.count)
        guard count > 0 else { return "UTC" }
        return name(in: String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)) ?? "UTC"
    }

    /// Returns the name of a zone in the form `Europe/Paris`, `:Europe/Paris` or `…/zoneinfo/Europe/Paris`; `nil` for
    /// another form, such as a POSIX rule.
    static func name(in text: String) -> String? {
        var parts = (text.first == ":" ? text.dropFirst() : text[...]).split(
            separator: "/",
            omittingEmptySubsequences: false
        )
        if let folder = parts.lastIndex(of: "zoneinfo") { parts.removeFirst(folder + 1) }
        let name = parts.joined(separator: "/")
        let isName =
            name == "UTC"
            || parts.count > 1 && !parts.contains("") && name.utf8.allSatisfy { 0x20 < $0 && $0 < 0x7F }
        return isName ? name : nil
    }
}
