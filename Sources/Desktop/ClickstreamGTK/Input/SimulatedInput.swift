#if GTK
/// Input without an event of the toolkit, which only the toolkit can create: for measurements of the signals that follow.
package enum SimulatedInput {
    /// Handles a press and a release inside of a widget, as their events would.
    @MainActor
    package static func press(_ widget: UnsafeMutableRawPointer) {
        guard let adapter = GTKAdapter.active else { return }
        let chain = Widget(widget).lineage.map(\.id)
        adapter.input.press(chain, at: adapter.now)
        adapter.input.release(chain, at: adapter.now)
    }
}
#endif
