// Command that gives the answer of a question in a terminal.

import { urlOf } from "./Collector.js";
import { shellWord } from "./Quoting.js";

/** Options of the conditions of the query API that have other names. */
const optionNames = { app: "app-id", version: "app-version" };

/** A command without NUL, which no argument of a process can have: the store has U+FFFD in its place. */
const word = (text) => shellWord(text.replaceAll("\0", "\ufffd"));

/** @param name of the report  @param options values by the names of the query API; null or empty for none  @param operands further arguments */
export function reportCommand(name, options, operands = []) {
  const given = Object.entries(options).filter(([, value]) => value !== null && value !== "");
  const words = given.map(([option, value]) => {
    // A value that begins with a dash would be another option.
    const text = `--${optionNames[option] ?? option}`;
    return /^-/.test(value) ? `${text}=${word(String(value))}` : `${text} ${word(String(value))}`;
  });
  return ["clickstream-cli", "report", name, "--url", word(urlOf("")), ...words, ...(operands.length ? ["--", ...operands.map(word)] : [])].join(" ");
}
