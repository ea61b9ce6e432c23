import {
  defined,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  madeOnce,
} from "@self-context-manager/objects";
import {
  type ArgumentStub,
  type AssistantEntry,
  type Fold,
  isWholeStub,
  type ResultEntry,
  type ShownPart,
  type UserEntry,
  type UserPart,
  type ViewEntry,
} from "./view-entry.ts";

/**
 * Returns the stored form of an entry: a row of text. It is short because each call adds some rows, and a store keeps
 * them for ever.
 *
 *     u12 38                       the user message of turn 12 (from 0), 38 tokens
 *     u12 head=500 130             its first 500 characters
 *     u12 head=500 files 4130      its first 500 characters and its files
 *     u12 0=u1@1 2438              its text or file in block 0 is the object u1 version 1
 *     u12 0=u1@1:2000+800,2=u2@1 940   the first 2000 and the last 800 characters of that text
 *     u12 1=u3@1:gone 30           the same without the file in block 1, which is the object u3 version 1
 *     a12.3 92                     the answer in step 3
 *     a12.3 0=f2@4,1 40            the same without the large arguments of call 0 (now in f2 version 4) and call 1
 *     a12.3 0=f2@4/3 40            the same for an edit: the texts that it replaced are in version 3; 0: in none
 *     a12.3 0-120=f2@3,1-120 60    the same without the texts of 120 characters and more that these calls replaced
 *     a12.3 0+200 60               the same with only the first 200 characters of each long text of call 0
 *     a12.3 -thinking 60           the same without its signed thinking; arguments can follow
 *     a12.3 -all-thinking 60       the same without any thinking; arguments can follow
 *     a12.3 60 fold=0-2,4 f1,t3 text   the same behind a text for steps 0 to 2 and 4, which names f1 and t3
 *     r12.3.0 t31@1 bare 52        the result of its call 0 in its original form
 *     r12.3.0 t31@1 ref 16         its reference line
 *     r12.3.0 t31@1 whole 480      the result as a content block
 *     r12.3.0 t31@1 [f2@4:lines=10-20 t31@1:above] f5@2/1 90   the parts that it shows, and the file that it replaced
 *     r12.3.0 t31@1 [f2@4:above=1-2] 14   lines 1 to 2 of a file are shown above
 *     r12.3.0 t31@1 [f2@4:part=500+100!] 190   a part of a file, because the budget did not allow more
 *     b [f2@4:diff=3] 60           objects in a separate message
 *     b [f2@4:change=3] 20         the report of a change since version 3
 *     b [f1@2:linking f2@4:linked] 30   the line of the objects to which an active document links
 *     b [f2@4:counted-move f3@2:counted-deletion] 25   the number of files that changed, by the kind of change
 *     o12.4 20, s 300, n 12 text   an opaque message, the summary, a notice
 *
 * An entry that does not fit this form, such as one with a handle of another shape, is stored as an object. Its `type`
 * is stored under `is`, and `form` under `as`.
 */
export function entryRow(entry: ViewEntry): JsonValue {
  return madeOnce(rows, entry, () => rowOf(entry) ?? renamed(entry, storedNames));
}

/** Returns the entry of a stored row. Throws `TypeError` for an invalid row. */
export function readEntryRow(row: JsonValue): ViewEntry {
  const entry = typeof row === "string" ? entryOf(row) : entryOfFields(row);
  if (entry === undefined) throw noRow(row);
  if (typeof row === "string") rows.set(entry, row);
  return Object.freeze(entry);
}

const storedNames: ReadonlyMap<string, string> = new Map([
  ["type", "is"],
  ["form", "as"],
]);
const entryNames: ReadonlyMap<string, string> = new Map([
  ["is", "type"],
  ["as", "form"],
]);

function entryOfFields(row: JsonValue): ViewEntry | undefined {
  return isJsonObject(row) ? (renamed(row, entryNames) as unknown as ViewEntry) : undefined;
}

/** Returns an entry and the parts that it shows, with other names for some fields. */
function renamed(entry: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  const rename = (fields: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [names.get(name) ?? name, value]),
    );
  const { shows } = entry;
  const parts = Array.isArray(shows) ? { shows: (shows as readonly JsonObject[]).map(rename) } : {};
  return { ...rename(entry), ...parts };
}

/** The rows of entries. Most entries appear in many views, so each row is built once. */
const rows = new WeakMap<ViewEntry, JsonValue>();

