// Times, durations, sizes and texts in display form.

const pad = (number, width = 2) => String(number).padStart(width, "0");

/** 08:25:12.036, or 11-21 08:25:12 for a day other than today. */
export function clock(milliseconds) {
  const date = new Date(milliseconds);
  if (!Number.isFinite(date.getTime())) return "--";
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`;
  return date.toDateString() === new Date().toDateString() ? time : `${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${time.slice(0, 8)}`;
}

/** 2026-11-21 08:25:12.036 +08:00 */
export function fullTime(milliseconds) {
  const date = new Date(milliseconds);
  if (!Number.isFinite(date.getTime())) return "no time";
  const offset = -date.getTimezoneOffset();
  const zone = `${offset < 0 ? "-" : "+"}${pad(Math.floor(Math.abs(offset) / 60))}:${pad(Math.abs(offset) % 60)}`;
  const local = new Date(milliseconds + offset * 60000);
  return Number.isFinite(local.getTime()) ? `${local.toISOString().replace("T", " ").slice(0, -1)} ${zone}` : "no time";
}

/** 2026-11-21T08:25:12.036, as in a field of a date and time. */
export const localTime = (milliseconds) => fullTime(milliseconds).slice(0, 23).replace(" ", "T");

/** 850 ms, 12.4 s, 4 min 3 s, 2 h 5 min, 3 d 4 h */
export function span(milliseconds) {
  const sign = milliseconds < 0 ? "-" : "";
  const ms = Math.abs(milliseconds);
  if (ms === 0) return "0 s";
  if (ms < 1000) return `${sign}${Math.round(ms)} ms`;
  if (ms < 60000) return `${sign}${Number((ms / 1000).toFixed(1))} s`;
  const parts = [[86400000, "d"], [3600000, "h"], [60000, "min"], [1000, "s"]];
  const first = parts.findIndex(([size]) => ms >= size);
  const large = Math.floor(ms / parts[first][0]);
  const small = Math.floor((ms % parts[first][0]) / parts[first + 1][0]);
  return `${sign}${large} ${parts[first][1]}${small ? ` ${small} ${parts[first + 1][1]}` : ""}`;
}

export function bytes(count) {
  if (count < 1024) return `${count} B`;
  if (count < 1048576) return `${(count / 1024).toFixed(1)} KiB`;
  return `${(count / 1048576).toFixed(1)} MiB`;
}

export const number = new Intl.NumberFormat("en").format;
export const count = (n, noun) => `${number(n)} ${noun}${n === 1 ? "" : "s"}`;
/** Number of findings past the limits on those that are listed. */
export const unlistedText = (n) => `${count(n, "more finding")} not listed`;
/**
 * Characters without a glyph of their own: controls, bidirectional marks, joiners, fillers, variation selectors, tags and
 * unpaired surrogates. With them, one text could pass for another. Line ends and tabs are kept, and joiners and variation selectors
 * where a script or an emoji needs them.
 */
const invisible = new RegExp([
  String.raw`(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0]`,
  String.raw`(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\p{M}\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Mlym}\p{scx=Sinh}])[\u200c\u200d]`,
  String.raw`(?<![\p{Emoji}\p{scx=Han}\p{scx=Mong}\p{scx=Mymr}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`,
].join("|"), "gu");

/** \u202e, or \u{e0041} beyond the basic plane. */
function escaped(character) {
  const hex = character.codePointAt(0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}

/** Printable ASCII, the usual case. */
const plain = /^[\t\n -~]*$/;

/** The text with invisible characters as escapes. */
export const visible = (text) => (plain.test(text) ? text : text.replace(invisible, escaped));

/** The text with its characters without a glyph, except line ends and tabs, escaped by a function. */
export const escapedIn = (text, escape) => (plain.test(text) ? text : text.replace(invisible, escape));

/** The text with the characters in place of escapes that `visible` makes. */
export const unescaped = (text) => text.replace(/\\u(?:([0-9a-f]{4})|\{([0-9a-f]{5})\})/g, (escape, short, long) => {
  const character = String.fromCodePoint(parseInt(short ?? long, 16));
  return visible(character) === escape ? character : escape;
});

/** The start of a text, not cut within a surrogate pair. */
function prefixOf(text, length) {
  const code = text.charCodeAt(length - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? length - 1 : length);
}

/** At most `length` characters, then an ellipsis, with invisible characters as escapes. */
export const brief = (text, length = 160) => visible(text.length > length ? `${prefixOf(text, length)}\u2026` : text);

/** At most `length` characters, cut in the middle: names of screens often begin with a module and differ near their end. */
export function shortened(text, length) {
  const shown = visible(text);
  if (shown.length <= length) return shown;
  const head = Math.floor(length / 4);
  return `${prefixOf(shown, head)}\u2026${shown.slice(head + 1 - length).replace(/^[\udc00-\udfff]/, "")}`;
}

/** A name on two lines of at most `length` characters, divided before a word. */
export function linesOf(name, length) {
  const text = shortened(name, 2 * length);
  if (text.length <= length) return [text];
  const starts = [...text.matchAll(/(?<=[^\p{Lu}])\p{Lu}|(?<=[ ._/-])./gu)].map((match) => match.index);
  const at = starts.findLast((start) => start <= length && text.length - start <= length) ?? length;
  return [text.slice(0, at), text.slice(at)];
}

const hues = new Map();
/** A colour for a text, constant for the life of the page. Consecutive texts get distant hues. */
export function hue(text) {
  if (!hues.has(text)) hues.set(text, `hsl(${(hues.size * 137.5 + 200) % 360} 58% 52%)`);
  return hues.get(text);
}
