#if GTK
@testable import ClickstreamGTK
import CGtk4
import ClickstreamCapture
import Testing

@Suite("Input of the user")
struct UserInputTests {
    private let button = InstanceID(1)
    private let other = InstanceID(2)
    private let window = InstanceID(3)
    private var chain: [InstanceID] { [InstanceID(0), button, window] }

    @Test(
        "belongs to a change inside of the pressed widget for a second",
        arguments: [(0, true), (999, true), (1_000, false)]
    )
    func time(after: Int64, isUser: Bool) {
        var input = UserInput()
        input.press(chain, at: 0)
        input.release(chain, at: 100)
        #expect(input.claim(button, window: window, at: 100 + after) == isUser)
    }

    @Test("belongs to no change of another widget, and to none without input")
    func elsewhere() {
        var input = UserInput()
        #expect(input.claim(button, window: window, at: 0) == false)
        input.press(chain, at: 0)
        #expect(input.claim(other, window: window, at: 1) == false)
        #expect(input.claim(button, window: window, at: 2) == true)
    }

    @Test("is one click, however many signals it causes")
    func once() {
        var input = UserInput()
        input.press(chain, at: 0)
        #expect(input.claim(button, window: window, at: 1) == true)
        #expect(input.claim(button, window: window, at: 2) == false)
        #expect(input.claim(window, window: window, at: 2) == false)
        input.press(chain, at: 3)
        #expect(input.claim(button, window: window, at: 4) == true)
    }

    @Test("lasts as long as the press")
    func pressed() {
        var input = UserInput()
        input.press(chain, at: 0)
        #expect(input.isInside(button, at: 60_000))
        input.release([], at: 60_000)
        #expect(input.isInside(button, at: 60_001))
        #expect(!input.isInside(button, at: 61_000))
    }

    @Test(
        "by keys activates other widgets of the window only with a key for it",
        arguments: [
            (UserInput.Source.activatingKey, 499, true), (.activatingKey, 500, false), (.shortcutKey, 100, true),
            (.otherKey, 100, false),
        ]
    )
    func keys(source: UserInput.Source, after: Int64, isUser: Bool) {
        var input = UserInput()
        input.key([InstanceID(7), window], source, at: 0)
        var elsewhere = input
        #expect(input.claim(other, window: window, at: after) == isUser)
        #expect(elsewhere.claim(other, window: InstanceID(9), at: after) == false)
    }

    @Test("is a shortcut with modifiers and function keys")
    func shortcuts() {
        let plain = GdkModifierType(rawValue: 0)
        #expect(UserInput.Source(key: GDK_KEY_p, modifiers: GDK_CONTROL_MASK) == .shortcutKey)
        #expect(UserInput.Source(key: GDK_KEY_p, modifiers: plain) == .otherKey)
        #expect(UserInput.Source(key: GDK_KEY_F5, modifiers: plain) == .shortcutKey)
        #expect(UserInput.Source(key: GDK_KEY_Return, modifiers: plain) == .activatingKey)
        var input = UserInput()
        input.key(chain, .activatingKey, at: 0)
        #expect(input.claimShortcut(at: 1) == false)
        input.key(chain, .shortcutKey, at: 0)
        #expect(input.claimShortcut(at: 1) == true)
        #expect(input.claimShortcut(at: 2) == false)
    }

    @Test(
        "enters text or moves the focus",
        arguments: [
            (GDK_KEY_a, WidgetClass.Kind.text, UserInput.Source.editingKey), (GDK_KEY_space, .text, .editingKey),
            (GDK_KEY_BackSpace, .text, .editingKey), (GDK_KEY_Return, .text, .activatingKey),
            (GDK_KEY_Up, .text, .otherKey), (GDK_KEY_Escape, .text, .shortcutKey), (GDK_KEY_a, .textView, .editingKey),
            (GDK_KEY_Return, .textView, .editingKey), (GDK_KEY_Page_Down, .textView, .otherKey),
            (GDK_KEY_Tab, .button, .editingKey), (GDK_KEY_space, .button, .activatingKey),
            (GDK_KEY_Down, .range, .otherKey),
        ]
    )
    func editing(key: Int32, focus: WidgetClass.Kind, source: UserInput.Source) {
        #expect(UserInput.Source(key: key, modifiers: GdkModifierType(rawValue: 0), focus: focus) == source)
    }

    @Test("by keys that enter text belongs to no change, and leaves that of a press")
    func typed() {
        var input = UserInput()
        input.key(chain, .otherKey, at: 0)
        input.key(chain, .editingKey, at: 1)
        #expect(input.isSpent && !input.isInside(button, at: 2))
        #expect(input.claim(button, window: window, at: 2) == false)
        #expect(input.claimInside(button, at: 2) == false)
        #expect(input.unspentChain == [])
        input.press(chain, at: 3)
        input.key([other, window], .editingKey, at: 4)
        input.release(chain, at: 5)
        #expect(input.claim(button, window: window, at: 6) == true)
    }

    @Test("by a wheel does not end a press")
    func wheel() {
        var input = UserInput()
        input.press(chain, at: 0)
        input.wheel([other], at: 1)
        #expect(input.isPressed && input.isInside(button, at: 1))
        input.release(chain, at: 2)
        input.wheel([other], at: 3)
        #expect(input.isInside(other, at: 4))
    }
}

@Suite("Visibility of the app")
struct AppVisibilityTests {
    @Test("changes 50 ms after no window is active")
    func debounce() {
        var visibility = AppVisibility()
        #expect(visibility.update(hasActiveWindow: false, at: 0) == nil)
        #expect(visibility.update(hasActiveWindow: true, at: 1) == .show)
        #expect(visibility.update(hasActiveWindow: false, at: 10) == .wait(50))
        #expect(visibility.expire(at: 59) == .wait(1))
        #expect(visibility.expire(at: 60) == .hide)
        #expect(visibility.update(hasActiveWindow: true, at: 100) == .show)
    }

    @Test("remains while activity moves from one window to another")
    func windows() {
        var visibility = AppVisibility()
        _ = visibility.update(hasActiveWindow: true, at: 0)
        _ = visibility.update(hasActiveWindow: false, at: 10)
        #expect(visibility.update(hasActiveWindow: true, at: 40) == nil)
        #expect(visibility.expire(at: 60) == nil)
    }
}
#endif
