// Control of a finding that opens the list of all loaded events with its code, and has their number.

import { button, setText } from "./Element.js";
import { Examined } from "./Examined.js";
import { Filter } from "./Filter.js";
import { openOnly } from "./Page.js";
import { windows } from "./Retention.js";
import { brief, count, number, visible } from "./Words.js";

/** Adds an event to lists by the codes of their findings. */
function addByCode(byCode, event) {
  for (const code of event.codes) byCode.get(code)?.push(event) ?? byCode.set(code, [event]);
}

/** By list, its loaded events by the codes of their findings. */
const known = Object.fromEntries(Object.keys(windows).map((list) => [list, new Examined(() => new Map(), addByCode)]));
/** Loaded events with a code. */
const eventsWith = (code, list) => known[list].of(windows[list].events).get(code) ?? [];

/** @param finding its `code`  @param list of the events  @param name of the events; empty for any */
export function allElement({ code }, list, name = "") {
  const values = { name, code: String(code) };
  const element = button("", () => openOnly(values, list), { class: "link all" });
  element.shows = { list, code: values.code, nameTest: Filter.expression(visible(name)), of: brief(name, 60) };
  return showNumber(element);
}

/** The number of the events; without one, the control is hidden. */
function showNumber(element) {
  const { list, code, nameTest, of } = element.shows;
  const events = eventsWith(code, list), n = nameTest ? events.filter(({ name }) => name !== null && nameTest.test(name)).length : events.length;
  element.hidden = !n;
  setText(element, n === 1 ? "Show 1 event" : `Show all ${number(n)}`);
  element.setAttribute("aria-label", `${n === 1 ? "Show" : "Show all"} ${count(n, "event")} with ${brief(code, 60)}${of && ` of ${of}`}`);
  return element;
}

/** Updates the numbers of a panel. */
export function showNumbers(host) {
  for (const element of host.querySelectorAll("button.all")) showNumber(element);
}
