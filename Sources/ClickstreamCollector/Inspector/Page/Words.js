// Times, sizes and numbers as people read them.

const pad = (number, width = 2) => String(number).padStart(width, "0");

/** 08:25:12.036, with the day before it when that is not today. */
function clock(milliseconds) {
  const date = new Date(milliseconds);
  if (!Number.isFinite(date.getTime())) return "--";
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`;
  return date.toDateString() === new Date().toDateString() ? time : `${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${time.slice(0, 8)}`;
}

/** 2026-11-21 08:25:12.036 +08:00 */
function fullTime(milliseconds) {
  const date = new Date(milliseconds);
  if (!Number.isFinite(date.getTime())) return "no time";
  const offset = -date.getTimezoneOffset();
  const zone = `${offset < 0 ? "-" : "+"}${pad(Math.floor(Math.abs(offset) / 60))}:${pad(Math.abs(offset) % 60)}`;
  const local = new Date(milliseconds + offset * 60000);
  return Number.isFinite(local.getTime()) ? `${local.toISOString().replace("T", " ").slice(0, -1)} ${zone}` : "no time";
}

/** 850 ms, 12.4 s, 4 min 3 s, 2 h 5 min, 3 d 4 h */
function span(milliseconds) {
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

function bytes(count) {
  if (count < 1024) return `${count} B`;
  if (count < 1048576) return `${(count / 1024).toFixed(1)} KiB`;
  return `${(count / 1048576).toFixed(1)} MiB`;
}

const number = new Intl.NumberFormat("en").format;
const count = (n, noun) => `${number(n)} ${noun}${n === 1 ? "" : "s"}`;
// Controls, and what turns the direction of writing or takes no room: with it a text would look like another.
const unseen = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
/** A text that shows all that is in it. */
const visible = (text) => (text.search(unseen) < 0 ? text : text.replace(unseen, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`));
const brief = (text, length = 160) => visible(text.length > length ? `${text.slice(0, length)}\u2026` : text);

const hues = new Map();
/** A colour for a text, the same as long as the page lives; those that come one after the other are far apart. */
function hue(text) {
  if (!hues.has(text)) hues.set(text, `hsl(${(hues.size * 137.5 + 200) % 360} 58% 52%)`);
  return hues.get(text);
}
