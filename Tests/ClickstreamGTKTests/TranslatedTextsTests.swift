import CClickstreamGettext
import Testing

@testable import ClickstreamGTK

@Suite("Translated texts")
struct TranslatedTextsTests {
    @Test(
        "have the message id of their translation, without mnemonics and context",
        arguments: [
            ("Delete product", "Produkt entfernen", "Produkt entfernen", "Delete product"),
            ("_Print receipt", "_Beleg drucken", "Beleg drucken", "Print receipt"),
            ("toolbar\u{4}Refresh list", "Liste erneuern", "Liste erneuern", "Refresh list"),
            ("cart.empty", "Der Warenkorb ist leer – größer?", "Der Warenkorb ist leer – größer?", "cart.empty"),
        ]
    )
    func keys(id: String, translation: String, text: String, key: String) {
        clickstream_gettext_add(id, translation)
        #expect(TranslatedTexts.key(of: text) == key)
    }

    @Test("have none if they were not translated", arguments: ["", "never translated", "Produkt"])
    func none(text: String) {
        clickstream_gettext_add("Remove product", "Produkt löschen")
        #expect(TranslatedTexts.key(of: text) == nil)
    }

    @Test("have the latest id of several")
    func latest() {
        clickstream_gettext_add("Close window", "Schließen")
        clickstream_gettext_add("Close file", "Schließen")
        #expect(TranslatedTexts.key(of: "Schließen") == "Close file")
    }

    @Test("of the greatest length have a whole key")
    func longest() {
        let id = String(repeating: "i", count: Int(CLICKSTREAM_GETTEXT_LONGEST))
        let text = String(repeating: "t", count: Int(CLICKSTREAM_GETTEXT_LONGEST))
        clickstream_gettext_add(id, text)
        #expect(TranslatedTexts.key(of: text) == id)
        clickstream_gettext_add(id + "i", text + "t")
        #expect(TranslatedTexts.key(of: text + "t") == nil)
    }
}
