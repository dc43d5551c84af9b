#if os(Linux)
import CClickstreamSystem
import Foundation

/// Record of a crash, built in allocated memory: as a value it is a tuple of thousands of elements, which takes the compiler a
/// minute.
enum CrashRecord {
    /// Returns the bytes of a record of SIGSEGV after `change`.
    static func bytes(_ change: (UnsafeMutablePointer<clickstream_crash_record>) -> Void = { _ in }) -> [UInt8] {
        let record = UnsafeMutablePointer<clickstream_crash_record>.allocate(capacity: 1)
        defer { record.deallocate() }
        let size = MemoryLayout<clickstream_crash_record>.size
        memset(record, 0, size)
        record.pointee.magic = CLICKSTREAM_CRASH_MAGIC
        record.pointee.version = UInt32(CLICKSTREAM_CRASH_VERSION)
        record.pointee.signal = SIGSEGV
        change(record)
        return Array(UnsafeRawBufferPointer(start: record, count: size))
    }
}
#endif
