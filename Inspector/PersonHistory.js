// What the events of a person say: their order in time with days and gaps, devices, sessions, attributes.

import { membersOf, membersOfObject } from "./JSONText.js";
import { crashName } from "./Timeline.js";

/** Milliseconds without an event that are marked: as long as the pause after which the SDK begins another session. */
const longGap = 1_800_000;

const attributes = new WeakMap();
/** User attributes of an event, as [name, JSON text]. */
function attributesOf(event) {
  if (!attributes.has(event)) attributes.set(event, [...membersOf(membersOfObject(event.json).get("user") ?? "{}", 200)]);
  return attributes.get(event);
}

/** Entry of a map, made at first. */
function entryOf(map, key, initial) {
  if (!map.has(key)) map.set(key, initial());
  return map.get(key);
}

export class PersonHistory {
  users = new Set();
  uniques = new Set();
  /** By name, the JSON text of a user attribute as it was last set, with the time. */
  attributes = new Map();
  /** By device id, in the order of their first events: platform and version of the latest one. */
  devices = new Map();
  /** By app and id, in the order of their first events. */
  sessions = new Map();
  /** By event, `day`: true for the first of a day; `after`: milliseconds since the one before; `isGap`. */
  marks = new Map();
  crashes = 0;

  /** @param events in any order. `events` has them in the order of their times, then of their arrival. */
  constructor(events) {
    this.events = events.toSorted((a, b) => a.time - b.time || a.sequence - b.sequence);
    let previous = null;
    for (const event of this.events) {
      this.add(event, previous);
      previous = event;
    }
  }

  add(event, previous) {
    const { device, platform, version, time } = event, after = previous === null ? null : time - previous.time;
    this.marks.set(event, { day: previous === null || new Date(time).toDateString() !== new Date(previous.time).toDateString(), after, isGap: after >= longGap });
    if (event.user !== null) this.users.add(event.user);
    if (event.unique !== null) this.uniques.add(event.unique);
    for (const [name, json] of attributesOf(event)) {
      const at = Number(membersOfObject(json).get("set_timestamp") ?? NaN) || time;
      if (at >= (this.attributes.get(name)?.at ?? -Infinity)) this.attributes.set(name, { json, at });
    }
    const used = entryOf(this.devices, device, () => ({ id: device, events: 0 }));
    Object.assign(used, { platform, version, last: time, events: used.events + 1 });
    if (event.name === crashName) this.crashes++;
    if (event.session === null) return;
    const session = entryOf(this.sessions, `${event.app}\n${event.session}`, () => ({ key: `${event.app}\n${event.session}`, id: event.session, number: event.sessionNumber, first: time, events: 0, crashes: 0 }));
    Object.assign(session, { last: time, latest: event, events: session.events + 1, crashes: session.crashes + (event.name === crashName ? 1 : 0) });
  }

  /** The user attributes as one JSON object. */
  get user() {
    return `{${[...this.attributes].map(([name, { json }]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
  }
}
