import ClickstreamCapture
import Testing

@testable import ClickstreamPreload

extension PreloadConfigurationTests {
    @Test("has the keys of the Contentsquare format in the environment and in the file")
    func contentsquare() throws {
        let file = try read(
            section: #"{"contentsquare": {"endpoint": "http://127.0.0.1:8/c", "projectId": 8, "batchSize": 20}}"#
        )
        let environment = try read([
            "CLICKSTREAM_CONTENTSQUARE_ENDPOINT": "http://127.0.0.1:8/c\n",
            "CLICKSTREAM_CONTENTSQUARE_PROJECT_ID": "8\n", "CLICKSTREAM_CONTENTSQUARE_BATCH_SIZE": " 20",
        ])
        #expect(file.capture == environment.capture)
        #expect(file.capture.contentsquare?.endpoint == "http://127.0.0.1:8/c")
        #expect(file.capture.contentsquare?.projectID == 8)
        #expect(file.capture.contentsquare?.batchSize == 20)
    }

    @Test("names an invalid key of the Contentsquare format")
    func contentsquareFile() {
        check(
            #"{"contentsquare": {"batchSize": 0}}"#,
            "'contentsquare.batchSize' must be a positive number, not '0'"
        )
    }

    @Test("names each invalid variable, and the project that the Contentsquare format needs")
    func contentsquareEnvironment() {
        #expect(
            problems([
                "CLICKSTREAM_APP_ID": "shop", "CLICKSTREAM_PULSE_ENDPOINT": "ftp://x",
                "CLICKSTREAM_CONTENTSQUARE_ENDPOINT": "http://127.0.0.1:8/c",
                "CLICKSTREAM_CONTENTSQUARE_BATCH_SIZE": "many",
            ]) == [
                "environment: CLICKSTREAM_PULSE_ENDPOINT must be an http or https URL, not 'ftp://x'; correct it or unset"
                    + " the variable",
                "environment: CLICKSTREAM_CONTENTSQUARE_BATCH_SIZE must be a positive number, not 'many'; correct it or"
                    + " unset the variable",
                "'contentsquare.projectId' is missing: set it in amplifyconfiguration.json or in"
                    + " CLICKSTREAM_CONTENTSQUARE_PROJECT_ID",
            ]
        )
    }
}