function rowOf(entry: ViewEntry): string | undefined {
  const { tokens } = entry;
  switch (entry.type) {
    case "user": {
      const parts = entry.parts?.map(userPartRow);
      if (parts?.includes(undefined) === true || parts?.length === 0) return undefined;
      const named = parts === undefined ? "" : ` ${parts.join(",")}`;
      return `u${entry.turn}${headOf(entry)}${named} ${tokens}`;
    }
    case "assistant": {
      const stubs = entry.stubs?.map(stubText);
      if (stubs?.includes(undefined) === true || stubs?.length === 0) return undefined;
      const fold = entry.fold === undefined ? "" : foldText(entry.fold);
      if (fold === undefined) return undefined;
      const parts = [
        ...(entry.thinking === undefined ? [] : [thinkingRows[entry.thinking]]),
        ...(stubs === undefined ? [] : [stubs.join(",")]),
        tokens,
      ];
      return `a${entry.turn}.${entry.step} ${parts.join(" ")}${fold}`;
    }
    case "opaque":
      return `o${entry.turn}.${entry.step} ${tokens}`;
    case "summary":
      return entry.at === undefined ? `s ${tokens}` : `s${entry.at} ${tokens}`;
    case "notice":
      return `n ${tokens} ${entry.text}`;
    case "added":
      return undefined;
    case "object": {
      const shows = partsText(entry.shows);
      return shows === undefined ? undefined : `b ${shows} ${tokens}`;
    }
    case "result":
      return resultRow(entry);
  }
}

function resultRow(entry: ResultEntry): string | undefined {
  const { turn, step, call, of, version, form, shows, replaces, tokens } = entry;
  if (of !== undefined && (version === undefined || !isHandle(of))) return undefined;
  if (of === undefined && version !== undefined) return undefined;
  if ((shows === undefined) !== (form !== "shown")) return undefined;
  const how = shows === undefined ? (form === "bare" ? "bare" : "ref") : showsText(entry, shows);
  if (how === undefined || (replaces !== undefined && !isHandle(replaces.of))) return undefined;
  const place = `r${turn}.${step}.${call}${of === undefined ? "" : ` ${of}@${version}`}`;
  const replaced =
    replaces === undefined ? "" : ` ${replaces.of}@${replaces.version}/${replaces.above}`;
  return `${place} ${how}${replaced} ${tokens}`;
}

function showsText({ of, version }: ResultEntry, shows: readonly ShownPart[]): string | undefined {
  const [only] = shows;
  const isOwn = shows.length === 1 && only?.of === of && only?.version === version;
  return isOwn && only?.form === "whole" ? "whole" : partsText(shows);
}

function stubText(stub: ArgumentStub): string | undefined {
  const { call, of, version, before, replaced, head } = stub;
  if (!isWholeStub(stub) && before !== undefined) return undefined;
  if (head !== undefined && (replaced !== undefined || of !== undefined)) return undefined;
  const part = replaced === undefined ? (head === undefined ? "" : `+${head}`) : `-${replaced}`;
  if (of === undefined)
    return version === undefined && before === undefined ? `${call}${part}` : undefined;
  if (version === undefined || !isHandle(of)) return undefined;
  return `${call}${part}=${of}@${version}${before === undefined ? "" : `/${before}`}`;
}

function partsText(parts: readonly ShownPart[]): string | undefined {
  const texts = parts.map(partText);
  return texts.includes(undefined) ? undefined : `[${texts.join(" ")}]`;
}

function partText(part: ShownPart): string | undefined {
  if (!isHandle(part.of)) return undefined;
  const detail = detailOf(part);
  const mark = part.forBudget === true ? "!" : "";
  return detail === undefined
    ? undefined
    : `${part.of}@${part.version}:${part.form}${detail}${mark}`;
}

/** Returns the details of a part in addition to its form, or undefined for details that this form does not have. */
function detailOf({ form, from, to, head, tail, since }: ShownPart): string | undefined {
  const isRange = from !== undefined && to !== undefined;
  const isEnds = head !== undefined && tail !== undefined;
  const given = [from, to, head, tail, since].filter((one) => one !== undefined).length;
  if (form === "lines" || (form === "above" && given > 0))
    return isRange && given === 2 ? `=${from}-${to}` : undefined;
  if (form === "part") return isEnds && given === 2 ? `=${head}+${tail}` : undefined;
  if (form === "diff" || form === "change")
    return since !== undefined && given === 1 ? `=${since}` : undefined;
  return given === 0 ? "" : undefined;
}

