import { type Block, isText } from "@self-context-manager/core";
import {
  calibratedEstimator,
  callsOf,
  leftOutOf,
  leftOutRows,
  type MessagePlace,
  type PoolEntry,
  type Step,
  type ReplacingMessage,
} from "@self-context-manager/core/layout";
import { objectId, type ObjectId } from "@self-context-manager/objects";

import { arrived, callOf, controlled, executed, storedFile, targetOf } from "./run-call.ts";
import { fileNames, ideaBodyOf, storeVersion, userBodyOf } from "./session-objects.ts";
import type { SessionPlace } from "./session-place.ts";
import {
  type Happening,
  saysAnything,
  scriptText,
  type TextChange,
  type TextScript,
} from "./session-script.ts";
import { activated, refreshed, type SessionNow, withEntry } from "./session-state.ts";

/** Returns the session after one event. */
export function grown(now: SessionNow, happening: Happening, place: SessionPlace): SessionNow {
  place.times += 1;
  switch (happening.type) {
    case "user":
      place.beforeTurns.push(now);
      return heard(now, happening, place);
    case "own-message":
      return withStep(now, {
        opaque: { text: happening.text },
        kind: "custom",
        timestamp: place.times,
      });
    case "answer":
      return answered(now, happening, place);
    case "late-result": {
      const found = now.late[happening.which % Math.max(1, now.late.length)];
      if (found === undefined) return now;
      const rest = { ...now, late: now.late.filter((one) => one !== found) };
      return arrived(rest, found.handle, found.facts, place);
    }
    case "loaded": {
      const handle = `o${happening.nth + 1}`;
      const body = ideaBodyOf(handle, scriptText(happening.text));
      return withEntry(now, storeVersion(place.versions, handle, body));
    }
    case "file-changed":
      return changedFile(now, happening.file, happening.change, place);
    case "by-hand": {
      const target = targetOf(now, happening.does.object);
      return target === undefined ? now : controlled(now, happening.does, target, place);
    }
    case "compaction":
      return compacted(now, happening.at, place);
    case "went-back": {
      const before = place.beforeTurns[happening.to % Math.max(1, place.beforeTurns.length)];
      if (before === undefined) return now;
      place.beforeTurns.splice(place.beforeTurns.indexOf(before));
      return withAnswered(refreshed(before, place.versions));
    }
    case "budget": {
      const { budget: _, ...rest } = now;
      return happening.tokens === undefined ? rest : { ...rest, budget: happening.tokens };
    }
    case "factor":
      return { ...now, factor: happening.factor };
    case "model":
      return { ...now, model: { ...now.model, thinking: happening.thinking } };
    case "left-out":
      return { ...now, leftOut: leftOutNow(now, happening) };
    case "head":
      return { ...now, model: { ...now.model, head: String(happening.prompt) } };
  }
}

/** Returns the session with a user message. A long text and the images of it can be objects, which are active. */
function heard(
  now: SessionNow,
  { said, paste }: Happening & { readonly type: "user" },
  place: SessionPlace,
): SessionNow {
  const earlier = now.turns.findLast(({ user_objects: own }) => own !== undefined);
  const isAgain = paste === "again" && earlier !== undefined;
  const user = isAgain ? earlier.user : saidOf(said);
  const turn = { user, timestamp: place.times, steps: [] };
  const blocks = typeof user === "string" ? [{ type: "text", text: user }] : (user ?? []);
  const parts = [...blocks.entries()].filter(([, part]) => isLong(part));
  if (paste === undefined || parts.length === 0) return { ...now, turns: [...now.turns, turn] };
  const known = partsSaid(now);
  const own: { readonly block: number; readonly id: ObjectId }[] = [];
  const found: PoolEntry[] = [];
  let then = now;
  for (const [block, part] of parts) {
    const name = JSON.stringify(isText(part) ? part.text : part);
    let entry = known.get(name);
    if (entry === undefined) {
      place.parts += 1;
      const handle = `u${place.parts}`;
      entry = storeVersion(place.versions, handle, userBodyOf(handle, part));
      known.set(name, entry);
    }
    found.push(entry);
    own.push({ block, id: entry.id });
    then = withEntry(then, entry);
  }
  then = { ...then, turns: [...now.turns, { ...turn, user_objects: own }] };
  for (const entry of found) then = activated(then, entry, undefined, false);
  return then;
}

/** Returns the objects of the long parts of the session's user messages, by the JSON of the part. */
function partsSaid({ turns, pool }: SessionNow): Map<string, PoolEntry> {
  const entries = new Map([...pool.values()].map((entry) => [entry.id, entry]));
  const said = new Map<string, PoolEntry>();
  for (const { user, user_objects: own = [] } of turns)
    for (const { block, id } of own) {
      const part = typeof user === "string" ? user : user?.[block];
      const entry = entries.get(id);
      if (part === undefined || entry === undefined) continue;
      said.set(JSON.stringify(typeof part !== "string" && isText(part) ? part.text : part), entry);
    }
  return said;
}

/** Whether a part of a user message can be an object. */
function isLong(part: Block): boolean {
  return !isText(part) || rawEstimator.text(part.text) > leastPaste;
}

