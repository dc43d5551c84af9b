// Formats of captured events: their descriptions at the collector, with functions from the files of those of which the page draws
// more than their phrases.

import { numberOf, textOf } from "./Event.js";
import { fieldsTable } from "./EventTables.js";
import { facts } from "./Facts.js";
import { membersOf } from "./JSONText.js";

/**
 * Functions of a format without a file of its own, with the format as `this`:
 * `fields` of an event and its batch's header, under the names that all formats share: `id`, `time`, `user`, `page`, `view`
 * ("view", "load", "show" or "hide"), `links` or `project` and `number`, `screen`, `platform`, `mark`, `entry`, `scroll`, `target`,
 * `hasItems`. `tables`: the parts of an event, for the panel. `pagePath`: names of the pages that led to it. `items`: items that
 * were seen, of an event that has some.
 */
const plainView = {
  /** True if a session is a user and a number; otherwise events that name each other form one. */
  hasNumbers: false,
  /** Contents of a request. */
  unit: "events",
  /** Member of a batch with its events; null for a list of events. */
  batch: null,
  /** Swift for the settings of an app that records in the format, by the endpoint; null for a format that it does not record. */
  setting: null,
  /** Returns the body of a request with one event, to try the collector; null for a format without an example. */
  example: null,
  /** Body of a request with one event, from the texts of the event and of its batch's header. */
  body: (json) => `[${json}]`,
  /** True if gestures have positions on the screen. */
  hasPositions: true,
  fields(event) {
    return { id: textOf(event[this.id]), time: numberOf(event[this.time]), user: null, links: null, page: null, view: null };
  },
  tables: (json, marked) => [fieldsTable("Event", [...membersOf(json, 5000)], marked)],
  pagePath: () => [],
  items: () => [],
};

/** Formats of automatic capture by their names. */
export const capturedFormats = new Map(facts.formats.filter(({ list }) => list === "captured").map((format) => [format.name, { ...plainView, ...format }]));

/** Adds to the formats with a file of their own the functions that it exports as `view`. An event that is read before is drawn without them. */
export async function loadFormats() {
  await Promise.all([...capturedFormats.values()].map(async (format) => format.module && Object.assign(format, (await import(`./${format.module}`)).view)));
}

/** The format with a name, also one of a later collector. */
export const formatOf = (name) => capturedFormats.get(name) ?? { ...plainView, name, title: name, id: "id", time: "timestamp" };
