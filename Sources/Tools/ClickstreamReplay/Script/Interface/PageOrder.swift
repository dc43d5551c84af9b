import ClickstreamCore
import ClickstreamDocuments

/// Checks that steps refer to views of the page that is current when they run, in one pass over the script.
///
/// A list of steps is summarized once: the references before its first change of the page, and the page after it. A
/// repetition then costs two checks of these references, for any count.
struct PageOrder {
    /// Current page at some point of the script.
    private enum Current: Hashable {
        /// No page was shown since the launch.
        case none
        case page(String)
        /// Outside of a process, or after a problem that was reported.
        case unclear
    }

    /// Reference of a step to a view of the current page.
    private struct Reference {
        var step: Step
        var view: String
    }

    private let pages: [String: ScriptedPage]
    private let positions: [SourcePosition: SourcePosition]
    /// The page after the steps; `nil`: the one before them.
    private var end: Current?
    /// References before the first change of the page.
    private var pending: [Reference] = []
    private var problems: [DocumentProblem] = []

    /// Problems of a whole script.
    /// - Parameter positions: positions of the references, by the position of their step.
    static func problems(
        of steps: [Step],
        pages: [String: ScriptedPage],
        positions: [SourcePosition: SourcePosition]
    ) -> [DocumentProblem] {
        PageOrder(steps, pages: pages, positions: positions).problems
    }

    private init(_ steps: [Step], pages: [String: ScriptedPage], positions: [SourcePosition: SourcePosition]) {
        self.pages = pages
        self.positions = positions
        for step in steps {
            switch step.action {
            case .repeat(let times, let body):
                append(PageOrder(body, pages: pages, positions: positions), times: times)
            case .launch:
                end = Current.none
            case .terminate, .kill, .crash:
                end = .unclear
            case .input(.show(let page)):
                end = pages[page] == nil ? .unclear : .page(page)
            case .input(let input):
                if let view = input.view { append(Reference(step: step, view: view)) }
            default:
                break
            }
        }
    }

    private mutating func append(_ reference: Reference) {
        guard let end else {
            pending.append(reference)
            return
        }
        check(reference, on: end, isRepeated: false)
    }

    private mutating func append(_ body: PageOrder, times: Int) {
        guard times > 0 else { return }
        for problem in body.problems { add(problem) }
        for reference in body.pending { append(reference) }
        guard let page = body.end else { return }
        if times > 1, page != end {
            for reference in body.pending { check(reference, on: page, isRepeated: true) }
        }
        end = page
    }

    private mutating func check(_ reference: Reference, on current: Current, isRepeated: Bool) {
        guard let (message, suggestion) = problem(reference, on: current) else { return }
        let position = positions[reference.step.position] ?? reference.step.position
        add(DocumentProblem(at: position, message + (isRepeated ? " when repeated" : ""), suggestion: suggestion))
    }

    private func problem(_ reference: Reference, on current: Current) -> (message: String, suggestion: String?)? {
        switch current {
        case .unclear:
            return nil
        case .none:
            return ("'\(reference.step.word)' before any 'show' of this process", "show the page of the view first")
        case .page(let name):
            guard let page = pages[name] else { return nil }
            let view = reference.view
            switch page.indexPaths(of: view).count {
            case 1:
                return nil
            case 0:
                let question = Suggestion.question(about: view, among: page.references)
                return ("the page '\(name)' has no view '\(view)'", question ?? Self.hint(page.references))
            case let count:
                return ("the page '\(name)' has \(count) views '\(view)'", "give each of them a name of its own")
            }
        }
    }

    private static func hint(_ references: [String]) -> String {
        switch references.count {
        case 0: "no view of it has a name"
        case ...12: "views with a name: \(references.joined(separator: ", "))"
        default: "it has \(references.count) views with other names"
        }
    }

    private mutating func add(_ problem: DocumentProblem) {
        if problems.count < DocumentError.limit { problems.append(problem) }
    }
}
