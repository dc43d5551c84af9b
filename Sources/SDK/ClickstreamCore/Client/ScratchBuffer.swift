/// Memory for what is put together under the client's lock; the system gives pages of it when they are first used.
package struct ScratchBuffer: ~Copyable {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 32_768, alignment: 16)

    deinit {
        bytes.deallocate()
    }
}
