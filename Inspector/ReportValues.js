// Values of a report: parsed from its text, so that numbers keep their digits, and labels that tell them apart.

import { membersOf, membersOfObject, typeOf, unquoted } from "./JSONText.js";
import { brief, number } from "./Words.js";

/** Most rows of a report that are shown; a command or the query API returns more. */
export const maxRows = 1000;

/** A part of a whole: 12.5 % */
export const percent = (share) => (share > 0 && share < 0.0005 ? "< 0.1 %" : `${number(Number((share * 100).toFixed(1)))} %`);

/** A value: its JSON text, and as text if it is a string or a number. */
export const valueOf = (json) => ({ json, type: typeOf(json), text: ["string", "number"].includes(typeOf(json)) ? unquoted(json) : null });

/** JSON texts of the values in a list of a report. @param name of the list, in which each element has a `value` */
export const valuesIn = (report, name) =>
  [...membersOf(membersOfObject(report).get(name) ?? "[]", maxRows)].map(([, row]) => valueOf(membersOfObject(row).get("value") ?? "null"));

const isLiteral = (text) => /^(?:-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null|[[{].*)$/s.test(text);

/** Labels of values: a text is in quotation marks if it would look like a label of the page or, beside other types, like one of them. */
export function labelsOf(values, length = 120) {
  const hasOthers = values.some(({ type }) => type !== "string" && type !== "null");
  return values.map(({ json, type, text }) => {
    if (type === "null") return "(absent)";
    if (type !== "string") return brief(json, length);
    return brief(text === "" || /^[("]/.test(text) || (hasOthers && isLiteral(text)) ? json : text, length);
  });
}
