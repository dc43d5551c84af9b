"""Base of the browser tests: a collector, and a headless Chromium that opens its page."""

import base64
import hashlib
import json
import os
import re
import tempfile
import time
import unittest

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect, sync_playwright

from collector import ROOT, Collector

HERE = os.path.dirname(os.path.abspath(__file__))
APPEARANCE = open(os.path.join(HERE, "appearance.js")).read()
SCREENSHOTS = os.environ.get("SCREENSHOTS")
# Folder of the page, in place of the files that the command line was built with: a change of one needs no build.
MODULES = os.environ.get("INSPECTOR_MODULES")

# Milliseconds after which a condition fails: far more than an idle machine takes, since compilers may run on the same processors.
TIMEOUT = 60_000
expect.set_options(timeout=TIMEOUT)

# Findings of axe-core: violations, and what it leaves to a review. Accepted by review are contrasts, which appearance.js measures; lists without
# a row; and marks of time and place, which are as narrow as the times and places are close: arrow keys or a list lead to the same.
# axe-core does not find the heading before one that was replaced during its run: it is run again on a page that has changed meanwhile.
AXE = r"""
async (rules) => {
  const accepted = { "color-contrast": "*", "aria-required-children": ".list", "target-size": ".bin, .event-mark, .touch-mark" };
  const run = () => axe.run(document, { runOnly: rules, resultTypes: ["violations", "incomplete"], preload: false, elementRef: true });
  let hasChanged = true, results;
  const changes = new MutationObserver(() => { hasChanged = true; });
  changes.observe(document.body, { childList: true, subtree: true });
  for (let runs = 0; runs < 4 && hasChanged; runs++) {
    hasChanged = false;
    results = await run();
  }
  changes.disconnect();
  const { violations, incomplete } = results;
  const reviews = incomplete.map(({ id, nodes }) => ({ id, nodes: nodes.filter(({ element }) => !element.matches(accepted[id] ?? ":not(*)")) }));
  return [...violations, ...reviews].flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary.replace(/\s+/g, " ")}`));
}
"""
AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# Records violations of the page's content security policy.
WATCH = """
window.reports = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.reports.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""


class BrowserTest(unittest.TestCase):
    """A collector of its own and pages in a headless Chromium for each test."""

    # Tracking plan of the collector, in YAML.
    plan = None

    @classmethod
    def setUpClass(cls):
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(
            executable_path=os.environ["CHROMIUM"], args=["--no-sandbox", "--disable-gpu"]
        )

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()

    def setUp(self):
        options = ()
        if self.plan:
            file = tempfile.NamedTemporaryFile("w", prefix="clickstream-plan-", suffix=".yaml")
            self.addCleanup(file.close)
            file.write(self.plan)
            file.flush()
            options = ("--plan", file.name)
        self.collector = Collector(*options).__enter__()
        self.addCleanup(self.collector.__exit__)
        self.errors = []
        self.dialogs = []

    def open(self, address="", width=1440, height=900, url=None, windows=None, **options):
        """
        A live page of the collector, or at another URL. Script errors, browser dialogs and policy violations fail the test at its end.

        `windows` has numbers of events by list, in place of those that the page keeps.
        """
        context = self.browser.new_context(viewport={"width": width, "height": height}, **options)
        self.addCleanup(context.close)
        context.add_init_script(WATCH)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        page.requested = []
        page.on("request", lambda request: page.requested.append(request.url))
        if MODULES:
            # Of the context: a page that removes its own routes keeps these.
            context.route(re.compile(r"/inspector/[0-9a-f]+/\w+\.js$"), self.serve_module)
            context.route(re.compile(r"/inspector/[0-9a-f]+/saved\.html$"), lambda route: route.fulfill(body=self.shell(), content_type="text/plain"))
            context.route(re.compile(r"^(?!.*/(api|inspector)/)http"), self.serve_document)
        if windows:
            page.route(re.compile(r"/Retention\.js$"), lambda route: self.limit(route, windows))
        page.goto(url or self.collector.url + address)
        expect(page.locator("#connection")).to_have_text("live")
        self.addCleanup(self.check, page)
        return page

    def limit(self, route, windows):
        """Serves the module of the windows with other limits."""
        text = self.module(route.request.url) if MODULES else route.fetch().text()
        for name, count in windows.items():
            text, found = re.subn(rf"({name}: new Retention\(\{{ events: )\d+", rf"\g<1>{count}", text)
            self.assertEqual(found, 1, name)
        route.fulfill(body=text, content_type="text/javascript")

    def module(self, url):
        return self.file(url.rsplit("/", 1)[1])

    def file(self, name):
        with open(os.path.join(MODULES or os.path.join(ROOT, "Inspector"), name)) as file:
            return file.read()

    def serve_module(self, route):
        route.fulfill(body=self.module(route.request.url), content_type="text/javascript")

    def serve_document(self, route):
        """Serves the document from the folder, with the collector's facts and policy; see Inspector.swift."""
        if route.request.resource_type != "document":
            return route.fallback()
        response = route.fetch()
        served, headers = response.text(), response.headers
        facts = json.loads(re.search(r'id="facts">(.*?)</script>', served, re.S)[1])
        facts["modules"] = sorted(name for name in os.listdir(MODULES) if name.endswith(".js") and name != "Loader.js")
        parts = {"@policy": "", "@style": self.file("inspector.css"), "@facts": json.dumps(facts).replace("<", r"\u003c"), "@loader": self.file("Loader.js")}
        policy = headers["content-security-policy"]
        for directive, part in [("style-src", "@style"), ("script-src", "@loader")]:
            policy = re.sub(f"{directive} '[^']*'", f"{directive} {self.source(parts[part])}", policy)
        body = re.sub("@policy|@style|@facts|@loader", lambda mark: parts[mark[0]], self.file("index.html"))
        route.fulfill(response=response, headers=headers | {"content-security-policy": policy}, body=body)

    @staticmethod
    def source(content):
        """Source expression of an inline script or style."""
        return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"

    def shell(self):
        """The shell of a saved file, of the folder; see SavedPage.swift."""
        script = "const savedModules = {};\nconst importSaved = async (path) => savedModules[path.slice(2)];\n"
        made = set()

        def make(name):
            nonlocal script
            if name in made:
                return
            made.add(name)
            text = self.file(name)
            for other in re.findall(r'^import \{ .* \} from "\./(\w+\.js)";$', text, re.M):
                make(other)
            exports = re.findall(r"^export (?:async )?(?:const|class|function\*?) ([\w$]+)", text, re.M)
            text = re.sub(r'^import (\{ .* \}) from "\./(\w+\.js)";$', r'const \1 = savedModules["\2"];', text, flags=re.M)
            text = re.sub("^export ", "", text, flags=re.M).replace("import(", "importSaved(")
            script += f'savedModules["{name}"] = (() => {{\n{text}\nreturn {{ {", ".join(exports)} }};\n}})();\n'

        names = sorted(name for name in os.listdir(MODULES or os.path.join(ROOT, "Inspector")) if name.endswith(".js") and name != "Loader.js")
        for name in [*(name for name in names if name != "Inspector.js"), "Inspector.js"]:
            make(name)
        style = self.file("inspector.css")
        policy = f"default-src 'none'; script-src {self.source(script)}; style-src {self.source(style)}; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        policy = f'\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n<meta name="referrer" content="no-referrer">'
        parts = {"@policy": policy, "@style": style, "@loader": script}
        return re.sub("@policy|@style|@loader", lambda mark: parts[mark[0]], self.file("index.html"))

    def hold(self, page, path):
        """Requests to the paths of the API that match the expression get no reply before `release`."""
        page.held = []
        page.route(re.compile(rf"/api/{path}(\?|$)"), lambda route: page.held.append(route))

    def wait_for_held(self, page, count=1):
        self.wait(page, lambda: len(page.held) >= count, lambda: f"{len(page.held)} requests of {count} were held")

    def release(self, page):
        """Waits for a held request, and lets all of them through."""
        self.wait_for_held(page)
        for route in page.held:
            route.continue_()
        page.unroute_all()

    def check(self, page):
        self.assertEqual(self.errors, [])
        self.assertEqual(self.dialogs, [])
        self.assertEqual(page.evaluate("window.reports"), [])

    def tally(self, page, text):
        expect(page.locator("#tally")).to_have_text(text)

    def until(self, page, expression):
        """Waits for an expression to be true. The page's policy forbids polling within the page."""
        self.wait(page, lambda: page.evaluate(expression), lambda: expression)

    def wait(self, page, condition, message):
        """Tests a condition every 20 ms. The page's events are taken meanwhile."""
        end = time.monotonic() + TIMEOUT / 1000
        while not condition():
            self.assertLess(time.monotonic(), end, message())
            page.wait_for_timeout(20)

    def call(self, page, module, function, argument=None):
        """What a JavaScript function returns for the exports of a module of the page, and an argument."""
        return page.evaluate("""async (argument) => {
            const { folder } = JSON.parse(document.getElementById("facts").textContent);
            return (FUNCTION)(await import(new URL(`${folder}/MODULE.js`, document.baseURI).href), argument);
        }""".replace("FUNCTION", function).replace("MODULE", module), argument)

    def stop_clock(self, page):
        """Lets time pass on the page only by `run_for` of its clock, until that resumes."""
        page.clock.install()
        page.clock.pause_at(int(time.time() * 1000) + 10_000)

    def drawn(self, page):
        """
        Waits until the page shows all that it has: no drawing is scheduled for two frames. An answer or an event that it is still reading
        is a condition of its own.
        """
        self.assertTrue(self.call(page, "Page", """async ({ isDrawn }, timeout) => {
            const end = performance.now() + timeout;
            for (let frames = 0; frames < 2 && performance.now() < end; frames = isDrawn() ? frames + 1 : 0) await new Promise(requestAnimationFrame);
            return isDrawn();
        }""", TIMEOUT))

    def processor_time(self, page):
        """Function that returns the milliseconds of the processor that the page has used: other processes do not add to these."""
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})

        def used():
            metrics = session.send("Performance.getMetrics")["metrics"]
            return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration") * 1000

        return used

    def frames(self, page, scroll, count=60):
        """
        Scrolls at each of a number of frames. Returns the milliseconds from one to the next, in increasing order, and those of the
        processor that the page took for each on average.

        `scroll`: body of a function of the frame's `index` and their `count`.
        """
        used = self.processor_time(page)
        before = used()
        times = page.evaluate("""async (count) => {
            const times = [];
            let last = await new Promise(requestAnimationFrame);
            for (let index = 0; index < count; index++) {
                SCROLL
                const now = await new Promise(requestAnimationFrame);
                times.push(now - last);
                last = now;
            }
            return times.sort((a, b) => a - b);
        }""".replace("SCROLL", scroll), count)
        return times, (used() - before) / count

    def picture(self, page, name):
        if SCREENSHOTS:
            page.evaluate("document.getElementById('notice').classList.remove('shown')")
            page.screenshot(path=os.path.join(SCREENSHOTS, f"{name}.png"), animations="disabled")

    def appearance(self, page):
        return page.evaluate(APPEARANCE)

    def axe(self, page, rules=AXE_RULES):
        """Findings of axe-core's rules, named by their tags or ids."""
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE_SCRIPT)
        return page.evaluate(AXE, rules)

    def saved(self, download):
        with open(download.value.path(), newline="") as file:
            return file.read()
