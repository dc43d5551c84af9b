#if GTK
import CGtk4
import ClickstreamCapture

extension GTKAdapter {
    /// The interval between two layouts of the visible lists, in milliseconds.
    private static let layoutInterval: Int64 = 250

    func hookLists() {
        // Items of lists with other factories have no known position.
        hook(gtk_signal_list_item_factory_get_type(), "bind") { adapter, values in
            if let item = values.object(1) { adapter.boundItems.insert(item) }
        }
        for signal in ["unbind", "teardown"] {
            hook(gtk_signal_list_item_factory_get_type(), signal) { adapter, values in
                if let item = values.object(1) { adapter.boundItems.remove(item) }
            }
        }
    }

    /// A list is on the screen.
    func mapped(list: Widget) {
        guard isEnabled([.tableViewImpression, .collectionViewImpression]), lists[list.object] == nil,
            list.lineage.dropFirst().allSatisfy({ !$0.kind.hidesPages })
        else { return }
        observe(list.object)
        lists[list.object] = .some(nil)
        if !listTimeout.isSet { layoutSoon() }
    }

    /// A list is not on the screen any more: its impressions end.
    func unmapped(list: Widget) {
        lists[list.object] = nil
        capture.remove(element(of: list).id)
        if lists.isEmpty { listTimeout.cancel() }
    }

    private func layoutSoon() {
        listTimeout.set(milliseconds: Self.layoutInterval) { [weak self] in
            guard let self, !self.lists.isEmpty else { return }
            let positions = self.positions
            for object in Array(self.lists.keys) { self.layOut(Widget(object), positions) }
            self.layoutSoon()
        }
    }

    /// Reports the visible items of a list, if they have changed.
    private func layOut(_ list: Widget, _ positions: [UnsafeMutableRawPointer: UInt32]) {
        guard let layout = visibleItems(of: list, positions), lists[list.object] != .some(layout) else { return }
        lists[list.object] = layout
        let element = element(of: list)
        capture.show(
            layout,
            in: Capture.ElementPath(to: element),
            source: element.settings?.items ?? list.settings?.items
        )
    }

    /// The widget of the list for the application: the column view around its inner list.
    private func element(of list: Widget) -> Widget {
        guard list.kind == .columnListView, let outer = list.parent, outer.kind == .columnView else { return list }
        return outer
    }

    // MARK: Layout

    /// The positions of the children that factories created.
    private var positions: [UnsafeMutableRawPointer: UInt32] {
        var positions: [UnsafeMutableRawPointer: UInt32] = [:]
        for item in boundItems {
            let item = OpaquePointer(item)
            guard let child = gtk_list_item_get_child(item) else { continue }
            positions[UnsafeMutableRawPointer(child)] = gtk_list_item_get_position(item)
        }
        return positions
    }

    private func visibleItems(of list: Widget, _ positions: [UnsafeMutableRawPointer: UInt32]) -> VisibleItems? {
        guard let root = list.root, var viewport = list.frame(in: root) else { return nil }
        for ancestor in list.lineage.dropFirst() where ancestor.kind == .scrolledWindow || ancestor == root {
            guard let frame = ancestor.frame(in: root) else { return nil }
            viewport = viewport.intersection(frame)
        }
        var items: [VisibleItems.Item] = []
        for row in list.children where row.isMapped {
            guard let frame = row.frame(in: root), frame.sharedArea(with: viewport) > 0,
                let index = position(of: row, positions)
            else { continue }
            items.append(VisibleItems.Item(index: index, frame: frame))
        }
        return VisibleItems(viewport: viewport, items: items.sorted { $0.index < $1.index })
    }

    /// The position of a row among all items; `nil` for headers and placeholders.
    private func position(of row: Widget, _ positions: [UnsafeMutableRawPointer: UInt32]) -> Int? {
        if clickstream_is_a(row.object, gtk_list_box_row_get_type()) != 0 {
            let index = gtk_list_box_row_get_index(row.object.assumingMemoryBound(to: GtkListBoxRow.self))
            return index < 0 ? nil : Int(index)
        }
        if clickstream_is_a(row.object, gtk_flow_box_child_get_type()) != 0 {
            let index = gtk_flow_box_child_get_index(row.object.assumingMemoryBound(to: GtkFlowBoxChild.self))
            return index < 0 ? nil : Int(index)
        }
        // The child that the factory created, in the row or in one of its cells.
        for child in row.children {
            if let position = positions[child.object] ?? child.firstChild.flatMap({ positions[$0.object] }) {
                return Int(exactly: position)
            }
        }
        return nil
    }
}

@MainActor
extension Widget {
    /// The bounds in the coordinates of another widget.
    fileprivate func frame(in other: Widget) -> Capture.Frame? {
        var bounds = graphene_rect_t()
        guard gtk_widget_compute_bounds(pointer, other.pointer, &bounds) != 0 else { return nil }
        return Capture.Frame(
            x: Double(bounds.origin.x),
            y: Double(bounds.origin.y),
            width: Double(bounds.size.width),
            height: Double(bounds.size.height)
        )
    }
}

extension Capture.Frame {
    /// The part that two frames have in common; empty if there is none.
    func intersection(_ other: Capture.Frame) -> Capture.Frame {
        let (left, top) = (max(x, other.x), max(y, other.y))
        return Capture.Frame(
            x: left,
            y: top,
            width: max(0, min(x + width, other.x + other.width) - left),
            height: max(0, min(y + height, other.y + other.height) - top)
        )
    }
}
#endif
