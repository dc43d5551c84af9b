/// Small file with a checksum that is replaced as a whole, and whose previous version is kept (`.old`).
///
/// Its first line contains the file type, the format version, and a checksum of everything else (including type and
/// version): `clickstream-state 1 8f3a11c0`. The rest is opaque. Later versions of the library keep the form of the
/// first line; their files are recognized, rejected, and never overwritten.
package struct StateFile: Sendable {
    /// Result of loading.
    package enum Content: Sendable, Equatable {
        /// No file exists.
        case none
        case loaded([UInt8])
        /// The file is damaged; these are the bytes of its predecessor. `report` describes the damage for the log.
        case recovered([UInt8], report: String)
        /// The file and its predecessor are both damaged.
        case lost(report: String)
        /// The file was written by a later version of the library.
        case fromLater(version: Int)
    }

    private let files: any FileSystem
    /// The maximum size of such a file, for reading and writing.
    package static let maxBytes = maxBytesReadWhole

    package let path: String
    private let kind: String
    private let version: Int
    private let isDurable: Bool

    /// - Parameters:
    ///   - kind: the file type, which is the first word of the file.
    ///   - version: the format version of written files. Those of earlier versions are read too.
    ///   - isDurable: true if a save must survive a loss of power before it returns.
    package init(_ files: any FileSystem, path: String, kind: String, version: Int = 1, isDurable: Bool = false) {
        self.files = files
        self.path = path
        self.kind = kind
        self.version = version
        self.isDurable = isDurable
    }

    package func load() throws(FileError) -> Content {
        let current = try read(path)
        switch current {
        case .whole(let bytes): return .loaded(bytes)
        case .later(let version): return .fromLater(version: version)
        case .absent, .damaged: break
        }
        switch (current, try read(path + ".old")) {
        case (_, .later(let version)):
            return .fromLater(version: version)
        case (.absent, .whole(let bytes)):
            // A crash between the two renames of a save: nothing is lost.
            return .loaded(bytes)
        case (_, .whole(let bytes)):
            return .recovered(bytes, report: "\(path) is damaged; what was saved before it is used instead")
        case (.absent, .absent):
            return .none
        case (_, .absent), (_, .damaged):
            return .lost(report: "\(path) is damaged, and nothing saved before it can be read")
        }
    }

    /// Returns the content, or that of the predecessor if the file is damaged; `nil` if there is none that is intact.
    /// - Throws: ``StoreError/laterVersion(path:version:)``, or the disk's error.
    package func loadIntact() throws(StoreError) -> [UInt8]? {
        let content: Content
        do {
            content = try load()
        } catch {
            throw StoreError(error)
        }
        switch content {
        case .none, .lost: return nil
        case .loaded(let bytes), .recovered(let bytes, _): return bytes
        case .fromLater(let version): throw .laterVersion(path: path, version: version)
        }
    }

    /// Reads the first line, whose checksum identifies the content. The cost does not depend on the size of the content.
    func head() throws(FileError) -> [UInt8] {
        try files.read(path, range: 0..<head(of: []).count)
    }

    /// Returns the first line of the file for a content.
    func head(of bytes: [UInt8]) -> [UInt8] { StateFile.head(of: bytes[...], kind: kind, version: version) }

    /// Replaces the content. Costs a read, a write and two renames; several processes may save concurrently.
    /// - Throws: ``StoreError/laterVersion(path:version:)``, or the disk's error.
    package func save(_ bytes: [UInt8]) throws(StoreError) {
        guard bytes.count <= Self.maxBytes - 100 else {
            throw .failed(FileError(.write, path, errno: FileError.tooLarge))
        }
        var later: Int?
        do {
            switch try read(path) {
            case .later(let version): later = version
            case .whole: try keepPredecessor()
            case .absent, .damaged: break  // a damaged file must not replace its intact predecessor
            }
            if later == nil {
                let file = StateFile.encode(bytes, kind: kind, version: version)
                try files.replace(path, with: file, durably: isDurable)
            }
        } catch {
            throw StoreError(error)
        }
        if let later { throw StoreError.laterVersion(path: path, version: later) }
    }

    private func keepPredecessor() throws(FileError) {
        do {
            try files.rename(path, to: path + ".old")
        } catch  where error.errno == FileError.absent {
            // Another process has already renamed it.
        }
    }

    // MARK: Format

    private enum Found {
        case absent
        case whole([UInt8])
        case damaged
        case later(Int)
    }

    private func read(_ path: String) throws(FileError) -> Found {
        guard let bytes = try files.contents(of: path) else { return .absent }
        guard bytes.count <= Self.maxBytes else { return .damaged }
        guard let (found, body) = StateFile.decode(bytes, kind: kind) else { return .damaged }
        return found <= version ? .whole(Array(body)) : .later(found)
    }

    /// Returns the complete file for a content.
    static func encode(_ body: [UInt8], kind: String, version: Int) -> [UInt8] {
        var file = head(of: body[...], kind: kind, version: version)
        file.reserveCapacity(file.count + body.count)
        file += body
        return file
    }

    /// Returns the first line of the file for a content.
    private static func head(of body: ArraySlice<UInt8>, kind: String, version: Int) -> [UInt8] {
        let start = Array("\(kind) \(version) ".utf8)
        let checksum = body.withUnsafeBytes { Checksum.crc32c($0, after: Checksum.crc32c(start)) }
        return start + Array("\(String(zeroPadded: checksum, width: 8, radix: 16))\n".utf8)
    }

    /// Decodes the version and the content of a complete file; returns `nil` if it is damaged or of another type.
    package static func decode(_ file: [UInt8], kind: String) -> (version: Int, body: ArraySlice<UInt8>)? {
        guard let end = file.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let words = file[..<end].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, words[0].elementsEqual(kind.utf8),
            let version = Int(String(decoding: words[1], as: UTF8.self))
        else { return nil }
        let body = file[(end + 1)...]
        guard version > 0, head(of: body, kind: kind, version: version).elementsEqual(file[...end]) else { return nil }
        return (version, body)
    }
}
