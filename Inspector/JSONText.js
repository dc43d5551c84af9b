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
export function endOfValue(text, at) {
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

/** Members of an object as [name, JSON text of the value], or elements of an array under their index; at most `most`. None of any other value. */
export function* membersOf(text, most = Infinity) {
  let at = skipSpace(text, 0);
  const isArray = text[at] === "[";
  if (!isArray && text[at] !== "{") return;
  at++;
  for (let index = 0; index < most; index++) {
    at = skipSpace(text, at);
    if (at >= text.length || text[at] === "}" || text[at] === "]") return;
    let name = index;
    if (!isArray) {
      const end = Math.min(endOfString(text, at) + 1, text.length);
      name = unquoted(text.slice(at, end));
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    const end = endOfValue(text, at);
    yield [name, text.slice(at, end).trimEnd()];
    at = skipSpace(text, end);
    if (text[at] === ",") at++;
  }
}

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

/** Tokens without white space: [kind, text, index], with one of the kinds { } [ ] : , string number word. */
function* tokens(text) {
  for (let i = 0; i < text.length; ) {
    const c = text[i];
    if (c === " " || c === "\n" || c === "\t" || c === "\r") { i++; continue; }
    if ("{}[]:,".includes(c)) { yield [c, c, i]; i++; continue; }
    let end = i + 1;
    if (c === '"') end = Math.min(endOfString(text, i) + 1, text.length);
    else while (end < text.length && !"{}[]:, \n\t\r\"".includes(text[end])) end++;
    yield [c === '"' ? "string" : /[-0-9]/.test(c) ? "number" : "word", text.slice(i, end), i];
    i = end;
  }
}

const inlineLength = 72;
/** Characters of one value after which it is shown cut. */
const longestPart = 4000;

/** True if the object or array at `at` is short and contains no other; it is then laid out on one line. */
function isShortAndFlat(text, at) {
  const start = text.slice(at, at + inlineLength + 1);
  const end = endOfValue(start, 0);
  return /[}\]]/.test(start[end - 1]) && !/[[{]/.test(start.slice(1, end));
}

/** True if the name is that of a time and the number has milliseconds since 1970. */
export const isTime = (name, json) => /timestamp$/.test(name ?? "") && /^\d{12,14}$/.test(json);

/** Lines of { depth, key, parts: [[class, text]], time }, at most `most`. Short flat objects and arrays take one line. */
function prettyLines(text, most = 4000) {
  const lines = [];
  let line = { depth: 0, key: null, parts: [] };
  let depth = 0, inline = 0, key = null;
  const stack = [];
  const end = () => { if (line.parts.length) lines.push(line); line = { depth, key: null, parts: [] }; };
  const all = tokens(text);
  let previous = "";
  for (const [kind, part, at] of all) {
    if (lines.length >= most) { line.parts = [["muted", `\u2026 first ${number(most)} lines; Copy and Save have all of them`]]; break; }
    const inObject = stack.at(-1) === "{";
    if (kind === "{" || kind === "[") {
      const flat = inline || isShortAndFlat(text, at);
      stack.push(kind);
      line.parts.push(["mark", kind]);
      if (flat) { inline++; if (kind === "{" && text.slice(at + 1, at + inlineLength).trimStart()[0] !== "}") line.parts.push(["", " "]); }
      else { depth++; end(); }
    } else if (kind === "}" || kind === "]") {
      stack.pop();
      if (inline) { inline--; line.parts.push(["mark", kind === "}" && previous !== "{" ? " }" : kind]); }
      else { depth--; end(); line.depth = depth; line.parts.push(["mark", kind]); }
    } else if (kind === ",") {
      line.parts.push(["mark", inline ? ", " : ","]);
      if (!inline) end();
    } else if (kind === ":") {
      line.parts.push(["mark", ": "]);
    } else {
      const isKey = kind === "string" && inObject && (previous === "{" || previous === ",");
      if (isKey) { key = part.slice(1, -1); if (!line.key) line.key = key; }
      line.parts.push([isKey ? "key" : kind, brief(part, longestPart)]);
      if (part.length > longestPart) line.parts.push(["comment", ` ${bytes(part.length)}, cut`]);
      if (!isKey && kind === "number" && isTime(key, part)) line.time = Number(part);
    }
    previous = kind;
  }
  end();
  return lines;
}

/** Highlighted JSON. Lines of the names in `marked` are emphasized. */
export function prettyElement(text, marked = new Set(), label = "JSON as sent") {
  return make("pre.json", { tabindex: 0, role: "region", "aria-label": label }, prettyLines(text).map((line) =>
    make(marked.has(line.key) ? "div.line.marked" : "div.line", { style: { paddingLeft: `${Math.min(line.depth, 30) * 14 + 14}px` } },
      line.parts.map(([kind, part]) => (kind ? make(`span.${kind}`, part) : part)),
      line.time && make("span.comment", `  ${fullTime(line.time)}`))));
}

const mostPaths = 20000, deepestPath = 50;

/** Paths with the JSON text of their values, in written order, at most `mostPaths`. Empty objects and arrays count as values. */
export function flatten(text) {
  const found = new Map();
  const stack = [];
  let previous = "";
  const path = () => stack.slice(0, deepestPath).map((place) => (place.isArray ? `[${place.index}]` : place.key)).join(".").replaceAll(".[", "[");
  for (const [kind, part] of tokens(text)) {
    if (found.size >= mostPaths) break;
    const place = stack.at(-1);
    if (kind === "{" || kind === "[") stack.push({ isArray: kind === "[", index: 0, key: "" });
    else if (kind === "}" || kind === "]") {
      stack.pop();
      if (previous === "{" || previous === "[") found.set(path(), previous + kind);
    } else if (kind === ",") { if (place?.isArray) place.index++; }
    else if (kind !== ":") {
      const isKey = kind === "string" && place && !place.isArray && (previous === "{" || previous === ",");
      if (isKey) place.key = part.slice(1, -1);
      else found.set(path(), part);
    }
    previous = kind;
  }
  return found;
}

const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)/y;

/** Index after the string at `at`, or -1 - index of the character that is not allowed in it. */
function endOfValidString(text, at) {
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 34) return i + 1;
    if (code < 32) return -1 - i;
    if (code !== 92) continue;
    const escape = text[++i];
    if (escape === "u" && /^[0-9a-fA-F]{4}$/.test(text.slice(i + 1, i + 5))) i += 4;
    else if (!escape || !'"\\/bfnrt'.includes(escape)) return -1 - Math.min(i, text.length);
  }
  return -1 - text.length;
}

