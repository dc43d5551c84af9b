import ClickstreamCore
import Testing

@Suite("Environment")
struct EnvironmentTests {
    @Test(
        "values have no white space at their ends, and a value of white space is none",
        arguments: [
            (nil, nil), ("", nil), (" \r\n", nil), ("a", "a"), ("a\n", "a"), ("\t a b\u{A0}", "a b"), ("a\nb", "a\nb"),
        ] as [(String?, String?)]
    )
    func setting(text: String?, value: String?) {
        var environment = ["OTHER": "x"]
        environment["NAME"] = text
        #expect(environment.setting("NAME") == value)
    }

    @Test(
        "have a temporary folder",
        arguments: [
            (nil, "/tmp"), ("", "/tmp"), ("\n", "/tmp"), ("/", "/"), ("/var/tmp", "/var/tmp"),
            ("/var/tmp/\n", "/var/tmp"),
        ] as [(String?, String)]
    )
    func temporaryFolder(text: String?, folder: String) {
        var environment: [String: String] = [:]
        environment["TMPDIR"] = text
        #expect(environment.temporaryFolder == folder)
    }
}
