import { type Fields, isFields } from "./pi-api.ts";

/** The most characters of one text, by its speaker. */
const longest = {
  User: 1_000,
  Assistant: 400,
  "Other branch": 400,
  "Earlier summary": 2_000,
} as const;

type Speaker = keyof typeof longest;

/** The most characters of all texts, and of each list of files. */
const mostSaid = 5_500;
const mostNames = 500;

/**
 * Describes messages without a model: the texts of the user and of the assistant, shortened, and the files that Pi's
 * tools read and wrote. If there is not enough room, the first prompt and the newest texts stay. `earlier`: the summary
 * of what was before the messages.
 */
export function whatWasSaid(messages: readonly unknown[], earlier: unknown): readonly string[] {
  const fields = messages.filter(isFields);
  const said = fields.flatMap(saidIn);
  const first = said.findIndex((text) => text.startsWith("User: "));
  const begin = [...lineOf("Earlier summary", earlier), ...said.slice(0, first + 1)];
  const rest = said.slice(first + 1);
  const newest = newestWithin(rest, mostSaid - lengthOf(begin));
  const leftOut = rest.length - newest.length;
  const lines = [
    ...begin,
    ...(leftOut === 0 ? [] : [`[${leftOut} texts are left out]`]),
    ...newest,
  ];
  return [
    ...(lines.length === 0 ? [] : ["What was said, each text shortened:", ...lines]),
    ...fileLine("Files read", namedBy(fields, ["read"])),
    ...fileLine("Files written", namedBy(fields, ["write", "edit"])),
  ];
}

function saidIn({ role, content, summary }: Fields): readonly string[] {
  if (role === "user") return lineOf("User", textOf(content));
  if (role === "assistant") return lineOf("Assistant", textOf(content));
  return role === "branchSummary" ? lineOf("Other branch", summary) : [];
}

function lineOf(speaker: Speaker, said: unknown): readonly string[] {
  const text = typeof said === "string" ? said.trim() : "";
  return text === "" ? [] : [`${speaker}: ${cut(text, longest[speaker])}`];
}

/** The text of a content, without thinking, images and calls. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter(isFields)
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
    .join("\n");
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // No half of a pair of surrogates stays at the end.
  return `${text.slice(0, most).replace(/\p{Cs}$/u, "")} […]`;
}

/** Returns the newest lines that have at most so many characters. */
export function newestWithin(lines: readonly string[], room: number): readonly string[] {
  let length = 0;
  const last = lines.findLastIndex((line) => {
    length += lengthOf([line]);
    return length > room;
  });
  return lines.slice(last + 1);
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** The files that calls of some tools name; those that were named last are at the end. */
function namedBy(messages: readonly Fields[], tools: readonly unknown[]): readonly string[] {
  const paths = messages
    .flatMap(({ role, content }) => (role === "assistant" && Array.isArray(content) ? content : []))
    .filter(isFields)
    .filter(({ type, name }) => type === "toolCall" && tools.includes(name))
    .flatMap(({ arguments: given }) => {
      const path = isFields(given) ? given["path"] : undefined;
      return typeof path === "string" ? [path] : [];
    });
  return [...new Set(paths.toReversed())].toReversed();
}

function fileLine(title: string, paths: readonly string[]): readonly string[] {
  const shown = newestWithin(paths, mostNames);
  if (shown.length === 0) return [];
  return [`${title}: ${shown.length < paths.length ? "…, " : ""}${shown.join(", ")}`];
}
