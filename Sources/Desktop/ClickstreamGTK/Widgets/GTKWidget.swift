#if GTK
import CGtk4
public import ClickstreamCapture

/// Capture settings of one widget, recognizer or other object of GTK, which also identifies it to a data source.
///
/// The settings are stored in the object itself, and are released with it; instances of this class for the same object
/// share them, and have the same ``pointer``. Main thread only. The object must exist during each call.
///
/// ```swift
/// let buy = GTKWidget(button)  // UnsafeMutablePointer<GtkWidget>
/// buy.autoEventDataSource = self
/// GTKWidget(contacts).masking = .subtree
/// ```
@MainActor
public final class GTKWidget: AutoTrackableElement {
    /// The address of the object.
    public let pointer: UnsafeMutableRawPointer

    /// Settings of a widget or another object. A typed pointer to a widget is converted implicitly.
    public init(_ pointer: UnsafeMutableRawPointer) {
        self.pointer = pointer
    }

    /// Settings of an object whose type is imported as an opaque pointer.
    public init(_ pointer: OpaquePointer) {
        self.pointer = UnsafeMutableRawPointer(pointer)
    }

    /// The name of the object's type, such as `GtkButton`.
    package var typeName: String { WidgetClasses[clickstream_type(pointer)].name }

    /// Source of additional data about this object, and of the decision whether it generates auto events. Not retained.
    public var autoEventDataSource: (any AutoTrackableEventDataSource)? {
        get { ObjectSettings.of(pointer)?.source }
        set { ObjectSettings.make(for: pointer).source = newValue }
    }

    /// Decision whether this object generates auto events; that of its type if it is `nil`. A data source can opt out,
    /// whatever this value is.
    public var optBehavior: OptBehavior? {
        get { ObjectSettings.of(pointer)?.optBehavior }
        set { ObjectSettings.make(for: pointer).optBehavior = newValue }
    }

    /// Replacement of captured values by `*`. Masks the title and all elements of a page as `subtree`.
    public var masking: Capture.Masking {
        get { ObjectSettings.of(pointer)?.masking ?? .none }
        set { ObjectSettings.make(for: pointer).masking = newValue }
    }

    /// True if neither text nor its length may be captured. Password entries, and entries that hide their text, are
    /// secure without this setting.
    public var isSecure: Bool {
        get { ObjectSettings.of(pointer)?.isSecure ?? false }
        set { ObjectSettings.make(for: pointer).isSecure = newValue }
    }

    /// Source of the data of the items in a list or grid. Not retained.
    public var itemsViewDataSource: (any ItemsViewDataSource)? {
        get { ObjectSettings.of(pointer)?.items }
        set { ObjectSettings.make(for: pointer).items = newValue }
    }

    /// Tag of the widget in target paths; `nil` or 0 for none. Stored as the object's data `clickstream-tag`, which an
    /// application in another language sets with `g_object_set_data` and `GINT_TO_POINTER`.
    public var tag: Int? {
        get { Widget(pointer).tag }
        set {
            g_object_set_data(pointer.assumingMemoryBound(to: GObject.self), "clickstream-tag", .init(tag: newValue))
        }
    }

    /// Sets the decision whether objects of a type generate auto events. Subtypes without a decision inherit it; `nil`
    /// removes it.
    public static func setOptBehavior(_ behavior: OptBehavior?, ofType name: String) {
        TypeSettings.optBehavior[name] = behavior
    }
}

/// Settings of one object, owned by it.
@MainActor
final class ObjectSettings {
    weak var source: (any AutoTrackableEventDataSource)?
    weak var items: (any ItemsViewDataSource)?
    var optBehavior: OptBehavior?
    var masking = Capture.Masking.none
    var isSecure = false

    private static let quark = g_quark_from_static_string("clickstream-settings")

    static func of(_ object: UnsafeMutableRawPointer) -> ObjectSettings? {
        g_object_get_qdata(object.assumingMemoryBound(to: GObject.self), quark)
            .map { Unmanaged<ObjectSettings>.fromOpaque($0).takeUnretainedValue() }
    }

    static func make(for object: UnsafeMutableRawPointer) -> ObjectSettings {
        if let settings = of(object) { return settings }
        let settings = ObjectSettings()
        g_object_set_qdata_full(
            object.assumingMemoryBound(to: GObject.self),
            quark,
            Unmanaged.passRetained(settings).toOpaque(),
            { data in data.map { Unmanaged<ObjectSettings>.fromOpaque($0).release() } }
        )
        return settings
    }
}

/// Settings of types, by name.
@MainActor
enum TypeSettings {
    static var optBehavior: [String: OptBehavior] = [:]

    /// The decision of a type or of its nearest ancestor with one.
    static func optBehavior(of type: GType) -> OptBehavior? {
        guard !optBehavior.isEmpty else { return nil }
        return sequence(first: type) { g_type_parent($0) }.prefix { $0 != 0 }.lazy
            .compactMap { optBehavior[WidgetClasses[$0].name] }.first
    }
}

@MainActor
extension Widget {
    var settings: ObjectSettings? { ObjectSettings.of(object) }

    /// The tag that the application set.
    var tag: Int? {
        let data = g_object_get_data(object.assumingMemoryBound(to: GObject.self), "clickstream-tag")
        return data.map { Int(bitPattern: $0) }
    }
}

extension UnsafeMutableRawPointer? {
    fileprivate init(tag: Int?) {
        self = tag.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
    }
}
#endif
