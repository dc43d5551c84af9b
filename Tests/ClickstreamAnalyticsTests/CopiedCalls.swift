// swift-format-ignore-file
// Tests/Browser/copy_test.py writes this file.

import Clickstream
import Foundation

/// Calls that the inspector page copies for the events of Tests/Fixtures/CopiedEvents.ndjson.
enum CopiedCalls {
    /// Records an event again by its name. Returns false for a name without a call.
    static func record(_ name: String) -> Bool {
        switch name {
        case "bare": bare()
        case "a_name_that_has_as_many_characters_as_a_name_can_h": aNameThatHasAsManyCharactersAsANameCanH()
        case "numbers": numbers()
        case "long_numbers": longNumbers()
        case "booleans": booleans()
        case "texts": texts()
        case "program_texts": programTexts()
        case "control_texts": controlTexts()
        case "escaped_texts": escapedTexts()
        case "items": items()
        case "items_alone": itemsAlone()
        case "with_user_id": withUserId()
        case "with_spaced_user_id": withSpacedUserId()
        case "with_user": withUser()
        case "without_user_id": withoutUserId()
        case "_screen_view": screenView()
        default: return false
        }
        return true
    }

    static func bare() {
        ClickstreamAnalytics.recordEvent("bare")
    }

    static func aNameThatHasAsManyCharactersAsANameCanH() {
        ClickstreamAnalytics.recordEvent(
            "a_name_that_has_as_many_characters_as_a_name_can_h",
            [
                "channel": "store",
            ]
        )
    }

    static func numbers() {
        ClickstreamAnalytics.recordEvent(
            "numbers",
            [
                "one": 1,
                "zero": 0,
                "negative": -5,
                "largest": 9223372036854775807,
                "smallest": -9223372036854775808,
                "price": 699.0,
                "cents": 12.50,
                "negative_price": -0.25,
                "fraction": 0.30000000000000004,
                "whole": 1e21,
                "large": 1E5,
                "exponent": -2.5e+30,
                "small": 1.5e-7,
                "tenth": 0.0001,
                "limit": 18014398509481984.0,
                "past_limit": 36028797018963970.0,
                "past_integers": 9007199254740994.0,
                "narrowest": Double("5e-324"),
                "widest": 1.7976931348623157e308,
            ]
        )
    }

    static func longNumbers() {
        ClickstreamAnalytics.recordEvent(
            "long_numbers",
            [
                "short": 1,
                "long_integer": UInt64(18446744073709551615),
                "long_decimal": Decimal(string: "0.12345678901234567891"),
                "long_sum": Decimal(string: "-1234567890123456789012.5"),
            ]
        )
    }

    static func booleans() {
        ClickstreamAnalytics.recordEvent(
            "booleans",
            [
                "yes": true,
                "no": false,
            ]
        )
    }

    static func texts() {
        ClickstreamAnalytics.recordEvent(
            "texts",
            [
                "empty": "",
                "space": " ",
                "words": "Trail Runner",
                "umlaut": "Zürich",
                "kanji": "東京",
                "composed": "é",
                "decomposed": "é",
                "mark_first": "́a",
                "emoji": "👟🏃🏽",
                "family": "👩‍👩‍👧",
                "flag": "🏳️‍🌈🇩🇪",
                "single": "it's",
                "double": "say \"hi\"",
                "quotes": "'\"`'\"",
                "backslash": "C:\\temp\\n",
                "last_backslash": "end\\",
                "newline": "a\nb\n",
                "crlf": "a\r\nb",
                "tab": "a\tb",
                "command": "$(touch x)",
            ]
        )
    }

    static func programTexts() {
        ClickstreamAnalytics.recordEvent(
            "program_texts",
            [
                "backticks": "`touch x`",
                "variable": "$HOME ${PATH}",
                "chain": "; touch x #",
                "history": "!! !x",
                "glob": "* ? [a]",
                "ansi": "$'\\x41'",
                "interpolation": "\\(touch) \\u{41}",
                "raw": "#\" \"# \"\"\"",
                "percent": "%s%n%%",
                "dash": "-rf",
                "dashes": "--help",
                "yaml": "- a: b # c",
                "mapping": "{a: [b]}",
                "anchor": "&a *a !!int",
                "colon": ": ",
                "block": "|\n  a",
                "document": "---\n...",
                "truth": "true",
                "nothing": "null",
                "number": "699.0",
                "code": "0815",
            ]
        )
    }

    static func controlTexts() {
        ClickstreamAnalytics.recordEvent(
            "control_texts",
            [
                "json": "{\"a\":[1,\"b\"]}",
                "equals": "a=b:=c",
                "comma": "id=1,name=2",
                "nul": "a\0b",
                "escape": "\u{1b}[31mred",
                "delete": "a\u{7f}\u{7f}b",
                "next_line": "a\u{85}b",
                "separator": "a\u{2028}b\u{2029}c",
                "override": "a\u{202e}b",
                "bom": "\u{feff}a",
                "joiner": "a\u{200b}b",
                "last": "￿￾",
                "tags": "a\u{e0041}b",
                "above": "􏿿",
            ]
        )
    }

    static func escapedTexts() {
        ClickstreamAnalytics.recordEvent(
            "escaped_texts",
            [
                "emoji": "👟🏃🏽",
                "newline": "a\nb\n",
                "nul": "a\0b",
                "tags": "a\u{e0041}b",
                "single": "it's",
                "slash": "a/b",
            ]
        )
    }

    static func items() {
        ClickstreamAnalytics.recordEvent(
            "items",
            [
                "value": 99.80,
            ],
            [
                ["id": "1", "name": "it's \"one\" $(touch x)", "price": 9.50, "quantity": 2],
                ["id": 7, "category": "- shoes: \\(x)", "in_stock": true],
                ["id": "👟"],
            ]
        )
    }

    static func itemsAlone() {
        ClickstreamAnalytics.recordEvent(
            "items_alone",
            [:],
            [
                ["id": "1"],
            ]
        )
    }

    static func withUserId() {
        ClickstreamAnalytics.setUserId("-o'carl $(touch x) \"é\"")
        ClickstreamAnalytics.recordEvent(
            "with_user_id",
            [
                "step": 1,
            ]
        )
    }

    static func withSpacedUserId() {
        ClickstreamAnalytics.setUserId(" carl\n")
        ClickstreamAnalytics.recordEvent(
            "with_spaced_user_id",
            [
                "step": 2,
            ],
            [
                ["id": "1"],
            ]
        )
    }

    static func withUser() {
        ClickstreamAnalytics.setUserId("carl")
        ClickstreamAnalytics.addUserAttributes([
            "plan": "gold's $(touch x)",
            "_user_age": 30,
            "score": 1.5,
            "admin": true,
        ])
        ClickstreamAnalytics.recordEvent(
            "with_user",
            [
                "step": 3,
            ],
            [
                ["id": "1", "price": 1.0],
            ]
        )
    }

    static func withoutUserId() {
        ClickstreamAnalytics.addUserAttributes([
            "plan": "free",
        ])
        ClickstreamAnalytics.recordEvent(
            "without_user_id",
            [
                "step": 4,
            ]
        )
    }

    static func screenView() {
        ClickstreamAnalytics.recordEvent(
            "_screen_view",
            [
                "_screen_name": "Product $(touch x) \"1\"",
                "_screen_id": "ProductView",
                "_screen_unique_id": "3849158478",
                "tab": "it's",
            ]
        )
    }
}
