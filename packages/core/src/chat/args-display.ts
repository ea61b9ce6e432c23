import {
  canonicalJson,
  type JsonObject,
  type JsonValue,
  oneLine,
} from "@self-context-manager/objects";

const longest = 120;

/** The usual names of the arguments that describe a call best. The first that a call has is shown. */
const telling = [
  "command",
  "path",
  "file_path",
  "filePath",
  "pattern",
  "query",
  "url",
  "id",
  "target",
  "name",
];

/** Returns a tool call on one line of at most 120 characters, for example `bash: "ls -la"`. */
export function argsDisplay(tool: string, args: JsonObject): string {
  const display = `${oneLine(tool)}: ${shownArgument(args)}`;
  return display.length <= longest ? display : `${cut(display, longest - 1)}…`;
}

function shownArgument(args: JsonObject): string {
  const field = telling.find((name) => typeof args[name] === "string");
  if (field !== undefined) return quoted(args[field] ?? "");
  const fields = Object.keys(args);
  const only = fields[0];
  if (fields.length === 1 && only !== undefined && typeof args[only] === "string")
    return quoted(args[only]);
  return oneLine(canonicalJson(args));
}

/** Number of characters of a long text that nearly always fill the line. Only runs of blanks become shorter. */
const beginning = 1_000;

function quoted(value: JsonValue): string {
  if (typeof value === "string" && value.length > beginning) {
    const begun = oneLine(JSON.stringify(value.slice(0, beginning)));
    // Twice the length of the line, so that half of a character at the cut is never shown.
    if (begun.length > 2 * longest) return begun;
  }
  return oneLine(JSON.stringify(value));
}

/** Cuts a text without leaving half of a surrogate pair. */
function cut(text: string, length: number): string {
  return text
    .slice(0, length)
    .toWellFormed()
    .replace(/\uFFFD$/u, "");
}
