/// Absolute paths of a ``MemoryDisk``.
package enum MemoryPath {
    /// Returns the absolute path, with `.`, `..` and repeated slashes resolved.
    package static func normalized(_ path: String) -> String {
        if isNormal(path) { return path }
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." {
                _ = parts.popLast()
            } else {
                parts.append(part)
            }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Returns true if the path is already normalized: names are separated by single slashes, and none begins with a dot.
    private static func isNormal(_ path: String) -> Bool {
        var before = UInt8(ascii: "x")
        for byte in path.utf8 {
            if before == UInt8(ascii: "/"), byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") { return false }
            before = byte
        }
        return path.utf8.first == UInt8(ascii: "/") && before != UInt8(ascii: "/")
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Returns all folders above `path`, nearest first.
    package static func parents(of path: String) -> [String] {
        var parents: [String] = []
        var path = path
        while path != "/" {
            path = parent(of: path)
            parents.append(path)
        }
        return parents
    }
}
