#if Collector
import CClickstreamResources
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan
import HTTPTypes

/// Inspector page at `/`: a document that contains its style, the table of codes and a script, which loads the modules
/// of the page from ``folder``. It requests only these and the endpoints under `/api/`.
///
/// The page displays untrusted data as text nodes. As a second line of defence, the content security policy allows only
/// the document's own script and style, named by their hashes, and what that script loads.
enum Inspector {
    /// Page of a collector, assembled at each call. The hashes are computed once per process.
    static func reply(to method: HTTPRequest.Method, _ configuration: CollectorConfiguration) -> Reply {
        guard method == .get || method == .head else {
            return .notAllowed([.get, .head], "The page requires GET")
        }
        let facts = Facts(configuration)
        let page = document(with: [("@policy", []), ("@style", style), ("@facts", facts.json), ("@loader", loader)])
        return Reply(.ok, headers: headers, body: page)
    }

    /// The document with contents in place of its marks, which are in their order in it.
    static func document(with parts: [(mark: String, content: [UInt8])]) -> [UInt8] {
        var rest = document[...]
        var page: [UInt8] = []
        page.reserveCapacity(document.count + parts.reduce(0) { $0 + $1.content.count })
        for part in parts {
            let mark = Array(part.mark.utf8)
            guard let range = rest.firstRange(of: mark) else { continue }
            page += rest[..<range.lowerBound]
            page += part.content
            rest = rest[range.upperBound...]
        }
        return page + rest
    }

    private static let document = [UInt8](clickstream_inspector_document())
    static let style = [UInt8](clickstream_inspector_style())
    private static let loader = [UInt8](clickstream_inspector_loader())

    // MARK: - Modules

    /// Contents of the modules by file name.
    static let modules = Dictionary(
        uniqueKeysWithValues: (0..<clickstream_inspector_modules()).map { index in
            (
                String(cString: clickstream_inspector_module_name(index)),
                [UInt8](clickstream_inspector_module(index))
            )
        }
    )

    /// File names of the modules. The document lists them, so that a browser requests all of them at once.
    fileprivate static let moduleNames = modules.keys.sorted()

    /// Path of the modules and of ``SavedPage``, below that of the page. It changes with their contents, so that a browser can keep
    /// them.
    fileprivate static let folder: String = {
        let contents = moduleNames.flatMap { Array($0.utf8) + (modules[$0] ?? []) } + document + style
        return "inspector/" + SHA256.hexadecimal(SHA256.digest(of: contents).prefix(8))
    }()

    /// File name of the module that draws events of a captured format, such as `Pulse.js`; `nil` for a format without one.
    static func moduleName(of form: CapturedFormat) -> String? {
        let name = form.rawValue.prefix(1).uppercased() + form.rawValue.dropFirst() + ".js"
        return form.list == .captured && modules[name] != nil ? name : nil
    }

    /// Content of a module, or ``SavedPage``, by its path without the first slash.
    static func module(_ path: String, to method: HTTPRequest.Method) -> Reply {
        guard path.hasPrefix(folder + "/") else { return .refused }
        let name = String(path.dropFirst(folder.count + 1))
        let isPage = name == SavedPage.name
        guard let content = isPage ? SavedPage.document : modules[name] else { return .refused }
        guard method == .get || method == .head else {
            return .notAllowed([.get, .head], "A module of the page requires GET")
        }
        return Reply(
            .ok,
            headers: [
                // The page reads the shell of a saved file. A browser does not open it as a page of the collector.
                .contentType: isPage ? "text/plain; charset=utf-8" : "text/javascript; charset=utf-8",
                .cacheControl: "max-age=31536000, immutable",
                .contentTypeOptions: "nosniff",
                .resourcePolicy: "same-origin",
            ],
            body: content
        )
    }

    // MARK: - Policy

