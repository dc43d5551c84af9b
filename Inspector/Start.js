// Instructions while the store is empty: how to point an app at the collector.

import { capturedFormats } from "./CapturedFormat.js";
import { urlOf } from "./Collector.js";
import { button, copy, make } from "./Element.js";
import { facts } from "./Facts.js";
import { shellWord } from "./Quoting.js";

/** @param blocks texts to copy, as [title, text] */
const instructions = (title, about, blocks, hint) => [
  make("h2", title),
  make("p", about),
  blocks.filter(Boolean).map(([title, text]) => make("section", make("h3", title), make("pre", { tabindex: 0 }, text), button("Copy", () => copy(text, title), { "aria-label": `Copy: ${title}` }))),
  make("p.muted", hint),
];

export function startElement() {
  const endpoint = urlOf(facts.path);
  const appId = facts.appIds[0] ?? "my_app";
  return instructions("Waiting for the first event", ["Apps send to ", make("code.mono", { id: "endpoint" }, endpoint), ". Each event appears as soon as it is stored, validated by the rules of the SDK and of the server."], [
    ["In Swift", `try ClickstreamAnalytics.initSDK(\n    ClickstreamConfiguration()\n        .withAppId("${appId}")\n        .withEndpoint("${endpoint}")\n)\nClickstreamAnalytics.recordEvent("hello")\nawait ClickstreamAnalytics.flush()`],
    ["Without a change of the code", `CLICKSTREAM_ENDPOINT=${endpoint} ./my-app`],
    ["Sample data: a day of a shopping app", `clickstream-cli replay Docs/Examples/shopping.yaml --endpoint ${endpoint}`],
  ], "A phone or another machine can reach the collector only if it was started with --host and an address of this machine.");
}

/** Instructions while the store has no audit event. */
export function auditStartElement() {
  const endpoint = urlOf("/audit");
  const data = JSON.stringify({ Person: { modifications: [{ oldValue: { id: 2, name: "Anthony" }, newValue: { name: "Tony" } }] } });
  const event = [{ _id: "62b38b3c10846041166f5deb", event: "write", activity: "update person", timestamp: new Date().toISOString(), data, username: "carl" }];
  return instructions("Waiting for the first audit event", ["Audit events show who changed and read which rows of a database. They are accepted at ", make("code.mono", endpoint), "."], [
    ["In Swift", `let events = try Audit.Events(EventConfiguration(metadata: ["username": "carl"]), in: client)\nvar configuration = GRDB.Configuration()\nevents.observe(&configuration)\nlet database = try DatabasePool(path: path, configuration: configuration)\n\nlet scope = events.beginScope(activity: "update person")\ntry await database.write { try $0.execute(sql: "UPDATE person SET name = 'Tony' WHERE id = 2") }\ntry await scope.commit()`],
    ["A single event, to try it", `curl '${endpoint}?partition=audit-1' -H 'content-type: application/json' -d ${shellWord(JSON.stringify(event))}`],
  ], "clickstream-cli audit records the statements of a script. See Docs/audit.md.");
}

/** Instructions while the store has no captured event. */
export function captureStartElement() {
  const formats = [...capturedFormats.values()];
  const tried = formats.find(({ example }) => example);
  return instructions("Waiting for the first captured event", ["Captured sessions show the pages of an app with what was touched on them. ", ...formats.flatMap(({ title, unit, path }, index) => [index ? `, ${title} ${unit} at ` : `${title} ${unit} are accepted at `, make("code.mono", urlOf(path))]), "."], [
    ["In Swift", `let capture = Capture(client: client, configuration: CaptureConfiguration(\n    autoEvents: [.viewController, .buttonClick, .scroll, .gesture, .touch]${formats.filter(({ setting }) => setting).map(({ setting, path }) => `,\n    ${setting(urlOf(path))}`).join("")}\n))`],
    tried && ["A single event, to try it", `curl ${urlOf(tried.path)} -H 'content-type: application/json' -d ${shellWord(tried.example())}`],
  ], "Each format has its own endpoint and queue. See Docs/capture.md.");
}

/** Instructions while the collector has no tracking plan. */
export function planStartElement() {
  return instructions("No tracking plan", "A tracking plan lists the events of an app with their attributes. With one, this view shows which planned events were received, which never, and what deviates.", [
    ["Start the collector with a plan", `clickstream-cli collect --port ${location.port || 80} --plan plan.yaml`],
    ["A first plan, from events that the app recorded", "clickstream-cli plan infer events.ndjson > plan.yaml"],
    ["A plan by hand", "clickstream-plan: 1\nevents:\n  add_to_cart:\n    description: A product was put into the cart.\n    attributes:\n      price: { type: number, required: true, minimum: 0 }\n      currency: { type: string, enum: [EUR, USD] }\nunplanned: warn\n"],
  ], "See Docs/plan.md.");
}
