// Ways to the view of a person: from a cell of a list, a row of a panel, a key.

import { button } from "./Element.js";
import { openView, views } from "./Page.js";
import { windows } from "./Retention.js";
import { brief } from "./Words.js";

/** Opens all that a person has done; with an empty id, the list of the users. @param id user id or unique id */
export function openPerson(id) {
  views.get("person").narrow({ user: id });
  openView("person");
}

/** True if an event of the page has the id as that of its user. */
const isKnown = (id) => windows.events.events.some(({ user, unique }) => user === id || unique === id);

/** Id of the person that an item of a list is about: an event, a session, an audit row. Null for none. */
export function personOf(item) {
  const event = item?.event ?? item, id = event?.user ?? event?.unique ?? item?.users?.values().next().value ?? null;
  // An audit event may have any text there.
  return event?.constructor.list === "audit" && id !== null && !isKnown(id) ? null : id;
}

/** Opens the person of an item. Returns false if it has none. */
export function openPersonOf(item) {
  const id = personOf(item);
  if (id !== null) openPerson(id);
  return id !== null;
}

/** Control beside an id; null for no id. */
export const personLink = (id) => (id === null ? null : button("person", () => openPerson(id), { class: "link", title: "Show what this person has done (u)" }));

/** Tooltip of a cell that leads to a person. Of an audit row, the events of the page decide on that when it is clicked. */
function hintOf(item) {
  const id = item.event ? null : personOf(item);
  return id && `${brief(id, 200)}: show what this person has done (u)`;
}

/** Cell of a list that a click follows to the person. The row is one option of its list, so that keys have `u` and the panel instead. */
export const personCell = (text) => ({ parts: ["span.person"], text: (item) => [text(item)], follow: openPersonOf, hint: hintOf });
