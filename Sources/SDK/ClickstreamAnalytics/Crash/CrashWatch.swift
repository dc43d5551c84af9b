#if os(Linux)
import CClickstreamSystem
package import ClickstreamCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Crash detection on Linux with signal handlers. Serves one client.
///
/// Costs: ``watch(_:)`` about 0.3 ms once, ``keep(_:)`` one write of some kilobytes, nothing in between.
package final class CrashWatch: CrashCapture {
    private struct State {
        var path = ""
        var descriptor: Int32 = -1
        var identity: FileIdentity?
        var number: Int32 = -1
        var generation: UInt64 = 0
        /// True once the blocks of the breadcrumbs are allocated on disk.
        var hasReservedBreadcrumbs = false

        /// The error if the host closed the descriptor, whose number may now refer to a file of the host.
        var failure: FileError? {
            identity?.isFile(of: descriptor) == true ? nil : FileError(.write, path, errno: FileError.closed)
        }
    }

    private let state = Locked(State())
    /// Serializes installation and removal of the process-wide handlers.
    private static let handlers = ProcessLocal(since: .reset) { Handlers() }
    private final class Handlers: Sendable {
        let lock = Locked(())
    }

    package init() {}

    package func watch(_ path: String) throws(FileError) {
        let reason = state.withLock { state -> Int32 in
            guard state.descriptor < 0 else { return EBUSY }
            // Never replaces an existing file, which may contain a crash that is not recorded yet.
            let descriptor = clickstream_above_standard(open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
            guard descriptor >= 0 else { return errno }
            var reason = Self.prepare(descriptor)
            if reason == 0 {
                state.number = Self.handlers.current.lock.withLock { _ in clickstream_crash_watch(descriptor) }
                if state.number < 0 { reason = EMFILE }
            }
            guard reason == 0 else {
                close(descriptor)
                unlink(path)
                return reason
            }
            state.descriptor = descriptor
            state.identity = FileIdentity(of: descriptor)
            state.path = path
            return 0
        }
        if reason != 0 { throw FileError(.open, path, errno: reason) }
    }

    private static func prepare(_ descriptor: Int32) -> Int32 {
        guard CrashFile.size <= largestFile() else { return EFBIG }
        guard ftruncate(descriptor, off_t(CrashFile.size)) == 0 else { return errno }
        for range in CrashFile.reserved {
            let reason = posix_fallocate(descriptor, off_t(range.lowerBound), off_t(range.count))
            guard reason == 0 else { return reason }
        }
        return write(CrashFile.encoded(LoadedModules.all()), to: descriptor, at: CrashFile.modulesOffset)
    }

    package func keep(_ draft: CrashDraft?) -> FileError? {
        state.withLock { state in
            guard state.descriptor >= 0 else { return nil }
            if let failure = state.failure { return failure }
            let generation = state.generation + 1
            let slot = CrashFile.Slot(generation: generation, payload: draft?.bytes ?? [])
            let bytes = slot.bytes
            guard bytes.count <= CrashFile.draftCapacity else { return FileError(.write, state.path, errno: EFBIG) }
            let reason = Self.write(bytes, to: state.descriptor, at: CrashFile.draftOffsets[Int(generation % 2)])
            guard reason == 0 else { return FileError(.write, state.path, errno: reason) }
            state.generation = generation
            return nil
        }
    }

    package func keep(_ breadcrumb: Breadcrumb) -> FileError? {
        state.withLock { state in
            guard state.descriptor >= 0 else { return nil }
            if let failure = state.failure { return failure }
            let bytes = CrashFile.encoded(breadcrumb)
            guard bytes.count <= CrashFile.breadcrumbCapacity else {
                return FileError(.write, state.path, errno: EFBIG)
            }
            if !state.hasReservedBreadcrumbs {
                let range = CrashFile.breadcrumbRange
                let reason = posix_fallocate(state.descriptor, off_t(range.lowerBound), off_t(range.count))
                guard reason == 0 else { return FileError(.write, state.path, errno: reason) }
                state.hasReservedBreadcrumbs = true
            }
            let reason = Self.write(bytes, to: state.descriptor, at: CrashFile.offset(of: breadcrumb))
            return reason == 0 ? nil : FileError(.write, state.path, errno: reason)
        }
    }

    package func end() {
        state.withLock { state in
            guard state.descriptor >= 0 else { return }
            let number = state.number
            Self.handlers.current.lock.withLock { _ in clickstream_crash_unwatch(number) }
            if state.failure == nil { close(state.descriptor) }
            // The file is in this process's own locked run folder; if it remains, it indicates that there was no crash.
            unlink(state.path)
            state = State()
        }
    }

    package func traces(at path: String) throws(FileError) -> CrashTraces {
        let files = LocalFileSystem()
        let file = try CrashFile { range throws(FileError) in try files.read(path, range: range) }
        guard let record = file.record else { return .none }
        guard !file.isDamaged else { return .unreadable("what was kept ready for a crash is damaged") }
        guard let draft = file.draft else { return .none }
        let story = CrashMessage(file, record: record, symbols: Symbols(files: files))
        let breadcrumbs = Breadcrumbs.text(file.breadcrumbs)
        guard
            let report = draft.completed(
                message: story.message,
                stack: story.stack,
                breadcrumbs: breadcrumbs,
                at: record.moment
            )
        else {
            return .unreadable("what was kept ready for a crash is no event")
        }
        return .crash(report)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) -> Int32 {
        // A limit that was lowered since would end the process by SIGXFSZ.
        guard bytes.count <= largestFile() - offset else { return EFBIG }
        return bytes.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count, let start = bytes.baseAddress {
                let done = pwrite(descriptor, start + written, bytes.count - written, off_t(offset + written))
                if done < 0, errno == EINTR { continue }
                guard done > 0 else { return done == 0 ? EIO : errno }
                written += done
            }
            return 0
        }
    }
}

/// Modules of this process.
enum LoadedModules {
    /// Returns all loaded modules. Costs some ten microseconds, and a system call for each module without a build id.
    static func all() -> [CrashFile.Module] {
        var modules: [CrashFile.Module] = []
        withUnsafeMutablePointer(to: &modules) { modules in
            clickstream_modules(modules) { context, path, bias, start, end, identifier, count in
                guard let modules = context?.assumingMemoryBound(to: [CrashFile.Module].self), let path else { return }
                var name = String(cString: path)
                if name.isEmpty { name = Host.executableLink ?? "" }
                // The kernel's vDSO has no file.
                guard name.hasPrefix("/") else { return }
                var stamp = UnsafeBufferPointer(start: identifier, count: Int(count)).map { byte in
                    String(zeroPadded: byte, width: 2, radix: 16)
                }.joined()
                if stamp.isEmpty { stamp = Symbols.stamp(ofFile: name) ?? "unknown" }
                modules.pointee.append(CrashFile.Module(path: name, bias: bias, range: start..<end, stamp: stamp))
            }
        }
        return modules
    }
}
#endif
