// JSON as text: the page shows the bytes that were sent (699.0, long integers, escapes) rather than the values that a
// browser parses from them. All loops are iterative, so that nesting of any depth is safe.

import { make } from "./Element.js";
import { brief, bytes, fullTime, number } from "./Words.js";

/** Index of the quotation mark that ends the string beginning at `at`. */
function endOfString(text, at) {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

/** Index after the value that begins at `at`. */
function endOfValue(text, at) {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 34: i = endOfString(text, i); break; // "
      case 123: case 91: depth++; break; // { [
      case 125: case 93: // } ]
        if (depth === 0) return i;
        if (--depth === 0) return i + 1;
        break;
      case 44: if (depth === 0) return i; // ,
    }
  }
  return text.length;
}

/** Index of the first character at or after `at` that is not white space. */
function skipSpace(text, at) {
  while (" \n\t\r".includes(text[at] ?? "-")) at++;
  return at;
}

/** Members of an object as [name, JSON text of the value], or elements of an array under their index; at most `maxCount`. None of any other value. */
export function* membersOf(text, maxCount = Infinity) {
  const start = skipSpace(text, 0);
  const isArray = text[start] === "[";
  if (!isArray && text[start] !== "{") return;
  let at = skipSpace(text, start + 1);
  for (let index = 0; index < maxCount && at < text.length && text[at] !== "}" && text[at] !== "]"; index++) {
    let name = index;
    if (!isArray) {
      const end = Math.min(endOfString(text, at) + 1, text.length);
      name = unquoted(text.slice(at, end));
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    const end = endOfValue(text, at);
    yield [name, text.slice(at, end).trimEnd()];
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
}

/** Members of an object, of which the last counts if several have one name. None of any other value. */
export const uniqueMembers = (text) => (isObjectText(text) ? [...new Map(membersOf(text))] : []);

/** Elements of an array under their index. None of any other value. */
export const elementsOf = (text) => (text.startsWith("[") ? [...membersOf(text)] : []);

export const membersOfObject = (text) => new Map(membersOf(text, 5000));
export const isObjectText = (text) => text.startsWith("{");

/** Value of a JSON string; the text itself for any other value. */
export function unquoted(json) {
  if (!json.startsWith('"')) return json;
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** Name of the JSON type. */
export const typeOf = (json) => ({ '"': "string", "{": "object", "[": "array", t: "boolean", f: "boolean", n: "null" })[json[0]] ?? "number";

/** Tokens without white space: [kind, text, index], with one of the kinds { } [ ] : , key string number word. */
function* tokens(text) {
  for (let at = skipSpace(text, 0), end; at < text.length; at = skipSpace(text, end)) {
    const c = text[at];
    end = at + 1;
    let kind = c;
    if (c === '"') {
      end = Math.min(endOfString(text, at) + 1, text.length);
      kind = text[skipSpace(text, end)] === ":" ? "key" : "string";
    } else if (!"{}[]:,".includes(c)) {
      while (end < text.length && !"{}[]:, \n\t\r\"".includes(text[end])) end++;
      kind = /[-0-9]/.test(c) ? "number" : "word";
    }
    yield [kind, text.slice(at, end), at];
  }
}

const inlineLength = 72;
/** Characters of one value after which it is shown cut, and lines of a text. */
const longestPart = 4000, maxLines = 4000;

/** An object or array that contains no other. A string with an opening bracket counts as one. */
const flatContainer = /^[[{](?:[^[\]{}"]|"(?:[^"\\[{]|\\.)*")*[\]}]/;

/** True if the name is that of a time and the number has milliseconds since 1970. */
export const isTime = (name, json) => /timestamp$/.test(name ?? "") && /^\d{12,14}$/.test(json);

/** Lines of { depth, key, parts: [[class, text]], time }, at most `maxLines`. Short flat objects and arrays take one line. */
function prettyLines(text) {
  const lines = [];
  let depth = 0, isInline = false, key = null, previous = "", line;
  const begin = () => lines.push(line = { depth, key: null, parts: [] });
  begin();
  for (const [kind, part, at] of tokens(text)) {
    if (lines.length > maxLines) { line.parts = [["muted", `\u2026 first ${number(maxLines)} lines; Copy and Save have all of them`]]; break; }
    if (kind === "{" || kind === "[") {
      isInline = flatContainer.test(text.slice(at, at + inlineLength + 1));
      line.parts.push(["mark", isInline && kind === "{" && text[skipSpace(text, at + 1)] !== "}" ? "{ " : kind]);
      if (!isInline) { depth++; begin(); }
    } else if (kind === "}" || kind === "]") {
      if (!isInline) { depth--; if (line.parts.length) begin(); else line.depth = depth; }
      line.parts.push(["mark", isInline && kind === "}" && previous !== "{" ? " }" : kind]);
      isInline = false;
    } else if (kind === ",") {
      line.parts.push(["mark", isInline ? ", " : ","]);
      if (!isInline) begin();
    } else if (kind === ":") {
      line.parts.push(["mark", ": "]);
    } else {
      if (kind === "key") { key = part.slice(1, -1); line.key ||= key; }
      line.parts.push([kind, brief(part, longestPart)]);
      if (part.length > longestPart) line.parts.push(["comment", ` ${bytes(part.length)}, cut`]);
      if (kind === "number" && isTime(key, part)) line.time = Number(part);
    }
    previous = kind;
  }
  return lines.filter(({ parts }) => parts.length);
}

/** Highlighted JSON. Lines of the names in `marked` are emphasized. */
export function prettyElement(text, marked = new Set(), label = "JSON as sent") {
  return make("pre.json", { tabindex: 0, role: "region", "aria-label": label }, prettyLines(text).map((line) =>
    make(marked.has(line.key) ? "div.line.marked" : "div.line", { style: { paddingLeft: `${Math.min(line.depth, 30) * 14 + 14}px` } },
      line.parts.map(([kind, part]) => make(`span.${kind}`, part)),
      line.time && make("span.comment", `  ${fullTime(line.time)}`))));
}

const maxPaths = 20000, deepestPath = 50;

/** Paths with the JSON text of their values, in written order, at most `maxPaths`. Empty objects and arrays count as values. */
export function flatten(text) {
  const found = new Map();
  /** Names, and indices within arrays. */
  const path = [];
  let previous = "";
  const add = (value) => found.set(path.slice(0, deepestPath).map((step) => (typeof step === "number" ? `[${step}]` : step)).join(".").replaceAll(".[", "["), value);
  for (const [kind, part] of tokens(text)) {
    if (found.size >= maxPaths) break;
    if (kind === "{" || kind === "[") path.push(kind === "[" ? 0 : "");
    else if (kind === "}" || kind === "]") {
      path.pop();
      if (previous === "{" || previous === "[") add(previous + kind);
    } else if (kind === "key") path[path.length - 1] = part.slice(1, -1);
    else if (kind === ",") { if (typeof path.at(-1) === "number") path[path.length - 1]++; }
    else if (kind !== ":") add(part);
    previous = kind;
  }
  return found;
}

const openings = { "}": "{", "]": "[" };
const scalar = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)/;
/** An escape in a string, or a character that ends the string or is not allowed in it. */
const escapeOrEnd = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|["\\\0-\x1f]/g;

/** Index of the character that is not allowed in the string at `at`, the text's length if the string does not end, or null. */
function positionOfStringError(text, at) {
  escapeOrEnd.lastIndex = at + 1;
  let found = escapeOrEnd.exec(text);
  while (found?.[0].length > 1) found = escapeOrEnd.exec(text);
  if (!found) return text.length;
  return found[0] === '"' ? null : found[0] === "\\" ? found.index + 1 : found.index;
}

/** Index of the first character at which the text is not JSON, its length if it ends too early, or null for well-formed JSON. */
export function positionOfError(text) {
  const open = [];
  // Expected token: value, [ (value or end of the array), name, { (name or end of the object), colon, after.
  let next = "value";
  for (const [kind, part, at] of tokens(text)) {
    const container = open.at(-1);
    const isName = next === "name" || next === "{";
    if (container && openings[kind] === container && (next === container || next === "after")) {
      open.pop();
      next = "after";
    } else if (next === "after") {
      if (kind !== "," || !container) return at;
      next = container === "[" ? "value" : "name";
    } else if (next === "colon") {
      if (kind !== ":") return at;
      next = "value";
    } else if (kind === "key" || kind === "string") {
      const position = positionOfStringError(text, at);
      if (position !== null) return position;
      next = isName ? "colon" : "after";
    } else if (!isName && (kind === "{" || kind === "[")) {
      open.push(kind);
      next = kind;
    } else {
      const valid = isName ? 0 : scalar.exec(part)?.[0].length ?? 0;
      if (valid < part.length) return at + valid;
      next = "after";
    }
  }
  return next === "after" && !open.length ? null : text.length;
}
