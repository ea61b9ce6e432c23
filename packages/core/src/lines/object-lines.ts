import { type LineRange, oneLine } from "@self-context-manager/objects";
import { callHandle, handle, target } from "./handles.ts";
import { foreign, line, type LineKind, number, type Slot, writtenBy } from "./line-kind.ts";

const name = foreign("NAME");

/** A number in about four characters: 812, 4.1k, 12k, 3.4M. */
const size: Slot<number> = {
  name: "SIZE",
  pattern: String.raw`\d+(?:\.\d)?[kM]?`,
  write: shortNumber,
};

/** How a tool call ended. */
export type CallStatus = "ok" | "failed";

const status: Slot<CallStatus> = { name: "STATUS", pattern: "(?:ok|failed)", write: String };

/** The beginning of the header of a content block, by the object's type. */
export const titles: {
  readonly file: LineKind<[handle: string, name: string, version: number]>;
  readonly result: LineKind<[handle: string, status: CallStatus]>;
  readonly call: LineKind<[handle: string, name: string]>;
} = {
  file: line`${handle} ${name} v${number}`,
  result: line`${handle} ${status}`,
  /** In the pooled layout, where the tool and its argument are not directly above. */
  call: line`${callHandle} ${name}`,
};

const title = writtenBy("TITLE", [titles.file, titles.result]);

/** A slot for a remark that is there or not. */
function remark(text: string): Slot<boolean> {
  return { name: text, pattern: `(?:${text})?`, write: (isThere) => (isThere ? text : "") };
}

const timePattern = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;

/** A slot for the remark that a file is deleted: the time of its last version that was there. */
const deletedSince: Slot<string | undefined> = {
  name: "; the file is deleted now; it was last there at TIME",
  pattern: `(?:; the file is deleted now; it was last there at ${timePattern})?`,
  write: (time) =>
    time === undefined ? "" : `; the file is deleted now; it was last there at ${time}`,
};

/** The headers of content blocks that say more than the title. */
export const headers: {
  readonly lines: LineKind<
    [title: string, from: number, to: number, count: number, isCut: boolean]
  >;
  readonly difference: LineKind<[title: string, since: number, added: number, removed: number]>;
  readonly unchanged: LineKind<[title: string]>;
  readonly unchangedLines: LineKind<[title: string, from: number, to: number]>;
  readonly unchangedPart: LineKind<[title: string, handle: string]>;
} = {
  lines: line`${title} lines ${number}-${number} of ${number}${remark("; no room for more")}`,
  difference: line`${title} replaces v${number} above, +${number} -${number}`,
  unchanged: line`[${title} unchanged, shown above]`,
  unchangedLines: line`[${title} lines ${number}-${number} unchanged, shown above]`,
  unchangedPart: line`[${title} unchanged, shown above in part; activate ${target} with from and to shows more]`,
};

const anyTitle = writtenBy("TITLE", [titles.file, titles.call]);

const ranges: Slot<readonly LineRange[]> = {
  name: "RANGES",
  pattern: String.raw`\d+-\d+(?:, \d+-\d+)*`,
  write: (given) => given.map(({ from, to }) => `${from}-${to}`).join(", "),
};

/** The header of a version of a file that is not its newest one, in the output of the call that asked for it. */
export const earlierVersionHeader: LineKind<
  [
    version: number,
    handle: string,
    name: string,
    ranges: readonly LineRange[],
    count: number,
    lastThere: string | undefined,
    isCut: boolean,
  ]
> =
  line`Version ${number} of ${handle} ${name}, lines ${ranges} of ${number}${deletedSince}${remark("; from and to show other lines")}:`;

/** The header of a field of an object, in the output of the call that asked for it. */
export const fieldHeader: LineKind<
  [handle: string, version: number, field: string, isCut: boolean]
> = line`${handle} v${number}, field ${name}${remark("; only its beginning")}:`;

const pooledLines = line`${anyTitle} lines ${ranges} of ${number}`;
const pooledHeader = writtenBy("HEADER", [titles.file, titles.call, pooledLines]);

/** The headers of the pooled layout. Their title can be that of a call, which ends with a foreign text. */
export const pooledHeaders: {
  readonly lines: LineKind<[title: string, ranges: readonly LineRange[], count: number]>;
  readonly withoutFiles: LineKind<[header: string, files: number]>;
  readonly withoutRoom: LineKind<[header: string, handle: string]>;
} = {
  lines: pooledLines,
  withoutFiles: line`${pooledHeader}: no room for its files (${number})`,
  withoutRoom: line`${pooledHeader}: no room to show it; activate ${target} with from and to shows a part`,
};

/** The states of an object in its metadata line. */
export const states: {
  readonly present: LineKind<[size: number]>;
  readonly presentVersion: LineKind<[size: number, version: number]>;
  readonly failed: LineKind<[size: number]>;
  readonly unread: LineKind<[size: number]>;
  readonly nonText: LineKind<[size: number]>;
  readonly missing: LineKind<[]>;
  readonly withoutText: LineKind<[]>;
  readonly turns: LineKind<[count: number]>;
} = {
  present: line`${size}`,
  presentVersion: line`${size} v${number}`,
  failed: line`failed ${size}`,
  unread: line`unread ${size}B`,
  nonText: line`not text ${size}B`,
  missing: line`deleted`,
  /** A file of a user's message. */
  withoutText: line`no text`,
  /** A chat. */
  turns: line`${number} turns`,
};

const state = writtenBy("STATE", Object.values(states));

