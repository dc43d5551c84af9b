import ClickstreamCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads function names and unwind tables out of the modules of a process that is gone.
///
/// A file that is another build by now says nothing. Files are looked at once; not for two threads at the same time.
final class Symbols {
    private final class Loaded {
        let file: ELFFile
        /// Read when it is asked for; `nil` when it cannot be used.
        lazy var table: UnwindTable? = {
            // A module without a table, or with one in another form: its frames are followed by their frame pointers.
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

    /// Tells one state of a file without a build id from another: its length and when it was last written.
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
        // A file that is gone, or is no such file, has no names for us.
        if let file = try? ELFFile(module.path, in: files) {
            let stamp = (try? file.buildID) ?? Self.stamp(ofFile: module.path)
            if stamp == module.stamp { found = Loaded(file) }
        }
        loaded[module] = .some(found)
        return found
    }

    /// A function by its name in the source where that can be had.
    struct Function: Sendable, Equatable {
        var name: String
        /// Its first address, in the file's own counting.
        var address: UInt64
    }

    /// The functions that hold addresses of a process.
    func functions(at addresses: [UInt64], in modules: [CrashFile.Module]) -> [UInt64: Function] {
        var found: [UInt64: Function] = [:]
        for module in modules {
            let inside = addresses.filter { module.range.contains($0) }
            // A table that makes no sense gives no names.
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

    /// How the caller of a frame in `module` is found; `nil` when the module does not say.
    func unwindRow(at address: UInt64, in module: CrashFile.Module) -> UnwindTable.Row? {
        // Not in the table, or in a form that we do not understand.
        try? load(module)?.table?.row(at: address &- module.bias)
    }

    // MARK: Names

    private typealias Demangle =
        @convention(c) (
            UnsafePointer<CChar>?, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
        ) -> UnsafeMutablePointer<CChar>?

    /// The Swift runtime's own, where it gives it out.
    private static let demangle: Demangle? = dlsym(nil, "swift_demangle").map {
        unsafeBitCast($0, to: Demangle.self)
    }

    /// A Swift name as it is written in the source; any other as it is.
    static func demangled(_ name: String) -> String {
        guard name.hasPrefix("$s") || name.hasPrefix("$S") || name.hasPrefix("_T"), let demangle,
            let text = demangle(name, name.utf8.count, nil, nil, 0)
        else { return name }
        defer { free(text) }
        return String(cString: text)
    }
}
