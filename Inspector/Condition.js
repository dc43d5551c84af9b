// Condition on a value of an event, in the syntax of `clickstream-cli assert --where`: attributes.value == 99.9. Values are compared in the
// texts that were sent, with the rules of the command: numbers by value, long integers exactly, objects in any order of their members.

import { membersOf, positionOfError, typeOf, unquoted } from "./JSONText.js";
import { numberKind, shortestNumber } from "./Quoting.js";

/** Characters of the text of a condition. */
const longestCondition = 2000;
const example = "as in attributes.value == 99.9";

const nameInPath = /^[^\p{White_Space}.[\]=!<>"']+/u;
const bracketInPath = /^\[(?:"([^"]*)"|'([^']*)'|([^\]]*))\]/u;
const withoutSpace = (text) => text.replace(/^\p{White_Space}+/u, "");
/** Decoded string; half a surrogate pair is U+FFFD, as in the collector. */
const decoded = (json) => unquoted(json).toWellFormed();

/** The path at the beginning of a text as { parts, rest }. A part is { name }, { index } or { all: true }. */
function pathOf(text) {
  const parts = [];
  let rest = text, mayBeName = true;
  if (rest.startsWith("$")) [rest, mayBeName] = [rest.slice(1), false];
  for (; rest !== ""; mayBeName = false) {
    if (rest[0] === "[") {
      const found = bracketInPath.exec(rest), [whole, double, single, index] = found ?? [];
      const name = double ?? single;
      if (name !== undefined) parts.push({ name });
      else if (index === "*") parts.push({ all: true });
      else if (/^(?:\+?\d+|-0+)$/.test(index)) parts.push({ index: Number(index) });
      else throw new Error("brackets take an index, * or a quoted name, as in items[0].id");
      rest = rest.slice(whole.length);
    } else if (rest[0] === "." || mayBeName) {
      if (rest[0] === ".") rest = rest.slice(1);
      const [name] = nameInPath.exec(rest) ?? [];
      if (!name) throw new Error("missing name in the path, as in attributes.value");
      parts.push(name === "*" ? { all: true } : { name });
      rest = rest.slice(name.length);
    } else break;
  }
  if (!parts.length) throw new Error("missing path in the event, such as attributes.value");
  return { parts, rest };
}

/** Values of an object's member, an array's element, or all of them. Of members with the same name, the last counts. */
function valuesIn(json, { name, index, all }) {
  const isObject = json[0] === "{";
  if (all) return [...membersOf(json)].map(([, value]) => value);
  if (isObject === (name === undefined)) return [];
  let found = [];
  for (const [key, value] of membersOf(json)) if (isObject ? key.toWellFormed() === name : key === index) found = [value];
  return found;
}

function equalNumbers(left, right) {
  const areIntegers = [left, right].every((text) => numberKind(text) === "integer");
  return areIntegers ? BigInt(left) === BigInt(right) : left === right || Number(left) === Number(right);
}

/** True if two JSON texts have the same value. */
function equal(left, right) {
  const type = typeOf(left);
  if (type !== typeOf(right)) return false;
  if (type === "number") return equalNumbers(left, right);
  if (type === "string") return decoded(left) === decoded(right);
  if (type !== "array" && type !== "object") return left === right;
  const [ours, theirs] = [left, right].map((json) => [...membersOf(json)].map(([name, value]) => [type === "object" ? name.toWellFormed() : name, value]));
  const others = new Map(theirs);
  return ours.length === theirs.length && ours.every(([name, value]) => others.has(name) && equal(value, others.get(name)));
}

export class Condition {
  /** @throws an error with the reason if the text is not a condition */
  constructor(text) {
    if (text.length > longestCondition) throw new Error(`a condition has at most ${longestCondition} characters`);
    const start = withoutSpace(text), { parts, rest } = pathOf(start);
    const operation = withoutSpace(rest);
    this.text = text;
    this.parts = parts;
    this.path = start.slice(0, start.length - rest.length);
    if (!/^[=!]=/.test(operation)) throw new Error(operation.startsWith("=") ? `use == for equality, ${example}` : `missing == or != after ${this.path}, ${example}`);
    this.isEquality = operation[0] === "=";
    const value = operation.slice(2).replace(/^[ \n\t\r]+|[ \n\t\r]+$/g, "");
    if (value === "") throw new Error(`missing value after ${this.path} ${operation.slice(0, 2)}, ${example}`);
    if (positionOfError(value) !== null) throw new Error(`${value} is not a valid JSON value; put strings in quotation marks, as in "shoes"`);
    /** True if the value is a number in another spelling than the SDK writes (none is beyond a double), which is compared as a text. */
    this.isNumberAsText = typeOf(value) === "number" && (numberKind(value) === "infinite" || shortestNumber(value) !== value);
    this.value = this.isNumberAsText ? JSON.stringify(value) : value;
  }

  get description() {
    return `${this.path} ${this.isEquality ? "==" : "!="} ${this.value}`;
  }

  /** JSON texts of the values at the path. @param json text of the event */
  valuesIn(json) {
    return this.parts.reduce((values, part) => values.flatMap((value) => valuesIn(value, part)), [json]);
  }

  holds(json) {
    return this.valuesIn(json).some((value) => equal(value, this.value)) === this.isEquality;
  }
}
