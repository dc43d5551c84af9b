// Forms that an event is copied in. Each copy, run, gives the same event: { text, note }, or { refusal } for an event that the form cannot express.

import { formatOf } from "./CapturedFormat.js";
import { urlOf } from "./Collector.js";
import { facts } from "./Facts.js";
import { elementsOf, membersOf, membersOfObject, typeOf, uniqueMembers, unquoted } from "./JSONText.js";
import { jsonScalar, jsonString, numberKind, shellWord, shortestNumber, swiftNumber, swiftString, yamlString } from "./Quoting.js";
import { RecordedCall } from "./RecordedCall.js";
import { count } from "./Words.js";

/** A number that neither changes nor loses a digit as a double or an integer of 64 bits. */
const isExact = (json) => ["integer", "double"].includes(numberKind(json));

/** Names of a note on what a copy leaves out. */
const maxNames = 5;
/** Note of what a copy leaves out: paths of values, and a kind of others or false. */
function noteOf(paths, others) {
  const listed = paths.slice(0, maxNames).map((path) => path || '""').join(", ") + (paths.length > maxNames ? ` and ${count(paths.length - maxNames, "more value")}` : "");
  const parts = [listed, others].filter(Boolean);
  return parts.length ? `Without ${parts.join(" and ")}.` : "";
}

const callNote = ({ refused, hasAdded }) => noteOf(refused, hasAdded && "what the SDK adds");
/** Note of the calls that set only the user of an event. */
const userNote = ({ refused, attributes, items }) => noteOf([...refused, ...attributes.map(([name]) => name), ...items.map(({ index }) => `items[${index}]`)], "");

/** An object without the members that the SDK refuses. */
const objectText = (members) => `{${members.map(([name, json]) => `${jsonString(name)}:${jsonScalar(json)}`).join(",")}}`;

/** A command of several words, one option on a line. */
const commandText = (words, options) => [words.join(" "), ...options].join(" \\\n  ");

// MARK: - curl

/** Characters of a word of a command, and of all: Linux allows 128 KiB, and macOS 1 MiB. */
const longestWord = 30000, longestCommand = 250000;

/** Path and body of a request with only this event, by the list of the event. */
const requests = {
  events: ({ app, json }) => {
    const platform = unquoted(membersOfObject(json).get("platform") ?? '""');
    return { path: facts.path, query: [["appId", app], ["platform", platform]], body: `[${json}]` };
  },
  captured: (event) => ({ path: formatOf(event.form).path, query: [], body: formatOf(event.form).body(event.json, event.member("header") ?? "{}") }),
  audit: ({ partition, json }) => ({ path: "/audit", query: [["partition", partition]], body: `[${json}]` }),
};

function curlCommand(event) {
  const { path, query, body } = requests[event.constructor.list](event);
  const text = new URLSearchParams(query.filter(([, value]) => value)).toString();
  const command = (data) => commandText(["curl", shellWord(urlOf(path) + (text && `?${text}`))], ["-H 'content-type: application/json'", `--data-binary ${data}`]);
  const word = shellWord(body);
  return { text: word.length > longestWord ? `printf %s ${word} |\n${command("@-")}` : command(word), note: "" };
}

// MARK: - record

/** True if an option of the command line keeps the text: it is trimmed, and cannot contain control characters. */
const isOptionValue = (text) => text.trim() === text && !/\p{Cc}/u.test(text) && text.length <= longestWord;

/** The line of `record -`: a visitor, who has the user's attributes. */
function visitorLine(call, event) {
  const visitor = [
    ["device_id", jsonString((event.device || "unknown").slice(0, 80))],
    call.userId !== null && ["user_id", jsonString(call.userId)],
    call.session !== null && ["session", `{"id":${jsonScalar(call.session.id)},"number":${call.session.number},"start":${call.session.start}}`],
    ["user", objectText(call.userAttributes)],
  ];
  const parts = [
    ["name", jsonString(call.name)], ["attributes", objectText(call.attributes)],
    call.items.length > 0 && ["items", `[${call.items.map(({ members }) => objectText(members)).join(",")}]`],
    ["visitor", `{${visitor.filter(Boolean).map(([name, json]) => `"${name}":${json}`).join(",")}}`],
  ];
  return `{${parts.filter(Boolean).map(([name, json]) => `"${name}":${json}`).join(",")}}`;
}

