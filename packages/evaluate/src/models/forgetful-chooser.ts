import type { Fact, Move, Task } from "../model/task.ts";
import { factValues } from "../meter/fact-seen.ts";
import { filled } from "../tasks/placeholders.ts";
import { factsOf, showsLines } from "./found-values.ts";
import type { HostTools, PlannedCall } from "./host-tools.ts";
import type { Choice, Chooser, Sight } from "./mind.ts";
import { foundTargets, isPath, namedTargets, type Target } from "./named-targets.ts";
import type { SeenMessage } from "./seen-request.ts";

/**
 * Returns a chooser that uses only text of the request. A value that is not there is looked up: by a line of the request
 * that names its source, by a search, and by the moves with which an agent gets it again. It never has the right value
 * from the task.
 */
export function forgetfulChooser(task: Task): Chooser {
  let efforts = new Map<string, Effort>();
  let isEditFailed = false;
  /**
   * The values that the present move was planned with. What is read on the way, such as the old text of a file, does not
   * change them while the request shows them.
   */
  const noted = new Map<string, string>();
  const effortFor = (name: string): Effort => {
    const effort = efforts.get(name) ?? newEffort();
    efforts.set(name, effort);
    return effort;
  };

  return {
    begins: () => {
      efforts = new Map();
      noted.clear();
      isEditFailed = false;
    },
    choose: (move, sight) => {
      const values = new Map<string, string>();
      for (const fact of factsOf(move, task)) {
        const shown = factValues(sight.text(), fact);
        const first = noted.get(fact.id);
        const value = first !== undefined && shown.includes(first) ? first : shown.at(-1);
        if (value === undefined) return searchFor(fact, sight, effortFor(fact.id));
        noted.set(fact.id, value);
        values.set(fact.id, value);
        efforts.get(fact.id)?.succeeds();
      }
      const planned = filled(move, (id) => values.get(id));
      if (planned.type === "edit") {
        const isUnseen = isEditFailed || !showsLines(sight.text(), planned.oldText);
        const first = isUnseen && readFirst(planned, sight, effortFor(`edit ${planned.path}`));
        isEditFailed = false;
        if (first) return first;
      }
      const used = [...values].map(([id, value]) => `${id}=${value}`);
      return { type: "move", move: planned, detail: used.join(" ") };
    },
    accepts: (move, result) => {
      const hadFailed = efforts.has("failed edit");
      if (move.type === "edit" && !hadFailed && result !== undefined && isFailure(result)) {
        efforts.set("failed edit", newEffort());
        isEditFailed = true;
        return false;
      }
      noted.clear();
      for (const name of ["failed edit", ...(move.type === "edit" ? [`edit ${move.path}`] : [])])
        efforts.delete(name);
      return true;
    },
  };
}

/** What was tried in this turn for one thing that a move needs. */
interface Effort {
  readonly tried: Set<string>;
  lookUps: number;
  /** How many moves of `recover` were made. */
  recovered: number;
  /** The object that was opened last. */
  opened?: Target;
  /** The object that had the value. It is opened first if the value has left again. */
  worked?: Target;
  /** How often the value was found. Two values can each push the other one out of a small view, again and again. */
  found: number;
  succeeds(): void;
}

function newEffort(): Effort {
  const effort: Effort = {
    tried: new Set(),
    lookUps: 0,
    recovered: 0,
    found: 0,
    succeeds: () => {
      if (effort.tried.size + effort.recovered === 0) return;
      effort.found += 1;
      effort.tried.clear();
      effort.recovered = 0;
      if (effort.opened !== undefined) effort.worked = effort.opened;
    },
  };
  return effort;
}

/** Calls of context tools for one value in one turn. A model that has not found it after so many gives up. */
const mostLookUps = 20;

/** How often one value is got again by the moves of the task, in one turn. */
const mostFound = 4;

function searchFor(fact: Fact, sight: Sight, effort: Effort): Choice {
  const next =
    effort.lookUps < mostLookUps && effort.recovered === 0
      ? (lookUp(fact.source, sight, effort) ?? search(fact.source, sight, effort))
      : undefined;
  if (next !== undefined) {
    effort.lookUps += 1;
    return next;
  }
  const move = effort.found < mostFound ? fact.recover?.[effort.recovered] : undefined;
  effort.recovered += 1;
  const call = move === undefined || move.type === "answer" ? undefined : sight.tools.callOf(move);
  if (call !== undefined) return detour("recover", call);
  return giveUp(fact.source, `${fact.id} is nowhere in the request`);
}

