// Texts and numbers of an event in other languages: words of a shell, JSON and YAML strings, Swift literals. Any text is data in each of them.

import { unquoted } from "./JSONText.js";
import { escapedIn } from "./Words.js";

// MARK: - Texts

/** A word that is the same without quotation marks. */
const plainWord = /^[\w./:][\w./:@%,+=-]*$/;

const octal = (character) => [...new TextEncoder().encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");

/**
 * A word of a shell with the bytes of the text, which must not contain NUL. Characters without a glyph and tabs are octal escapes (bash, zsh,
 * ksh), so that a terminal into which the word is pasted does not take them for commands.
 */
export function shellWord(text) {
  if (plainWord.test(text)) return text;
  const printable = escapedIn(text.replaceAll("\t", octal), octal);
  return printable === text ? `'${text.replaceAll("'", "'\\''")}'` : `$'${escapedIn(text.replace(/[\\'!\t]/g, octal), octal)}'`;
}

/** Four hexadecimal digits for each unit of UTF-16, as JSON has them. */
const jsonEscape = (character) => Array.from({ length: character.length }, (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`).join("");

/** A JSON string on one line, of printable characters only. Half of a surrogate pair is U+FFFD, as the collector reads it. */
export const jsonString = (text) => escapedIn(JSON.stringify(text.toWellFormed()), jsonEscape);

/** A JSON value that is no object or array: a string as `jsonString`, others in the text that was sent. */
export const jsonScalar = (json) => (json.startsWith('"') ? jsonString(unquoted(json)) : json);

const yamlEscape = (character) => `\\U${character.codePointAt(0).toString(16).padStart(8, "0")}`;

/** A double-quoted scalar of YAML, which has no escapes for halves of a pair, and does not allow the last two characters of the basic plane. */
export const yamlString = (text) => escapedIn(JSON.stringify(text.toWellFormed()), yamlEscape).replace(/[\ufffe\uffff]/g, yamlEscape);

const swiftEscape = (character) => `\\u{${character.codePointAt(0).toString(16)}}`;
const swiftNames = { "\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0" };

/** A string literal of Swift on one line. An interpolation begins with a backslash, and so none is left. */
export const swiftString = (text) => `"${escapedIn(text.toWellFormed().replace(/[\\"\n\r\t\0]/g, (character) => swiftNames[character]), swiftEscape)}"`;

// MARK: - Numbers

const smallestInteger = -(2n ** 63n), largestInteger = 2n ** 63n - 1n, largestUnsigned = 2n ** 64n - 1n;
const smallestNormal = 2 ** -1022;
const isWhole = (json) => /^-?\d+$/.test(json);
/** A whole number of at most 20 digits, or null. */
const wholeOf = (json) => (isWhole(json) && json.length <= 21 ? BigInt(json) : null);

/** Digits of a decimal number without outer zeros, and its exponent: equal for equal numbers in any spelling. */
function significant(json) {
  const [, whole, fraction = "", exponent = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(json);
  const digits = (whole + fraction).replace(/^0+/, ""), [trimmed] = /^\d*[1-9]/.exec(digits) ?? [""];
  return { digits: trimmed, exponent: trimmed === "" ? 0 : Number(exponent) - fraction.length + digits.length - trimmed.length };
}

/** The number in the one spelling that numbers with its exact decimal value have: `1` for `1.0`, `99.9` for `99.90`, `1e+21`. */
export function exactNumber(json) {
  const { digits, exponent } = significant(json), sign = json.startsWith("-") ? "-" : "";
  if (digits === "") return "0";
  // The number is 0.digits with the decimal point moved.
  const point = digits.length + exponent, isPlain = point > 0 && point <= 21;
  if (isPlain) return `${sign}${digits.slice(0, point).padEnd(point, "0")}${digits.length > point ? `.${digits.slice(point)}` : ""}`;
  if (point > -6 && point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ""}e${point > 0 ? "+" : ""}${point - 1}`;
}

/** "integer" within 64 bits; "double" with exactly these digits; "long" with more digits than either; "infinite" beyond a double. */
export function numberKind(json) {
  const whole = wholeOf(json);
  if (whole !== null && whole >= smallestInteger && whole <= largestInteger) return "integer";
  const value = Number(json);
  if (!Number.isFinite(value)) return "infinite";
  if (isWhole(json)) return "long";
  const sent = significant(json), read = significant(String(Math.abs(value)));
  return sent.digits === read.digits && sent.exponent === read.exponent ? "double" : "long";
}

/** The shortest text of a number that is not "infinite", as the SDK writes it and `assert` expects it: 699.0, 1e+21, 5e-324. A "long" one is rounded. */
export function shortestNumber(json) {
  if (numberKind(json) === "integer") return String(BigInt(json));
  const value = Number(json), sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (value === 0) return `${sign}0.0`;
  const { digits, exponent } = significant(String(Math.abs(value)));
  // Number of digits before the decimal point.
  const point = digits.length + exponent;
  if (point < -3 || Math.abs(value) > 2 ** 53) {
    const power = point - 1;
    return `${sign}${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ""}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.slice(0, point).padEnd(point, "0")}.${digits.slice(point) || "0"}`;
}

/** A Swift expression with the value and the type of a number; null for one that no type of Swift's holds. */
export function swiftNumber(json) {
  const kind = numberKind(json);
  // The compiler warns of a literal below the normal numbers.
  if (kind === "double" && Number(json) !== 0 && Math.abs(Number(json)) < smallestNormal) return `Double("${json}")`;
  if (kind === "integer" || kind === "double") return json;
  if (kind === "infinite") return null;
  const whole = wholeOf(json);
  if (whole !== null && whole >= 0n && whole <= largestUnsigned) return `UInt64(${json})`;
  // The digits and the exponents that a Decimal has.
  const { digits, exponent } = significant(json);
  return digits.length <= 38 && Math.abs(exponent) < 128 ? `Decimal(string: "${json}")` : null;
}
