// Reads JSON as text: the page shows the bytes that were sent (699.0, long integers, escapes), not what a browser makes
// of them. All loops are flat, so that no nesting is too deep.

/** The index of the quotation mark that ends the string beginning at `at`. */
function endOfString(text, at) {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

/** The index behind the value that begins at `at`. */
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

/** Tokens without white space: [kind, text], where kind is one of { } [ ] : , string number word. */
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
const longestPart = 20000;

/** Whether the object or array at `at` is short and holds no other: it then stays on one line. */
function isShortAndFlat(text, at) {
  const start = text.slice(at, at + inlineLength + 1);
  const end = endOfValue(start, 0);
  return /[}\]]/.test(start[end - 1]) && !/[[{]/.test(start.slice(1, end));
}

/** At most `most` lines of { depth, key, parts: [[class, text]] }. Short flat objects and arrays stay on one line. */
function prettyLines(text, most = 4000) {
  const lines = [];
  let line = { depth: 0, key: null, parts: [] };
  let depth = 0, inline = 0, key = null;
  const stack = [];
  const end = () => { if (line.parts.length) lines.push(line); line = { depth, key: null, parts: [] }; };
  const all = tokens(text);
  let previous = "";
  for (const [kind, part, at] of all) {
    if (lines.length >= most) { line.parts = [["muted", "\u2026 Copy takes all of it"]]; break; }
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
      if (!isKey && kind === "number" && /timestamp$/.test(key ?? "") && /^\d{12,14}$/.test(part)) line.time = Number(part);
    }
    previous = kind;
  }
  end();
  return lines;
}

/** The highlighted text. `marked` are names whose lines stand out. */
function prettyElement(text, marked = new Set()) {
  return make("pre.json", { tabindex: 0, role: "region", "aria-label": "JSON as it was sent" }, prettyLines(text).map((line) =>
    make(marked.has(line.key) ? "div.line.marked" : "div.line", { style: { paddingLeft: `${Math.min(line.depth, 30) * 14 + 14}px` } },
      line.parts.map(([kind, part]) => (kind ? make(`span.${kind}`, part) : part)),
      line.time && make("span.comment", `  ${fullTime(line.time)}`))));
}

/** Paths with the text of their values, in written order; empty objects and arrays count as values. */
function flatten(text) {
  const found = new Map();
  const stack = [];
  let key = null, previous = "";
  const path = () => stack.map((place) => (place.isArray ? `[${place.index}]` : place.key)).join(".").replaceAll(".[", "[");
  for (const [kind, part] of tokens(text)) {
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
