// The Contentsquare format: fields and tables of its events.

import { pageOf } from "./CapturedEvent.js";
import { isScreen } from "./CapturedSessions.js";
import { make } from "./Element.js";
import { numberOf, objectOf, textOf } from "./Event.js";
import { nameCell, sectionTable, valueElement } from "./EventTables.js";
import { isObjectText, membersOf } from "./JSONText.js";
import { componentsOf } from "./TargetTree.js";

export const view = {
  unit: "batches",
  batch: "pl",
  setting: (url) => `contentsquare: ContentsquareSettings(endpoint: "${url}", projectID: 8)`,
  hasNumbers: true,
  body: contentsquareBody,
  hasPositions: false,
  fields: contentsquareFields,
  tables: (json, marked, header) => contentsquareTables(json, header, marked),
};

/** A batch with the header of the event's own. */
function contentsquareBody(json, header) {
  const start = header.trimEnd().replace(/\s*\}$/, "");
  return `${start}${start === "{" ? "" : ","}"pl":[${json}]}`;
}

/** Meaning of Contentsquare's keys. */
const contentsquareKeys = {
  upt: "monotonic time, ms", euid: "event id", url: "screen", scn: "screens before in the session", c: "connectivity", ci: "carrier", o: "orientation", vo: "versions", sn: "session number", t: "time of the event",
  ea: "event action", st: "screen title", sl: "load time, ms", cv: "custom variables", tvp: "target path", tvid: "target id", ur: "target handles touches", fd: "finger direction", tvd: "distance, dp", tvv: "velocity, dp/s",
  tr: "transaction", k: "key", v: "value", sv: "SDK version", sb: "SDK build", av: "app version", af: "app flavor", ab: "app build", vl: "value", cu: "currency, ISO 4217", id: "transaction id",
  pid: "project id", uid: "user id", dt: "device type", dma: "manufacturer", dmo: "model", os: "OS version", l: "language", tz: "time zone", now: "time of sending", to: "origin", r: "resolution",
  an: "app name", "to.st": "SDK type", sf: "SDK flavor", w: "width, px", h: "height, px", d: "density",
};
/** Meaning of numbers, by key. */
const contentsquareWords = {
  ea: { 0: "app start", 1: "app show", 2: "app hide", 4: "screenview", 6: "tap", 8: "long press", 9: "drag", 10: "flick", 16: "transaction", 18: "dynamic variable, text", 19: "dynamic variable, number" },
  fd: { 1: "up", 2: "down", 3: "left", 4: "right", 5: "complex" }, o: { 0: "portrait", 1: "landscape" }, dt: { 4: "phone", 5: "tablet" },
  c: { "-1": "offline", 0: "unknown", 1: "Wi-Fi", 2: "2G", 3: "3G", 4: "mobile" },
};

/** Page of a Contentsquare URL: `app-ios://app/Class?title=Name`. */
function pageOfURL(url) {
  const parts = /^[^:/?#]+:\/\/[^/?#]*\/?([^?#]*)(?:\?(?:[^#]*&)?title=([^&#]*))?/.exec(textOf(url) ?? "");
  return parts && pageOf(decoded(parts[1]), decoded(parts[2]));
}

function decoded(text) {
  if (!text) return null;
  try {
    return textOf(decodeURIComponent(text.replaceAll("+", " ")));
  } catch {
    return textOf(text);
  }
}

/** Fields of a Contentsquare event. `screen` is the screen's size in logical pixels. */
function contentsquareFields(event, header) {
  const { w, h, d } = objectOf(header.r);
  const density = numberOf(d) > 0 ? d : 1;
  const isTurned = (event.o === 0 && w > h) || (event.o === 1 && w < h);
  const size = isScreen(w / density, h / density) ? { width: w / density, height: h / density } : null;
  const isView = event.ea === 4;
  const page = pageOfURL(event.url);
  return {
    id: textOf(event.euid),
    time: numberOf(event.t),
    user: textOf(header.uid),
    project: textOf(header.pid),
    number: textOf(event.sn),
    platform: textOf(objectOf(header.to).st),
    screen: size && isTurned ? { width: size.height, height: size.width } : size,
    page: page ?? (isView ? pageOf(null, textOf(event.st)) : null),
    view: isView ? "view" : event.ea === 1 ? "show" : event.ea === 2 ? "hide" : null,
    ...contentsquareContent(event),
  };
}

/** Directions of a finger, by `fd`. */
const directions = ["up", "down", "left", "right", "complex"];
const directionOf = (event) => (Number.isInteger(event.fd) ? directions[event.fd - 1] ?? null : null);
const touchKinds = { 6: "tap", 8: "long press", 9: "drag", 10: "flick" };

/** Parts of a Contentsquare event that the outline of its page shows: `mark` without a position, `entry`, `target`. */
function contentsquareContent(event) {
  const kind = ownValue(touchKinds, event.ea);
  if (!kind) return {};
  const target = textOf(event.tvp);
  const label = textOf(event.tvid) ?? (target === null ? "(no target)" : componentsOf(target).at(-1));
  if (kind === "tap" || kind === "long press") return { target, entry: { kind, label, isIgnored: event.ur === false } };
  return { target, mark: { kind, label, direction: directionOf(event), distance: numberOf(event.tvd) ?? 0, velocity: numberOf(event.tvv) ?? 0 } };
}

/** Value of a table's key; undefined for one that only its prototype has. */
const ownValue = (table, key) => (Object.hasOwn(table, key) ? table[key] : undefined);

function contentsquareTables(json, header, marked) {
  const rows = (text) => [...membersOf(text, 5000)].flatMap(([name, value]) => {
    const own = ["vo", "to", "r", "tr"].includes(name) && isObjectText(value);
    return own ? [...membersOf(value, 200)].map(([inner, part]) => contentsquareRow(`${name}.${inner}`, inner, part, marked)) : [contentsquareRow(name, name, value, marked)];
  });
  return [
    sectionTable("Event", ["name", "value", "meaning"], rows(json), ".meanings"),
    sectionTable("Batch", ["name", "value", "meaning"], rows(header), ".meanings"),
  ];
}

function contentsquareRow(path, name, json, marked) {
  const word = ownValue(ownValue(contentsquareWords, name) ?? {}, json);
  const meaning = ownValue(contentsquareKeys, path) ?? ownValue(contentsquareKeys, name) ?? "";
  return make(marked.has(path) || marked.has(name) ? "tr.marked" : "tr", nameCell(path, marked),
    make("td.value", valueElement(name === "t" || name === "now" ? "timestamp" : name, json)), make("td.muted", word ? `${meaning}: ${word}` : meaning));
}