function recordCommand(event) {
  const call = new RecordedCall(event);
  if (call.refusal) return call;
  const app = event.app !== null && isOptionValue(event.app) ? [`--app-id=${shellWord(event.app)}`] : [];
  const isVisitor = call.userAttributes.length > 0 || (call.userId !== null && !isOptionValue(call.userId));
  const options = [
    ...call.attributes.map(([name, json]) => `--attr ${shellWord(`${name}:=${jsonScalar(json)}`)}`),
    ...call.items.map(({ members }) => `--item ${shellWord(objectText(members))}`),
    ...(call.userId === null ? [] : [`--user-id=${shellWord(call.userId)}`]),
    ...app,
  ];
  const isLong = options.some(({ length }) => length > longestWord) || options.join().length > longestCommand;
  const record = isVisitor || isLong
    ? `printf '%s\\n' ${shellWord(visitorLine(call, event))} |\n${commandText(["clickstream-cli record -"], app)}`
    : commandText(["clickstream-cli record", call.name], options);
  return { text: `${record} &&\n${commandText(["clickstream-cli flush"], [...app, `--endpoint=${shellWord(urlOf(facts.path))}`])}`, note: callNote(call) };
}

// MARK: - Replay

/** True for a value that a script can have: no long number, and no text that begins with a byte order mark, which the reader of YAML drops. */
const isInScript = (json) => (typeOf(json) === "number" ? isExact(json) : !unquoted(json).startsWith("\ufeff"));

const yamlValue = (json) => (json.startsWith('"') ? yamlString(unquoted(json)) : json);

/** Steps of events that only the SDK records, by name, from the event's attributes. */
const signals = {
  _app_start: () => ["- foreground"],
  _app_end: () => ["- background"],
  _app_exception: (attributes) => {
    const [message, stack] = ["_exception_message", "_exception_stack"].map((name) => yamlValue(attributes.get(name) ?? '""'));
    return ["- configure: { isTrackAppExceptionEvents: true }", "- crash:", `    message: ${message}`, `    stack: ${stack}`, "- launch"];
  },
};

function replaySteps(event) {
  const call = new RecordedCall(event).writtenWith(isInScript);
  const lines = (members, indent) => members.map(([name, json]) => `${indent}${name}: ${yamlValue(json)}`);
  const user = [
    ...(call.userId === null ? [] : [`- user_id: ${yamlString(call.userId)}`]),
    ...(call.userAttributes.length ? ["- user:", ...lines(call.userAttributes, "    ")] : []),
  ];
  const text = (steps) => steps.map((step) => `  ${step}`).join("\n");
  if (Object.hasOwn(signals, call.name ?? "")) {
    const steps = signals[call.name](membersOfObject(membersOfObject(event.json).get("attributes") ?? "{}"));
    const isOfApp = call.attributes.some(([name]) => !name.startsWith("_"));
    return { text: text([...user, ...steps]), note: noteOf(call.refused.filter((path) => path.startsWith("user.")), isOfApp && "the app's attributes, which a step 'global' sets") };
  }
  if (call.name === "_profile_set" && user.length) return { text: text(user), note: userNote(call) };
  if (call.refusal) return call;
  const { attributes, items } = call;
  const parts = [
    ...(attributes.length ? ["    attributes:", ...lines(attributes, "      ")] : []),
    ...(items.length ? ["    items:", ...items.flatMap(({ members }) => lines(members, "        ").map((line, index) => (index ? line : line.replace("        ", "      - "))))] : []),
  ];
  return { text: text([...user, ...(parts.length ? ["- record:", `    name: ${yamlString(call.name)}`, ...parts] : [`- record: ${yamlString(call.name)}`])]), note: callNote(call) };
}

// MARK: - assert

/** Depth of objects and arrays up to which a condition has them. */
const deepestNesting = 100;

/** Attributes that differ between any two runs of an app. */
const varying = new Set(["_session_id", "_session_start_timestamp", "_session_duration", "_session_number", "_screen_unique_id", "_previous_screen_unique_id", "_previous_timestamp", "_engagement_time_msec", "_event_duration"]);

/** A name in the path of a condition; null for one that a path cannot contain. */
const pathOf = (name) => (/^[\w-]+$/.test(name) ? `.${name}` : /^[ -~]*$/.test(name) && !(name.includes('"') && name.includes("'")) ? (name.includes('"') ? `['${name}']` : `["${name}"]`) : null);

/** True for a value without two members of one name in an object, and nested no deeper than the command line reads it. */
function isComparable(json, depth = 1) {
  if (!"{[".includes(json[0])) return true;
  const members = [...membersOf(json)];
  return depth <= deepestNesting && new Map(members).size === members.length && members.every(([, value]) => isComparable(value, depth + 1));
}