    private static let headers: HTTPFields = [
        .contentType: "text/html; charset=utf-8",
        .cacheControl: "no-cache",
        .contentSecurityPolicy: """
        default-src 'none'; script-src \(source(loader)) 'strict-dynamic'; style-src \(source(style)); connect-src 'self'; \
        img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'; trusted-types 'none'
        """,
        .contentTypeOptions: "nosniff",
        .referrerPolicy: "no-referrer",
        .frameOptions: "DENY",
        .openerPolicy: "same-origin",
        .embedderPolicy: "require-corp",
        .resourcePolicy: "same-origin",
        .permissionsPolicy: "camera=(), geolocation=(), microphone=()",
    ]

    /// Source expression of an inline script or style.
    static func source(_ content: [UInt8]) -> String {
        "'sha256-\(String(decoding: Base64.encode(SHA256.digest(of: content)), as: UTF8.self))'"
    }
}

/// Facts embedded in the document: the version, the path for events, the app ids, the presence of a plan, the descriptions of
/// each format and code, and the modules of the page.
private struct Facts: Encodable {
    struct Code: Encodable {
        var title: String
        var meaning: String
        var fix: String
        var limit: String?
        var suggested: String?
        var effect: String?
        var example: String?
    }

    /// Description of a format.
    struct Format: Encodable {
        var name: String
        var title: String
        var path: String
        var list: String
        /// Members of an event with its identifier and its time.
        var id: String
        var time: String
        /// Module of the page that draws the events.
        var module: String?

        init(_ form: CapturedFormat) {
            name = form.rawValue
            title = form.title
            path = form.path
            list = form.list.rawValue
            id = form.id
            time = form.time.name
            module = Inspector.moduleName(of: form)
        }
    }

    var version = SDK.version
    var path: String
    var appIDs: [String]
    var hasPlan: Bool
    var formats = CapturedFormat.captured.map { Format($0) }
    var rules: [String: Code] = [:]
    var folder = Inspector.folder
    var modules = Inspector.moduleNames

    private enum CodingKeys: String, CodingKey {
        case version, path, formats, rules, hasPlan, folder, modules
        case appIDs = "appIds"
    }

    init(_ configuration: CollectorConfiguration) {
        path = configuration.path
        appIDs = configuration.appIDs.sorted()
        hasPlan = configuration.plan != nil
        for rule in Rules.all {
            func counted(_ number: Int?) -> String? {
                number.map { "\($0) \(rule.unit?.rawValue ?? "")" }
            }
            rules[rule.code.description] = Code(
                title: rule.title,
                meaning: rule.meaning,
                fix: rule.fix,
                limit: counted(rule.limit),
                suggested: counted(rule.suggestion),
                effect: rule.effect.rawValue.replacing("_", with: " the "),
                example: rule.example
            )
        }
        for rule in ServerRule.all {
            rules[rule.code] = Code(title: rule.title, meaning: rule.meaning, fix: rule.fix)
        }
        for code in PlanCode.allCases {
            rules[code.rawValue] = Code(title: code.title, meaning: code.meaning, fix: code.fix)
        }
        for form in CapturedFormat.captured {
            for rule in form.rules {
                rules[rule.code(form)] = Code(title: rule.title, meaning: rule.meaning, fix: rule.fix)
            }
        }
    }

    /// JSON without a character that could end the element that contains it.
    var json: [UInt8] {
        // Strings only, which always encode.
        guard let reply = try? Reply.json(.ok, self) else { return Array("{}".utf8) }
        return reply.body.flatMap { $0 == UInt8(ascii: "<") ? Array(#"\u003c"#.utf8) : [$0] }
    }
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    fileprivate static let frameOptions = HTTPField.Name("X-Frame-Options")!
    fileprivate static let openerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
    fileprivate static let embedderPolicy = HTTPField.Name("Cross-Origin-Embedder-Policy")!
    fileprivate static let permissionsPolicy = HTTPField.Name("Permissions-Policy")!
    fileprivate static let resourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
}
#endif
