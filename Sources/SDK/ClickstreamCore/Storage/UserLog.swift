/// Files with the profiles of known users: `users.<n>` in the store's folder, one of which belongs to the state.
///
/// One line per login and per change of attributes, of which the last for a user id applies: the CRC-32C in 8 hex digits, a space, the
/// profile as JSON. The state contains the ``KnownUsers/Position`` up to which a file belongs to it. A login appends a line and then replaces
/// the state, so both change at once: lines behind the position belong to no state, and the next login cuts them off. The cost does
/// not depend on the number of users. Once most lines are outdated, all profiles are written to a file with the next number. To be used
/// with the lock of the state.
package struct UserLog: Sendable {
    /// The number of outdated lines in a file, besides one per user, from which on the profiles are written again.
    static let outdatedLines = 64
    private static let prefix = "users."

    private let files: any FileSystem
    private let folder: String
    private let isDurable: Bool
    /// The number of the file that was written last with all profiles. Written again until a state names it, or one above it.
    private var latest = 0

    package init(_ store: StoreFolder) {
        files = store.files
        folder = store.path
        isDurable = store.isDurable
    }

    // MARK: Names

    static func name(_ number: Int) -> String { prefix + String(number) }

    private static func number(in name: String) -> Int? {
        guard name.hasPrefix(prefix), let number = Int64(name.dropFirst(prefix.count)), number > 0,
            StoredState.possibleNumbers ~= number
        else { return nil }
        return Int(number)
    }

    /// True if a file of the store's folder contains profiles, or is about to.
    static func isName(_ name: String) -> Bool { name.hasPrefix(prefix) }

    package func path(_ number: Int) -> String { "\(folder)/\(Self.name(number))" }

    /// Returns the names of all files with profiles, also of those left by a process that ended while it replaced one.
    static func names(_ files: any FileSystem, _ folder: String) throws(FileError) -> [String] {
        try files.names(in: folder).filter(isName)
    }

    // MARK: Reading

    /// Updates profiles to those of a state. Costs time for the lines that another process has appended, or for all lines of another
    /// file.
    /// - Parameter state: the users as decoded from the state.
    /// - Returns: the damage of the file, if there is any.
    package func read(_ state: KnownUsers, into users: inout KnownUsers) throws(FileError) -> String? {
        let position = state.position
        users.changed = []
        guard position.bytes > 0 else {
            // There is none, or an earlier version has stored them in the state.
            (users.byID, users.position, users.isDamaged) = (state.byID, position, false)
            return nil
        }
        guard position != users.position else { return nil }
        let last = users.position
        if position.file == last.file, position.bytes > last.bytes, last.bytes > 0, !users.isDamaged {
            let tail = try bytes(last.bytes..<position.bytes, ofFile: position.file)
            if Checksum.crc32c(tail, after: last.checksum) == position.checksum {
                _ = Self.read(tail, into: &users.byID)
                users.position = position
                return nil
            }
        }
        let whole = try bytes(0..<position.bytes, ofFile: position.file)
        users.byID = [:]
        let intact = Self.read(whole, into: &users.byID)
        users.position = position
        users.isDamaged = whole.count != position.bytes || Checksum.crc32c(whole) != position.checksum
        guard users.isDamaged else { return nil }
        // The last line, which damage is most likely to concern, is most often the current user's.
        if let login = state.current.login { users.byID[UserID(login.id)] = state.current }
        return "\(path(position.file)) is damaged; \(intact) of \(position.lines) profiles of users are read from it"
    }

    /// Reads bytes of a file; fewer if it ends before, none if it does not exist.
    private func bytes(_ range: Range<Int>, ofFile number: Int) throws(FileError) -> [UInt8] {
        do throws(FileError) {
            return try FileError.retrying { () throws(FileError) in try files.read(path(number), range: range) }
        } catch {
            guard error.isMissingFile else { throw error }
            return []
        }
    }

    /// Adds the profiles in intact lines.
    /// - Returns: the number of these lines.
    package static func read(_ bytes: [UInt8], into profiles: inout [UserID: User]) -> Int {
        bytes.withUnsafeBytes { bytes in
            var lines = 0
            var start = 0
            while let end = EventRecord.endOfLine(from: start, in: bytes) {
                if let user = user(inLine: UnsafeRawBufferPointer(rebasing: bytes[start..<end])), let login = user.login
                {
                    profiles[UserID(login.id)] = user
                    lines += 1
                }
                start = end + 1
            }
            return lines
        }
    }

    private static func user(inLine line: UnsafeRawBufferPointer) -> User? {
        guard line.count > headBytes else { return nil }
        let json = UnsafeRawBufferPointer(rebasing: line[headBytes...])
        guard line.loadUnaligned(as: UInt64.self) == Hexadecimal.lowerCase(Checksum.crc32c(json)),
            let value = try? JSONReader.parse(json)  // text that is not JSON is not a profile
        else { return nil }
        return User(stored: value)
    }

    // MARK: Writing

    /// Writes the profiles that the file of a state does not contain yet: changed ones to its end, or all to another file.
    /// - Parameters:
    ///   - stored: the position in the state that is to be replaced.
    ///   - isLocked: true if no other process can append to its file.
    /// - Returns: the position of all profiles, for the new state.
    mutating func write(
        _ users: KnownUsers,
        after stored: KnownUsers.Position,
        isLocked: Bool
    ) throws(FileError) -> KnownUsers.Position {
        if stored == users.position {
            if users.isWritten { return stored }
            if isLocked, let position = try append(users) { return position }
        }
        return try rewrite(users, after: max(stored.file, users.position.file), isLocked: isLocked)
    }

    /// Appends the changed profiles behind the position, and synchronizes the file like the state.
    /// - Returns: `nil` if the file is damaged, too long, or cannot be appended to.
    private func append(_ users: KnownUsers) throws(FileError) -> KnownUsers.Position? {
        var position = users.position
        let maxLines = 2 * users.byID.count + Self.outdatedLines
        guard !users.isDamaged, position.bytes > 0, position.lines + users.changed.count <= maxLines else { return nil }
        let lines = Self.lines(of: users.changed.orderedByText(\.text).compactMap { users.byID[$0] })
        guard position.bytes + lines.count <= maxBytesReadWhole else { return nil }
        do throws(FileError) {
            let file = try files.open(path(position.file))
            defer { file.close() }
            guard file.size >= position.bytes else { return nil }
            if file.size > position.bytes { try file.truncate(to: position.bytes) }
            try lines.withUnsafeBufferPointer { (bytes) throws(FileError) in
                try file.append(UnsafeRawBufferPointer(bytes))
            }
            if isDurable { try file.synchronize() }
        } catch {
            guard error.meansLostLocation else { throw error }
            return nil
        }
        position.extend(by: lines, count: users.changed.count)
        return position
    }

    /// Writes all profiles to a file with a number above those of all others.
    ///
    /// A process without the lock leaves out the next number, which the process with the lock may be about to use, and those of other such
    /// processes.
    private mutating func rewrite(
        _ users: KnownUsers,
        after last: Int,
        isLocked: Bool
    ) throws(FileError) -> KnownUsers.Position {
        var position = KnownUsers.Position(file: last)
        guard !users.byID.isEmpty else { return position }
        position.file = latest
        let isNew = latest <= last
        if isNew { position.file = 1 + max(last, try Self.names(files, folder).compactMap(Self.number).max() ?? 0) }
        let lines = Self.lines(of: users.byID.orderedByText(\.key.text).map(\.value))
        guard lines.count <= maxBytesReadWhole else {
            throw FileError(.write, path(position.file), errno: FileError.tooLarge)
        }
        if isNew, !isLocked {
            position.file = try write(lines, toFileAbove: position.file)
        } else {
            try files.replace(path(position.file), with: lines, durably: isDurable)
        }
        latest = position.file
        position.extend(by: lines, count: users.byID.count)
        return position
    }

    /// Writes the first file above a number that no other process has written, or is about to write without the lock of the state.
    /// - Returns: its number.
    private func write(_ lines: [UInt8], toFileAbove last: Int) throws(FileError) -> Int {
        var number = last
        while true {
            number += 1
            // The lock creates an empty file.
            guard let lock = try files.lock(path(number)) else { continue }
            defer { lock.unlock() }
            guard try files.size(of: path(number)) == 0 else { continue }
            do throws(FileError) {
                try files.replace(path(number), with: lines, durably: isDurable)
                return number
            } catch {
                // An empty file that is left costs a number.
                try? files.remove(path(number))
                throw error
            }
        }
    }

    /// Removes files that no copy of the state names any more. Those with higher numbers stay: a process without the lock may be about to
    /// name one.
    func removeFiles(through number: Int) throws(FileError) {
        for name in try Self.names(files, folder) where Self.number(in: name).map({ $0 <= number }) == true {
            try files.remove("\(folder)/\(name)")
        }
    }

    /// The length of a checksum and a space.
    private static let headBytes = 9

    private static func lines(of users: [User]) -> [UInt8] {
        var lines: [UInt8] = []
        for user in users {
            let start = lines.count
            lines.append(contentsOf: repeatElement(UInt8(ascii: " "), count: headBytes))
            user.writeStored(into: &lines)
            lines.withUnsafeMutableBytes { bytes in
                let checksum = Checksum.crc32c(UnsafeRawBufferPointer(rebasing: bytes[(start + headBytes)...]))
                bytes.storeBytes(of: Hexadecimal.lowerCase(checksum), toByteOffset: start, as: UInt64.self)
            }
            lines.append(UInt8(ascii: "\n"))
        }
        return lines
    }
}