/** Index of the first character at which the text is not JSON, its length if it ends too early, or null for well-formed JSON. */
export function positionOfError(text) {
  const stack = [];
  // Kind of the next token: value, first (value or end of the array), key, firstKey (key or end of the object), colon, after.
  let next = "value";
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const c = text[at];
    const isEnd = (c === "]" && stack.at(-1) === "[" && (next === "first" || next === "after")) || (c === "}" && stack.at(-1) === "{" && (next === "firstKey" || next === "after"));
    if (isEnd) { stack.pop(); next = "after"; at++; continue; }
    if (next === "after") {
      if (c !== "," || !stack.length) return at;
      next = stack.at(-1) === "[" ? "value" : "key";
      at++;
    } else if (next === "colon") {
      if (c !== ":") return at;
      next = "value";
      at++;
    } else if (c === '"') {
      const end = endOfValidString(text, at);
      if (end < 0) return -1 - end;
      at = end;
      next = next === "key" || next === "firstKey" ? "colon" : "after";
    } else if (next === "key" || next === "firstKey") {
      return at;
    } else if (c === "{" || c === "[") {
      stack.push(c);
      next = c === "{" ? "firstKey" : "first";
      at++;
    } else {
      scalar.lastIndex = at;
      if (!scalar.test(text)) return at;
      at = scalar.lastIndex;
      next = "after";
    }
  }
  return next === "after" && !stack.length ? null : text.length;
}