/** The type of a file: a word. */
const fileType: Slot<string> = {
  name: "TYPE",
  pattern: String.raw`[\w+#.-]+…?`,
  write: (type) => type.replaceAll(/[^\w+#.…-]/gu, ""),
};

/** A text with fields: `name=value`, or the mark of fields that are left out. */
const withField = "[^=…]*[=…].*";

/** The fields that the `view` of an object names. A value is JSON, in which nothing ends a line. */
const fields: Slot<string> = { name: "FIELDS", pattern: withField, write: unbroken };

/**
 * The rest of a line that ends with such fields. It has a name as well, which is a text of somebody else too, so both are
 * one slot.
 */
function fieldsAfter(rest: string): Slot<readonly [rest: string, fields: string]> {
  return {
    name: `${rest} FIELDS`,
    pattern: withField,
    write: ([text, last]) => `${oneLine(text)} ${unbroken(last)}`,
  };
}

function unbroken(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, " ");
}

/** The lines of known objects in the metadata pool. */
export const metadataLines: {
  readonly usual: LineKind<[handle: string, name: string, state: string]>;
  readonly withType: LineKind<[handle: string, name: string, type: string, state: string]>;
  readonly withFields: LineKind<
    [handle: string, nameAndFields: readonly [nameAndState: string, fields: string]]
  >;
} = {
  usual: line`${handle} ${name} ${state}`,
  withType: line`${handle} ${name} ${fileType} ${state}`,
  withFields: line`${handle} ${fieldsAfter("NAME STATE")}`,
};

/** The size of a content: characters of a text, or bytes of a file that was not read. */
export interface Amount {
  readonly count: number;
  readonly unit: "characters" | "bytes";
}

const amount: Slot<Amount> = {
  name: "AMOUNT",
  pattern: String.raw`\d+(?:\.\d)?[kM]?(?: chars|B)`,
  write: ({ count, unit }) => `${shortNumber(count)}${unit === "bytes" ? "B" : " chars"}`,
};

/** How many known files changed on disk, by the kind of change. */
export interface ChangeCounts {
  readonly edited: number;
  readonly moved: number;
  readonly deleted: number;
}

const changeCounts: Slot<ChangeCounts> = {
  name: "COUNTS",
  pattern: String.raw`(?:\d+ (?:edited|moved|deleted)(?:, )?){1,3}`,
  write: ({ edited, moved, deleted }) =>
    Object.entries({ edited, moved, deleted })
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(", "),
};

/** The line that replaces the lines of many files that others changed at once. */
export const manyChanges: LineKind<[count: number, counts: ChangeCounts]> =
  line`[${number} known files changed on disk: ${changeCounts}; activate takes their paths]`;

/** The metadata lines of several objects. Names can contain anything, so the list is not read again. */
const metadataList: Slot<readonly string[]> = {
  name: "METADATA LINES",
  pattern: ".+",
  write: (lines) => lines.map(oneLine).join("; "),
};

/** The line that names the objects to which an active document links, as far as nothing else in the view names them. */
export const linkedObjects: LineKind<[document: string, lines: readonly string[]]> =
  line`[${handle} links to ${metadataList}]`;

/** The report of a change by others, which is not shown. */
export const changed: LineKind<
  [name: string, before: number, old: Amount, after: number, now: Amount, shown: number]
> = line`${name} changed, v${number} ${amount} -> v${number} ${amount}; read it to see v${number}`;

/** The lines in brackets that name an object without its content. */
export const referenceLines: {
  readonly result: LineKind<[handle: string, status: CallStatus, size: number]>;
  readonly resultWithoutText: LineKind<[handle: string, status: CallStatus]>;
  readonly resultWithFields: LineKind<
    [handle: string, status: CallStatus, size: number, fields: string]
  >;
  readonly resultWithoutTextWithFields: LineKind<
    [handle: string, status: CallStatus, fields: string]
  >;
  readonly resultWithoutOutput: LineKind<[handle: string, status: CallStatus]>;
  readonly report: LineKind<[handle: string, status: CallStatus, report: string]>;
  readonly metadata: LineKind<[metadataLine: string]>;
  readonly withoutRoom: LineKind<[metadataLine: string, handle: string]>;
  readonly replaces: LineKind<[handle: string, version: number, above: number]>;
  readonly change: LineKind<[handle: string, change: string]>;
  readonly changeWithFields: LineKind<
    [handle: string, changeAndFields: readonly [change: string, fields: string]]
  >;
} = {
  result: line`[${handle} ${status}, ${size} chars]`,
  resultWithoutText: line`[${handle} ${status}, no text]`,
  resultWithFields: line`[${handle} ${status}, ${size} chars ${fields}]`,
  resultWithoutTextWithFields: line`[${handle} ${status}, no text ${fields}]`,
  resultWithoutOutput: line`[${handle} ${status}, no output]`,
  /** In the pooled layout: the report of a context tool. */
  report: line`[${handle} ${status}] ${foreign("REPORT")}`,
  metadata: line`[${writtenBy("METADATA LINE", Object.values(metadataLines))}]`,
  /** An object that was asked for and that does not fit. */
  withoutRoom: line`[${writtenBy("METADATA LINE", Object.values(metadataLines))}; no room to show it, activate ${target} with from and to shows a part]`,
  replaces: line`[${handle} v${number} replaces v${number} above]`,
  change: line`[${handle} ${writtenBy(changed.shape, [changed])}]`,
  changeWithFields: line`[${handle} ${fieldsAfter("CHANGE")}]`,
};

/** Returns a number in about four characters. */
function shortNumber(value: number): string {
  if (value < 1_000) return String(value);
  const [unit, letter] = value < 1_000_000 ? [1_000, "k"] : [1_000_000, "M"];
  const scaled = value / unit;
  return `${scaled < 10 ? scaled.toFixed(1).replace(".0", "") : Math.round(scaled)}${letter}`;
}