/** Tokens above which a text can be an object. */
const leastPaste = 100;

const rawEstimator = calibratedEstimator();

/** Returns the rows of the first turns and of some single messages and results. */
function leftOutNow(
  { turns }: SessionNow,
  { turns: count, messages }: Happening & { readonly type: "left-out" },
): readonly string[] {
  const all = turns.flatMap(({ steps }, turn): readonly MessagePlace[] => [
    { turn, step: -1 },
    ...steps.flatMap((step, index): readonly MessagePlace[] => [
      { turn, step: index },
      ...callsOf(step).map((_, call) => ({ turn, step: index, call })),
    ]),
  ]);
  const first = all.filter(({ turn }) => turn < Math.min(count, turns.length - 1));
  const single = messages.flatMap((nth) => all[nth % Math.max(1, all.length)] ?? []);
  return leftOutRows(turns, [...first, ...single]);
}

function withAnswered(now: SessionNow): SessionNow {
  return now.sent === undefined ? now : { ...now, sent: { ...now.sent, isAnswered: true } };
}

function saidOf(said: TextScript | readonly Block[] | null): string | readonly Block[] | null {
  return said === null || Array.isArray(said) ? said : scriptText(said as TextScript);
}

function withStep(now: SessionNow, step: Step): SessionNow {
  const last = now.turns.at(-1);
  if (last === undefined)
    return { ...now, turns: [{ user: null, timestamp: null, steps: [step] }] };
  return { ...now, turns: [...now.turns.slice(0, -1), { ...last, steps: [...last.steps, step] }] };
}

function answered(
  now: SessionNow,
  answer: Happening & { readonly type: "answer" },
  place: SessionPlace,
): SessionNow {
  const isDiscarded = answer.stopReason === "error" || answer.stopReason === "aborted";
  const blocks: Block[] = [];
  if (answer.thinking !== "")
    blocks.push({
      type: "thinking",
      thinking: answer.thinking,
      thinkingSignature: `sig ${place.times}`,
    });
  blocks.push({ type: "text", text: answer.text });
  const results: ((then: SessionNow) => SessionNow)[] = [];
  const ids = answer.calls.map((script) => {
    place.calls += 1;
    const handle = `t${place.calls}`;
    const id = objectId(`call_${place.calls}`);
    const call = callOf(now, script);
    blocks.push({ type: "toolCall", id, name: call.tool, arguments: call.args });
    if (!isDiscarded)
      results.push((then) => executed(then, script, handle, { id, ...call }, place));
    return id;
  });
  // Only the first answer after a view is its answer. Any other one was given while the view was not in use.
  const { sent } = now;
  const step = withStep(withAnswered(now), {
    assistant: blocks,
    toolcall_ids: ids,
    assistant_meta: { stopReason: answer.stopReason, timestamp: place.times },
    ...(isDiscarded ? { failed: true } : {}),
    ...(sent === undefined || sent.isAnswered ? {} : { view: sent.call }),
  });
  return results.reduce((then, run) => run(then), step);
}

function changedFile(
  now: SessionNow,
  file: number,
  change: TextChange,
  place: SessionPlace,
): SessionNow {
  const index = file % fileNames.length;
  const handle = `f${index + 1}`;
  const before = place.disk.get(handle) ?? null;
  if (before === null) return now;
  const lines = before.split("\n");
  const at = "at" in change ? Math.floor((change.at / 100) * lines.length) : 0;
  const text =
    "to" in change ? scriptText(change.to) : lines.toSpliced(at, 2, ...change.lines).join("\n");
  if (now.pool.has(handle)) return storedFile(now, index, text, "human", place).now;
  place.disk.set(handle, text);
  return now;
}

function compacted(now: SessionNow, at: number, place: SessionPlace): SessionNow {
  const turn = at % Math.max(1, now.turns.length);
  const steps = now.turns[turn]?.steps.length ?? 0;
  const step = (at % (steps + 1)) - 1;
  const before = now.compaction?.from ?? { turn: 0, step: -1 };
  const isFurther = turn > before.turn || (turn === before.turn && step > before.step);
  if (!isFurther) return now;
  const timestamp = place.times;
  const raw = { summary: `They did ${timestamp} things.` };
  const summary = { role: "opaque", kind: "compactionSummary", raw, timestamp } as const;
  const text = `They did ${timestamp} things.`;
  // A host without summaries of its own replaces the beginning by a user's message and an answer to it.
  const own: readonly ReplacingMessage[] = [
    { message: { role: "user", content: text, timestamp } },
    { message: { role: "assistant", content: [{ type: "text", text: "I know." }], timestamp } },
  ];
  return {
    ...now,
    compaction: {
      messages: timestamp % 2 === 0 ? own : [{ message: summary }],
      from: { turn, step },
    },
  };
}

/** Whether a model call is possible: at least one message has content. */
export function canBeAsked({ turns, leftOut: rows }: SessionNow): boolean {
  const leftOut = leftOutOf(rows);
  return turns.some(
    ({ user, steps }, turn) =>
      (saysAnything(user) && !leftOut.has({ turn, step: -1 })) ||
      steps.some((_, step) => !leftOut.has({ turn, step })),
  );
}
