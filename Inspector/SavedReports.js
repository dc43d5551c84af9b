// Reports on the events of a saved file, with the numbers that the collector has for the same events.

import { Condition } from "./Condition.js";
import { membersOf, membersOfObject, typeOf, unquoted } from "./JSONText.js";
import { exactNumber } from "./Quoting.js";
import { windows } from "./Retention.js";
import { limitOf, refusal, selectedEvents } from "./SavedEvents.js";

// MARK: - Values

/** Properties of an event by the fields that the store has as columns. */
const columns = {
  name: "name", app: "app", platform: "platform", version: "version", screen: "screen", user: "person", session: "session", status: "status", device: "device", unique_id: "unique",
  event_type: "name", event_name: "name", app_id: "app", device_id: "device", app_version: "version", user_pseudo_id: "unique", "attributes._session_id": "session", "attributes._screen_name": "screen",
};
/** User of an event, null for an unknown one. */
const personOf = ({ user, unique }) => user ?? unique;
const computed = { person: personOf, status: ({ isBad }) => (isBad ? "bad" : "good") };
/** Levels of arrays and objects in which equal values have one spelling. */
const deepest = 100;

/** JSON text of a value in the one spelling that equal ones have: numbers by value, members of an object by name, of which the last counts. */
function exactText(json, depth = 0) {
  const type = typeOf(json);
  if (type === "number") return exactNumber(json);
  if (type === "string") return JSON.stringify(unquoted(json).toWellFormed());
  if (!["array", "object"].includes(type) || depth === deepest) return json;
  const members = [...new Map([...membersOf(json)].map(([name, value]) => [type === "array" ? name : name.toWellFormed(), exactText(value, depth + 1)]))];
  if (type === "array") return `[${members.map(([, value]) => value).join()}]`;
  return `{${members.sort(([a], [b]) => compareTexts(a, b)).map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
}

/** Order by code points. */
function compareTexts(a, b) {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index++;
  return (a.codePointAt(index) ?? -1) - (b.codePointAt(index) ?? -1);
}

/** Order of values: null, Booleans, numbers by value, texts, then arrays and objects. */
function compareValues(a, b) {
  const [one, other] = [a, b].map((json) => ["null", "boolean", "number", "string"].indexOf(typeOf(json)) + 1 || 5);
  return one - other || (one === 3 && Number(a) - Number(b)) || compareTexts(unquoted(a), unquoted(b));
}

/** Reader of a field's value in an event, as an exact JSON text; "null" for none. */
function readerOf(field) {
  const column = Object.hasOwn(columns, field) ? columns[field] : null;
  if (column !== null) return (event) => JSON.stringify(computed[column]?.(event) ?? event[column] ?? null);
  const [, object, name] = /^(attributes|user)\.(.+)$/s.exec(field) ?? [];
  if (name === undefined && !windows.events.events.some(({ json }) => membersOfObject(json).has(field))) throw refusal(`by must be a field of the events, attributes.NAME or user.NAME, not '${field.slice(0, 50)}'`);
  const path = name === undefined ? [field] : object === "user" ? [object, name, "value"] : [object, name];
  return ({ json }) => exactText(path.reduce((text, member) => membersOfObject(text).get(member) ?? "null", json));
}

/** The largest groups, of equal ones those with the least values first, and the others. @param sizeOf number of the events or owners of a group */
function ranked(groups, limit, sizeOf) {
  const all = [...groups].sort(([a, one], [b, other]) => sizeOf(other) - sizeOf(one) || compareValues(a, b)), rest = all.slice(limit);
  return { listed: all.slice(0, limit), others: { values: rest.length, size: rest.reduce((sum, [, group]) => sum + sizeOf(group), 0) } };
}

// MARK: - Count

/** Number of distinct known users. */
const usersOf = (events) => new Set(events.map(personOf).filter((person) => person !== null)).size;

/** Answer of `/api/report/count`. */
export function countReport(query) {
  const by = query.get("by") || "name", events = selectedEvents(query), { listed, others } = ranked(Map.groupBy(events, readerOf(by)), limitOf(query), ({ length }) => length);
  const values = listed.map(([value, group]) => `{"events":${group.length},"users":${usersOf(group)},"value":${value}}`);
  return `{"by":${JSON.stringify(by)},"events":${events.length},"others":{"events":${others.size},"values":${others.values}},"users":${usersOf(events)},"values":[${values.join()}]}`;
}

// MARK: - Funnel

const units = { ms: 1, s: 1000, m: 60000, h: 3600000, d: 86400000 };

/** Milliseconds of a duration such as 1h30m; without a unit, a number of them. */
function windowIn(text) {
  if (!text) return Infinity;
  if (!/^(?:\d+|(?:\d+(?:\.\d+)?(?:ms|[smhd]))+)$/.test(text)) throw refusal(`within must be a duration such as 30s, 1h30m or 7d, or milliseconds, not '${text.slice(0, 50)}'`);
  return [...text.matchAll(/([\d.]+)(\D*)/g)].reduce((sum, [, number, unit]) => sum + Math.round(number * units[unit || "ms"]), 0);
}

/** A step NAME or NAME:CONDITION as the test of an event. */
function stepTest(text) {
  const [name] = text.split(":", 1), rest = text.slice(name.length);
  try {
    if (name === "") throw new Error("missing name of an event");
    const condition = rest === "" ? null : new Condition(rest.slice(1));
    return (event) => event.name === name && (condition === null || condition.holds(event.json));
  } catch (error) {
    throw refusal(`step '${text.slice(0, 200)}': ${error.message}; a step is NAME or NAME:CONDITION`);
  }
}

/**
 * The chain of an owner's events that reaches farthest and, among those, starts earliest, with the earliest event for each step.
 * @param rows in the order of time, { event, matches }: for each step, true if the event matches it
 */
function chainOf(rows, steps, window) {
  // By step and row, the first row from there on that matches the step.
  const nextOf = Array.from({ length: steps }, (_, step) => {
    const next = new Array(rows.length + 1);
    for (let index = rows.length - 1; index >= 0; index--) next[index] = rows[index].matches[step] ? index : next[index + 1];
    return next;
  });
  let farthest = [];
  for (let start = nextOf[0][0]; start !== undefined && farthest.length < steps; start = nextOf[0][start + 1]) {
    const chain = [start];
    for (let next; chain.length < steps; chain.push(next)) {
      next = nextOf[chain.length][chain.at(-1) + 1];
      if (next === undefined || rows[next].event.time - rows[start].event.time > window) break;
    }
    if (chain.length > farthest.length) farthest = chain;
  }
  return farthest.map((index) => rows[index].event);
}

const share = (part, whole) => (whole ? part / whole : null);

/** Numbers of the steps of chains, and the times from the step before by nearest rank. */
function stepsOf(chains, names) {
  const reached = names.map((_, step) => chains.filter(({ length }) => length > step));
  return names.map((name, step) => {
    const users = reached[step].length, times = step === 0 ? [] : reached[step].map((chain) => chain[step].time - chain[step - 1].time).sort((a, b) => a - b), { length } = times;
    return {
      name, users, of_first: share(users, reached[0].length), of_previous: step === 0 ? null : share(users, reached[step - 1].length),
      median_ms: times[Math.ceil(length / 2) - 1] ?? null, p90_ms: times[Math.ceil((length * 9) / 10) - 1] ?? null,
    };
  });
}

/** Answer of `/api/report/funnel`. */
export function funnelReport(query) {
  const names = query.getAll("step"), tests = names.map(stepTest), window = windowIn(query.get("within")), by = query.get("by");
  const ownerOf = query.get("per") === "session" ? ({ app, session }) => session && JSON.stringify([app, session]) : personOf;
  const rows = selectedEvents(query).map((event) => ({ event, owner: ownerOf(event), matches: tests.map((test) => test(event)) })).filter(({ owner, matches }) => owner !== null && matches.includes(true));
  rows.sort((a, b) => a.event.time - b.event.time || a.event.sequence - b.event.sequence);
  const chains = [...Map.groupBy(rows, ({ owner }) => owner).values()].map((owned) => chainOf(owned, names.length, window)).filter(({ length }) => length);
  const read = by ? readerOf(by) : null, { listed, others } = ranked(read ? Map.groupBy(chains, ([first]) => read(first)) : [], limitOf(query), ({ length }) => length);
  const groups = listed.map(([value, group]) => `{"steps":${JSON.stringify(stepsOf(group, names))},"value":${value}}`);
  return `{"groups":[${groups.join()}],"others":{"users":${others.size},"values":${others.values}},"steps":${JSON.stringify(stepsOf(chains, names))}}`;
}