function isHandle(text: string): boolean {
  return /^[a-z]+\d*$/u.test(text);
}

/** In the row of an answer: the thinking that is not shown. */
const thinkingRows: Readonly<Record<NonNullable<AssistantEntry["thinking"]>, string>> = {
  "left-out": "-thinking",
  "all-left-out": "-all-thinking",
};

/** Returns the end of the row of an answer with a fold, or undefined for a fold with other names or steps. */
function foldText({ steps, names, text }: Fold): string | undefined {
  const isInOrder = steps.every((step, at) => at === 0 || step > (steps[at - 1] ?? step));
  if (steps.length === 0 || !isInOrder || !names.every(isHandle)) return undefined;
  const ranges: string[] = [];
  let from = 0;
  for (const [at, step] of steps.entries()) {
    if (steps[at + 1] === step + 1) continue;
    const first = steps[from] ?? step;
    ranges.push(first === step ? String(step) : `${first}-${step}`);
    from = at + 1;
  }
  return ` fold=${ranges.join(",")} ${names.join(",")} ${text}`;
}

function readFold(steps: string, names: string, text: string): Fold {
  return {
    steps: steps.split(",").flatMap((range) => {
      const [first = 0, last = first] = range.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, at) => first + at);
    }),
    names: names === "" ? [] : names.split(","),
    text,
  };
}

function headOf({ head, files }: UserEntry): string {
  if (head === undefined) return "";
  return ` head=${head}${files === undefined ? "" : " files"}`;
}

function userPartRow({ block, of, version, head, tail, gone }: UserPart): string | undefined {
  if (!isHandle(of) || (head === undefined) !== (tail === undefined)) return undefined;
  if (head !== undefined && gone === true) return undefined;
  const left = gone === true ? ":gone" : head === undefined ? "" : `:${head}+${tail}`;
  return `${block}=${of}@${version}${left}`;
}

const userForm = /^u(\d+)(?: head=(\d+)( files)?)?(?: (\d+=[\da-z=@:+,]+))? (\d+)$/u;
const userPartForm = /^(\d+)=([a-z]+\d*)@(\d+)(?::(?:(\d+)\+(\d+)|(gone)))?$/u;
const answerForm =
  /^a(\d+)\.(\d+)( -thinking| -all-thinking)?(?: ([\da-z=@,/+-]+))? (\d+)(?: fold=([\d,-]+) ([\da-z,]*) (.*))?$/su;
const opaqueForm = /^o(\d+)\.(\d+) (\d+)$/u;
const summaryForm = /^s(\d+)? (\d+)$/u;
const noticeForm = /^n (\d+) (.*)$/su;
const objectForm = /^b \[([^\]]*)\] (\d+)$/u;
const resultForm =
  /^r(\d+)\.(\d+)\.(\d+)(?: ([a-z]+\d*)@(\d+))? (bare|ref|whole|\[[^\]]*\])(?: ([a-z]+\d*)@(\d+)\/(\d+))? (\d+)$/u;
const partForm = /^([a-z]+\d*)@(\d+):([a-z-]+)(?:=(\d+)(?:[-+](\d+))?)?(!)?$/u;
const stubForm = /^(\d+)(?:-(\d+)|\+(\d+))?(?:=([a-z]+\d*)@(\d+)(?:\/(\d+))?)?$/u;