/** JSON text of a value in a condition; null for a number that is compared by its first digits only, and for a long text. */
function conditionValue(json) {
  if (json.length > longestWord || !isComparable(json)) return null;
  if (typeOf(json) === "number") return isExact(json) ? shortestNumber(json) : null;
  return jsonScalar(json);
}

function assertCommand(event) {
  if (event.name === null || event.name.includes("\ufffd")) return { refusal: "assert needs the name of the event." };
  if (event.name.length > longestWord) return { refusal: "The name is too long for a command." };
  const fields = membersOfObject(event.json), refused = [], conditions = [];
  let left = longestCommand;
  const add = (path, members) => {
    for (const [name, json] of members) {
      const part = pathOf(name), value = conditionValue(json), condition = `--where ${shellWord(`${path}${part} == ${value}`)}`;
      if (part === null || value === null || condition.length > Math.min(left, longestWord)) refused.push(path + (part ?? `.${name}`));
      else {
        conditions.push(condition);
        left -= condition.length;
      }
    }
  };
  const attributes = new Map(uniqueMembers(fields.get("attributes") ?? "{}"));
  add("attributes", [...attributes].filter(([name]) => !varying.has(name)));
  for (const [index, json] of elementsOf(fields.get("items") ?? "[]")) add(`items[${index}]`, uniqueMembers(json));
  for (const [name, json] of uniqueMembers(fields.get("user") ?? "{}")) {
    if (name !== "_user_first_touch_timestamp" && pathOf(name) !== null && membersOfObject(json).has("value")) add(`user${pathOf(name)}`, [["value", membersOfObject(json).get("value")]]);
  }
  // assert reads plain HTTP, and a colon in a name would begin a number.
  const url = urlOf("").startsWith("https:") ? [] : [shellWord(urlOf(""))];
  const name = /^\w+$/.test(event.name) ? [`--event ${event.name}`] : [`--event=${shellWord(`${event.name}:1+`)}`];
  const hasVarying = [...attributes.keys()].some((each) => varying.has(each));
  return { text: commandText(["clickstream-cli assert", ...url, ...name], conditions), note: noteOf(refused, hasVarying && "what differs in each run") };
}

// MARK: - Swift

const swiftValue = (json) => (json.startsWith('"') ? swiftString(unquoted(json)) : typeOf(json) === "number" ? swiftNumber(json) : json);
const swiftMember = ([name, json]) => `"${name}": ${swiftValue(json)}`;

function swiftCalls(event) {
  const call = new RecordedCall(event).writtenWith((json) => typeOf(json) !== "number" || swiftNumber(json) !== null);
  const user = [
    ...(call.userId === null ? [] : [`ClickstreamAnalytics.setUserId(${swiftString(call.userId)})`]),
    ...(call.userAttributes.length ? [`ClickstreamAnalytics.addUserAttributes([\n${call.userAttributes.map((member) => `    ${swiftMember(member)},\n`).join("")}])`] : []),
  ];
  if (call.name === "_profile_set" && user.length) return { text: user.join("\n"), note: userNote(call) };
  if (call.refusal) return call;
  const { attributes, items } = call;
  const parts = [
    `"${call.name}"`,
    (attributes.length > 0 || items.length > 0) && (attributes.length ? `[\n${attributes.map((member) => `        ${swiftMember(member)},\n`).join("")}    ]` : "[:]"),
    items.length > 0 && `[\n${items.map(({ members }) => `        [${members.map(swiftMember).join(", ")}],\n`).join("")}    ]`,
  ].filter(Boolean);
  return { text: [...user, parts.length > 1 ? `ClickstreamAnalytics.recordEvent(\n    ${parts.join(",\n    ")}\n)` : `ClickstreamAnalytics.recordEvent(${parts[0]})`].join("\n"), note: callNote(call) };
}

// MARK: - Forms

const forEveryEvent = [
  { name: "json", title: "JSON", purpose: "As sent.", copy: ({ json }) => ({ text: json, note: "" }) },
  { name: "curl", title: "curl", purpose: "Sends it again; a store that has it counts a duplicate.", copy: curlCommand },
];
const forClickstreamEvents = [
  { name: "record", title: "record command", purpose: "Queues and sends it.", copy: recordCommand },
  { name: "replay", title: "Replay step", purpose: "For a script.", copy: replaySteps },
  { name: "assert", title: "assert condition", purpose: "Expects these values.", copy: assertCommand },
  { name: "swift", title: "Swift call", purpose: "For an app.", copy: swiftCalls },
];

/** Forms of an event. */
export const formsOf = (event) => (event.constructor.list === "events" ? [...forEveryEvent, ...forClickstreamEvents] : forEveryEvent);