/** Opens what the request names for a source, or what the last search found. */
function lookUp(source: string, sight: Sight, effort: Effort): Choice | undefined {
  const { tools, result } = sight;
  const { activate } = tools;
  if (activate === undefined) return undefined;
  const answer = result?.text ?? "";
  if (isSearch(sight) && !effort.tried.has(`found ${answer}`)) effort.tried.add(`found ${answer}`);
  // Some contents are opened only by the tool of the host, and the answer says so.
  if (/\bcall \S+ with its path\b/u.test(answer) && isNew(effort, `read ${source}`)) {
    const call = tools.callOf({ type: "read", path: source });
    if (call !== undefined) return detour("look-up", call);
  }
  const targets = [
    ...(effort.worked === undefined ? [] : [effort.worked]),
    ...furtherLines(sight),
    ...namedTargets(source, sight.messages),
    ...earlierVersions(effort, sight),
    ...hits(effort),
  ];
  const target = targets.find((one) => isNew(effort, JSON.stringify(one)));
  if (target === undefined) return undefined;
  effort.opened = target;
  return detour("look-up", { name: activate, arguments: { ...target } });
}

/** What the searches of this turn found, the newest first. */
function hits({ tried }: Effort): readonly Target[] {
  return [...tried]
    .filter((one) => one.startsWith("found "))
    .toReversed()
    .flatMap((one) => foundTargets(one.slice("found ".length)));
}

/** Whether the last call was a search. */
function isSearch({ messages, result, tools }: Sight): boolean {
  return messages.some(({ calls }) =>
    calls.some(({ id, name }) => id === result?.callId && name === tools.find),
  );
}

/** Earlier versions of a file whose newest version did not have the value. */
function earlierVersions({ opened }: Effort, { text }: Sight): readonly Target[] {
  if (opened === undefined || !/^f\d+$/u.test(opened.id)) return [];
  const shown = [...text().matchAll(new RegExp(`(?<!\\w)${opened.id} .*v(\\d+)`, "gu"))];
  const newest = Math.max(0, ...shown.map(([, version]) => Number(version)));
  const versions = [...new Set([newest - 1, 1])].filter((version) => version > 0);
  return newest < 2 ? [] : versions.map((version) => ({ id: `${opened.id}@${String(version)}` }));
}

/** The rest of a content that one call could not show as a whole. */
function furtherLines({ messages, result }: Sight): readonly Target[] {
  if (result === undefined) return [];
  const call = messages
    .flatMap(({ calls }) => calls)
    .findLast(({ id, name }) => id === result.callId && name.endsWith("activate"));
  const id = call?.arguments["id"];
  if (typeof id !== "string") return [];
  const { turn } = call?.arguments ?? {};
  const [, cut] = /\[cut here; from (\d+) shows more\]/u.exec(result.text) ?? [];
  const [, last, count] = /lines \d+-(\d+) of (\d+); no room for more/u.exec(result.text) ?? [];
  const from = cut ?? (Number(last) < Number(count) ? String(Number(last) + 1) : undefined);
  if (from === undefined) return [];
  return [{ id, from: Number(from), ...(typeof turn === "number" ? { turn } : {}) }];
}

/** Searches by the words of a source, and for a path by the path first. */
function search(source: string, { tools }: Sight, effort: Effort): Choice | undefined {
  const { find, activate } = tools;
  if (find === undefined || activate === undefined) return undefined;
  const questions = [
    ...(isPath(source) ? [{ path: source }] : []),
    { words: (source.match(/\p{N}+|[\p{L}\p{N}_.-]{2,}/gu) ?? []).join(" ") },
  ];
  const question = questions.find((one) => isNew(effort, JSON.stringify(one)));
  if (question === undefined) return undefined;
  return detour("search", { name: find, arguments: question });
}

/** Reads a file of which the text to replace is not in the request. */
function readFirst(
  { path }: Extract<Move, { readonly type: "edit" }>,
  { tools }: Sight,
  effort: Effort,
): Choice | undefined {
  const read = tools.callOf({ type: "read", path });
  const calls: readonly (PlannedCall | undefined)[] = [read, activation(tools, path), read];
  const call = calls.filter((one) => one !== undefined)[effort.lookUps];
  effort.lookUps += 1;
  if (call !== undefined) return detour("read-first", call);
  return giveUp(path, `the text to replace in ${path} is nowhere in the request`);
}

function activation({ activate }: HostTools, id: string): PlannedCall | undefined {
  return activate === undefined ? undefined : { name: activate, arguments: { id } };
}

function isNew(effort: Effort, key: string): boolean {
  if (effort.tried.has(key)) return false;
  effort.tried.add(key);
  return true;
}

function detour(
  deed: Extract<Choice, { readonly type: "detour" }>["deed"],
  call: PlannedCall,
): Choice {
  return { type: "detour", deed, call, detail: `${call.name} ${JSON.stringify(call.arguments)}` };
}

function giveUp(source: string, detail: string): Choice {
  return { type: "give-up", text: `I do not know: I cannot find what ${source} showed.`, detail };
}

/** Whether a result says that an edit was not made. */
function isFailure({ text, isError }: SeenMessage): boolean {
  return (
    isError === true ||
    /\b(?:could not find|not found|no match|must be unique|old ?text|failed)\b/iu.test(
      text.slice(0, 300),
    )
  );
}