function entryOf(row: string): ViewEntry | undefined {
  switch (row[0]) {
    case "u": {
      const [, turn, head, files, parts, tokens] = userForm.exec(row) ?? [];
      if (tokens === undefined) return undefined;
      const rest = {
        ...(parts === undefined ? {} : { parts: parts.split(",").map(readUserPart) }),
        ...(head === undefined ? {} : { head: Number(head) }),
        ...(files === undefined ? {} : { files: true as const }),
      };
      return { type: "user", turn: Number(turn), ...rest, tokens: Number(tokens) };
    }
    case "a": {
      const [, turn, step, left, stubs, tokens, steps, names = "", text = ""] =
        answerForm.exec(row) ?? [];
      if (tokens === undefined) return undefined;
      const read = stubs?.split(",").map(readStub);
      const rest = {
        ...defined({ stubs: read }),
        ...(steps === undefined ? {} : { fold: readFold(steps, names, text) }),
      };
      const thinking = left === undefined ? {} : { thinking: thinkingOf(left) };
      const place = { turn: Number(turn), step: Number(step) };
      return { type: "assistant", ...place, ...thinking, ...rest, tokens: Number(tokens) };
    }
    case "o": {
      const [, turn, step, tokens] = opaqueForm.exec(row) ?? [];
      if (tokens === undefined) return undefined;
      return { type: "opaque", turn: Number(turn), step: Number(step), tokens: Number(tokens) };
    }
    case "s": {
      const [, at, tokens] = summaryForm.exec(row) ?? [];
      if (tokens === undefined) return undefined;
      const place = at === undefined ? {} : { at: Number(at) };
      return { type: "summary", ...place, tokens: Number(tokens) };
    }
    case "n": {
      const [, tokens, text = ""] = noticeForm.exec(row) ?? [];
      return tokens === undefined ? undefined : { type: "notice", text, tokens: Number(tokens) };
    }
    case "b": {
      const [, parts = "", tokens] = objectForm.exec(row) ?? [];
      if (tokens === undefined) return undefined;
      return { type: "object", shows: readParts(parts), tokens: Number(tokens) };
    }
    case "r":
      return resultOf(row);
    case undefined:
    default:
      return undefined;
  }
}

function resultOf(row: string): ResultEntry | undefined {
  const [, turn, step, call, handle, number, how = "", file, made, above, tokens] =
    resultForm.exec(row) ?? [];
  if (tokens === undefined) return undefined;
  const of = handle === undefined ? {} : { of: handle, version: Number(number) };
  const way = wayOf(how, handle, Number(number));
  const replaces =
    file === undefined
      ? {}
      : { replaces: { of: file, version: Number(made), above: Number(above) } };
  const place = { turn: Number(turn), step: Number(step), call: Number(call) };
  return { type: "result", ...place, ...of, ...replaces, ...way, tokens: Number(tokens) };
}

function wayOf(
  how: string,
  handle: string | undefined,
  version: number,
): Pick<ResultEntry, "form" | "shows"> {
  if (how === "bare") return { form: "bare" };
  if (how === "ref") return { form: "reference" };
  if (how !== "whole") return { form: "shown", shows: readParts(how.slice(1, -1)) };
  return {
    form: "shown",
    shows: handle === undefined ? [] : [{ of: handle, version, form: "whole" }],
  };
}

function thinkingOf(row: string): NonNullable<AssistantEntry["thinking"]> {
  return row.trim() === thinkingRows["left-out"] ? "left-out" : "all-left-out";
}

function readStub(text: string): ArgumentStub {
  const [found, call, replaced, head, of, version, before] = stubForm.exec(text) ?? [];
  if (found === undefined) throw noRow(text);
  const last = before === undefined ? {} : { before: Number(before) };
  const made = of === undefined ? {} : { of, version: Number(version), ...last };
  return {
    call: Number(call),
    ...made,
    ...(replaced === undefined ? {} : { replaced: Number(replaced) }),
    ...(head === undefined ? {} : { head: Number(head) }),
  };
}

function readUserPart(text: string): UserPart {
  const [found, block, of = "", version, head, tail, gone] = userPartForm.exec(text) ?? [];
  if (found === undefined) throw noRow(text);
  const ends = head === undefined ? {} : { head: Number(head), tail: Number(tail) };
  const left = gone === undefined ? ends : { gone: true as const };
  return { block: Number(block), of, version: Number(version), ...left };
}

function readParts(text: string): readonly ShownPart[] {
  if (text === "") return [];
  return text.split(" ").map((one): ShownPart => {
    const [, of = "", version, form, first, second, mark] = partForm.exec(one) ?? [];
    const base = {
      of,
      version: Number(version),
      ...(mark === undefined ? {} : ({ forBudget: true } as const)),
    };
    switch (form) {
      case "lines":
        return { ...base, form, from: Number(first), to: Number(second) };
      case "part":
        return { ...base, form, head: Number(first), tail: Number(second) };
      case "diff":
      case "change":
        return { ...base, form, since: Number(first) };
      case "whole":
      case "line":
      case "linking":
      case "linked":
      case "counted-edit":
      case "counted-move":
      case "counted-deletion":
        return { ...base, form };
      case "above":
        return {
          ...base,
          form,
          ...(first === undefined ? {} : { from: Number(first), to: Number(second) }),
        };
      case undefined:
      default:
        throw noRow(text);
    }
  });
}

function noRow(row: JsonValue): TypeError {
  return new TypeError(`not an entry of a view: ${JSON.stringify(row)}`);
}
