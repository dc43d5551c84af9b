import ClickstreamCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Symbolication and unwind tables for the modules of an ended process.
///
/// A file that has been replaced by a different build is ignored. Files are read once and cached. Not thread-safe.
final class Symbols {
    private final class Loaded {
        let file: ELFFile
        /// The unwind table, read on first use; `nil` if it is missing or unsupported.
        lazy var table: UnwindTable? = {
            // Without a supported table, frames are followed by their frame pointers.
            try? UnwindTable(file)
        }()

        init(_ file: ELFFile) {
            self.file = file
        }
    }

    private let files: any FileSystem
    private var loaded: [CrashFile.Module: Loaded?] = [:]

    init(files: any FileSystem) {
        self.files = files
    }

    /// Returns an identifier for a file without a build id: its length and modification time.
    static func stamp(ofFile path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return "\(status.st_size)-\(time.tv_sec).\(time.tv_nsec)"
    }

    private func load(_ module: CrashFile.Module) -> Loaded? {
        if let known = loaded[module] { return known }
        var found: Loaded?
        // A file that is missing or not ELF yields no names.
        if let file = try? ELFFile(module.path, in: files) {
            let stamp = (try? file.buildID) ?? Self.stamp(ofFile: module.path)
            if stamp == module.stamp { found = Loaded(file) }
        }
        loaded[module] = .some(found)
        return found
    }

    /// Function with its source name, if available.
    struct Function: Sendable, Equatable {
        var name: String
        /// The start address, relative to the file.
        var address: UInt64
    }

    /// Returns the functions at addresses of a process.
    func functions(at addresses: [UInt64], in modules: [CrashFile.Module]) -> [UInt64: Function] {
        var found: [UInt64: Function] = [:]
        for module in modules {
            let inside = addresses.filter { module.range.contains($0) }
            // An inconsistent table yields no names.
            guard !inside.isEmpty, let loaded = load(module),
                let symbols = try? loaded.file.symbols(of: inside.map { $0 &- module.bias })
            else { continue }
            for address in inside {
                guard let symbol = symbols[address &- module.bias] else { continue }
                found[address] = Function(name: Self.demangled(symbol.name), address: symbol.address)
            }
        }
        return found
    }

    /// Returns the unwind rules for an address in `module`; `nil` if the module has none.
    func unwindRow(at address: UInt64, in module: CrashFile.Module) -> UnwindTable.Row? {
        // The address is not in the table, or its entry is unsupported.
        try? load(module)?.table?.row(at: address &- module.bias)
    }

    // MARK: Names

    private typealias Demangle =
        @convention(c) (
            UnsafePointer<CChar>?, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
        ) -> UnsafeMutablePointer<CChar>?

    /// The demangler of the Swift runtime, if it is exported.
    private static let demangle: Demangle? = dlsym(nil, "swift_demangle").map {
        unsafeBitCast($0, to: Demangle.self)
    }

    /// Returns the source form of a Swift name; any other name is returned unchanged.
    static func demangled(_ name: String) -> String {
        guard name.hasPrefix("$s") || name.hasPrefix("$S") || name.hasPrefix("_T"), let demangle,
            let text = demangle(name, name.utf8.count, nil, nil, 0)
        else { return name }
        defer { free(text) }
        return String(cString: text)
    }
}