extension KnownUsers.Position {
    fileprivate mutating func extend(by appended: [UInt8], count: Int) {
        bytes += appended.count
        lines += count
        checksum = Checksum.crc32c(appended, after: checksum)
    }

    // MARK: As JSON

    var json: JSONValue.Kind {
        .object([
            .number("file", file), .number("bytes", bytes), .number("lines", lines), .number("checksum", checksum),
        ])
    }

    /// Decodes the JSON; returns `nil` if it is not valid.
    init?(_ value: JSONValue) {
        guard let file = value["file"]?.integer, StoredState.possibleNumbers ~= file,
            let bytes = value["bytes"]?.integer, 0...Int64(maxBytesReadWhole) ~= bytes,
            let lines = value["lines"]?.integer, 0...bytes ~= lines,
            let checksum = value["checksum"]?.integer.flatMap(UInt32.init(exactly:))
        else { return nil }
        self.init(file: Int(file), bytes: Int(bytes), lines: Int(lines), checksum: checksum)
    }
}

extension KnownUsers {
    /// True if the part of the file contains all profiles.
    fileprivate var isWritten: Bool { changed.isEmpty && !isDamaged && (position.bytes > 0 || byID.isEmpty) }

    /// The users as a state contains them: without the profiles, which a file contains up to a position.
    func stored(at position: KnownUsers.Position) -> KnownUsers {
        var stored = KnownUsers(current: current)
        stored.position = position
        return stored
    }

    /// Notes that a file contains all profiles up to a position.
    mutating func wereWritten(to position: KnownUsers.Position) {
        (self.position, changed, isDamaged) = (position, [], false)
    }

    /// Exchanges the profiles with those of another value, without a copy.
    mutating func exchangeProfiles(with other: inout KnownUsers) {
        swap(&byID, &other.byID)
        swap(&position, &other.position)
        swap(&changed, &other.changed)
        swap(&isDamaged, &other.isDamaged)
    }
}
