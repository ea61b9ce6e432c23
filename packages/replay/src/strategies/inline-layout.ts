import type {
  ActiveObject,
  AssistantStep,
  LayoutInput,
  LayoutOutput,
  ViewRecord,
} from "@self-context-manager/core/layout";
import type { Block, Layout, ObjectId } from "@self-context-manager/core";
import { describeEntries } from "@self-context-manager/core/inspect";
import { handlesShown, isAssistantStep } from "@self-context-manager/core/layout";
import { isToolCall } from "@self-context-manager/core";
import type { LineRange } from "@self-context-manager/objects";

import {
  askedMessage,
  contentOf,
  type Count,
  type InlineMessage,
  placeholder,
  placeholderTokens,
  sizedMessage,
} from "./inline-message.ts";
import { pruned, trimmedOutput } from "./cold-pruning.ts";

export interface InlineLayoutOptions {
  /** The tokens of a message. */
  readonly count: Count;
  /**
   * Once the prompt, including a fixed part of `base` tokens, exceeds `over`, all outputs except the newest `keep`
   * are removed, if that frees at least `atLeast` tokens. `onlyCold`: only while the provider's cache is cold.
   */
  readonly clear?: {
    readonly base: number;
    readonly over: number;
    readonly atLeast: number;
    readonly keep: number;
    readonly onlyCold?: true;
  };
  /** Whether outputs are trimmed and removed as OpenClaw does it when the provider's cache is cold; default: false. */
  readonly prunesCold?: true;
  /** The text that replaces the first result of a turn whose results are no longer shown; default: a placeholder. */
  readonly summaryOf?: (turn: number) => string | undefined;
  /** Whether the arguments of a tool call are hidden in the view for a model call, given by handle and call number. */
  readonly hidesArguments?: (handle: string, call: number) => boolean;
}

type Asked = {
  readonly of: string;
  readonly call: number;
  /** The lines that were asked for; absent if all were. */
  readonly lines?: readonly LineRange[];
  /** Whether it was removed again; another request makes a new entry. */
  readonly isOver: boolean;
};

type Memory = {
  /** The handles whose output is no longer shown at its place. */
  readonly gone: readonly string[];
  /** The handles whose output is shown by its beginning and end. */
  readonly trimmed: readonly string[];
  /** The outputs that were asked for again, each with the model call that followed. */
  readonly asked: readonly Asked[];
  /** The summary at the beginning. */
  readonly summary: string;
};

/**
 * The view of an agent without context management: every message unchanged at its place, without headers. A placeholder
 * replaces an output that is not active. An output that is activated again is appended, or the lines of it that are
 * active.
 */
export function inlineLayout(options: InlineLayoutOptions): Layout {
  const made = new Map<string, InlineMessage>();
  return {
    name: "inline",
    render(input, last) {
      const first = draw(input, last, options, made);
      const { trimmed, leaving } = changes(input, first, options);
      if (leaving.length === 0 && trimmed.length === 0) return outputOf(input, first);
      const active = input.active.filter(({ entry }) => !leaving.includes(entry.id));
      const second = draw({ ...input, active }, last, options, made, trimmed);
      return { ...outputOf(input, second), deactivated: [...leaving, ...second.deactivated] };
    },
    rebuild() {
      throw new RangeError(
        "a view of the inline layout is only for measuring, and cannot be rebuilt",
      );
    },
    describe: ({ entries }) => describeEntries(entries),
  };
}

interface Drawing {
  readonly shown: readonly InlineMessage[];
  readonly memory: Memory;
  readonly deactivated: readonly ObjectId[];
}

function draw(
  input: LayoutInput,
  last: ViewRecord | undefined,
  options: InlineLayoutOptions,
  made: Map<string, InlineMessage>,
  trimmed: readonly string[] = [],
): Drawing {
  const before = last === undefined ? nothing : (last.memory as Memory);
  const summary = JSON.stringify(input.compaction?.messages ?? null);
  const drawing: OpenDrawing = {
    input,
    options,
    made,
    active: new Map(input.active.map((object) => [object.entry.handle, object])),
    gone: new Set(before.gone),
    trimmed: new Set([...before.trimmed, ...trimmed]),
    asked: [...before.asked],
    deactivated: [],
    shown: [],
    isSummarised: summary !== before.summary,
    from: input.compaction?.from ?? { turn: 0, step: -1 },
  };
  endAsked(drawing);
  for (const [at, { message }] of (input.compaction?.messages ?? []).entries())
    keep(drawing, `summary ${at} ${summary}`, () =>
      sizedMessage(options.count, { type: "summary", at }, message),
    );
  const calls = drawChat(drawing);
  for (const object of drawing.active.values()) noteAsked(drawing, object, calls);
  showAsked(drawing, calls);
  const { shown, gone, asked, deactivated } = drawing;
  const memory = { gone: [...gone], trimmed: [...drawing.trimmed], asked, summary };
  return { shown, memory, deactivated };
}

/** A view that is being made. */
interface OpenDrawing {
  readonly input: LayoutInput;
  readonly options: InlineLayoutOptions;
  /** Messages by their sources, so that the same source always has the same bytes. */
  readonly made: Map<string, InlineMessage>;
  readonly active: Map<string, ActiveObject>;
  readonly gone: Set<string>;
  readonly trimmed: ReadonlySet<string>;
  asked: Asked[];
  readonly deactivated: ObjectId[];
  readonly shown: InlineMessage[];
  /** Whether a summary has just replaced everything before `from`. */
  readonly isSummarised: boolean;
  readonly from: { readonly turn: number; readonly step: number };
}

function keep({ made, shown }: OpenDrawing, key: string, make: () => InlineMessage): void {
  let known = made.get(key);
  if (known === undefined) {
    known = make();
    made.set(key, known);
  }
  shown.push(known);
}

/** Notes the active lines of an output that no message shows. */
function noteAsked({ asked, gone }: OpenDrawing, object: ActiveObject, call: number): void {
  const { handle: of } = object.entry;
  if (!gone.has(of)) return;
  const there = asked.filter((one) => one.of === of && !one.isOver);
  if (there.some(({ lines }) => lines === undefined)) return;
  if (object.ranges === undefined) {
    asked.push({ of, call, isOver: false });
    return;
  }
  const shown = there.flatMap(({ lines = [] }) => lines);
  const lines = shown.reduce(withoutLines, object.ranges);
  if (lines.length > 0) asked.push({ of, call, lines, isOver: false });
}

function withoutLines(ranges: readonly LineRange[], { from, to }: LineRange): readonly LineRange[] {
  return ranges.flatMap((one) =>
    [
      { from: one.from, to: Math.min(one.to, from - 1) },
      { from: Math.max(one.from, to + 1), to: one.to },
    ].filter((rest) => rest.from <= rest.to),
  );
}

/** Marks outputs that were asked for and are inactive again; a placeholder stays at their place. */
function endAsked(drawing: OpenDrawing): void {
  drawing.asked = drawing.asked.map((one) =>
    one.isOver || drawing.active.has(one.of) ? one : { ...one, isOver: true },
  );
}

/** Draws the messages in their order, and returns the number of model calls in the chat. */
function drawChat(drawing: OpenDrawing): number {
  const { input, options, from } = drawing;
  const total = input.turns.reduce(
    (sum, { steps }) => sum + steps.filter(isAssistantStep).length,
    0,
  );
  let call = 0;
  for (const [turn, { user, steps }] of input.turns.entries()) {
    const isKept = turn > from.turn || (turn === from.turn && from.step < 0);
    if (user !== null && isKept)
      keep(drawing, `user ${turn}`, () =>
        sizedMessage(options.count, { type: "user", turn }, { role: "user", content: user }),
      );
    for (const [step, one] of steps.entries()) {
      if (!isAssistantStep(one)) continue;
      const isIn = turn > from.turn || (turn === from.turn && step >= from.step);
      const place = { turn, step };
      if (isIn) {
        showAsked(drawing, call);
        showAnswer(drawing, one, place, total);
      } else if (drawing.isSummarised) takeOutAsked(drawing, call);
      showResults(drawing, one, place, isIn);
      call += 1;
    }
  }
  return call;
}

function showAsked(drawing: OpenDrawing, at: number): void {
  const { asked, active, options } = drawing;
  for (const [index, one] of asked.entries()) {
    if (one.call !== at) continue;
    const object = one.isOver ? undefined : active.get(one.of);
    keep(drawing, `asked ${index} ${object !== undefined}`, () =>
      askedMessage(options.count, one.of, object, one.lines),
    );
  }
}

/** Removes the outputs that were asked for in the part of the chat that a summary has replaced. */
function takeOutAsked(drawing: OpenDrawing, at: number): void {
  const { active, deactivated } = drawing;
  drawing.asked = drawing.asked.map((one) => {
    const object = one.call === at && !one.isOver ? active.get(one.of) : undefined;
    if (object === undefined) return one;
    deactivated.push(object.entry.id);
    active.delete(one.of);
    return { ...one, isOver: true };
  });
}

function showResults(
  drawing: OpenDrawing,
  one: AssistantStep,
  place: { readonly turn: number; readonly step: number },
  isIn: boolean,
): void {
  const { input, options, made, active, gone, deactivated } = drawing;
  for (const [index, block] of one.assistant.filter(isToolCall).entries()) {
    const id = one.toolcall_ids[index];
    const known = id === undefined ? undefined : input.pool.get(id);
    if (known === undefined) continue;
    const { handle } = known;
    const object = active.get(handle);
    const hasText = Number(known.stored.body["char_count"] ?? 0) > 0;
    if (!gone.has(handle) && (!isIn || (object === undefined && hasText))) {
      gone.add(handle);
      if (!isIn && object !== undefined) {
        deactivated.push(known.id);
        active.delete(handle);
      }
    }
    if (!isIn) continue;
    const base = { type: "result" as const, ...place, call: index, of: handle };
    const answers = { role: "toolResult" as const, toolCallId: block.id, toolName: block.name };
    const small = made.get(`result ${handle}`);
    if (!gone.has(handle) && drawing.trimmed.has(handle) && object !== undefined)
      keep(drawing, `trimmed ${handle}`, () => {
        const { shows, content } = trimmedOutput(object);
        return sizedMessage(
          options.count,
          { ...base, form: "shown", shows },
          { ...answers, content, isError: false },
        );
      });
    else if (!gone.has(handle))
      keep(drawing, `result ${handle}`, () =>
        sizedMessage(
          options.count,
          { ...base, form: "bare" },
          { ...answers, content: contentOf(object), isError: false },
        ),
      );
    else if (
      small !== undefined &&
      small.entry.tokens <= placeholderTokens &&
      options.summaryOf === undefined
    )
      drawing.shown.push(small);
    else {
      const isFirst = index === 0 && isFirstCall(input, place);
      const text = (isFirst ? options.summaryOf?.(place.turn) : undefined) ?? placeholder;
      keep(drawing, `gone ${handle}`, () =>
        sizedMessage(
          options.count,
          { ...base, form: "reference" },
          { ...answers, content: [{ type: "text", text }], isError: false },
        ),
      );
    }
  }
}

/** Whether no step of its turn before this one has calls. */
function isFirstCall(
  { turns }: LayoutInput,
  place: { readonly turn: number; readonly step: number },
): boolean {
  const before = turns[place.turn]?.steps.slice(0, place.step) ?? [];
  return before.every((step) => !isAssistantStep(step) || step.toolcall_ids.length === 0);
}

function showAnswer(
  drawing: OpenDrawing,
  one: AssistantStep,
  place: { readonly turn: number; readonly step: number },
  calls: number,
): void {
  const { input, options } = drawing;
  const stubs = one.assistant.filter(isToolCall).flatMap((_, index) => {
    const id = one.toolcall_ids[index];
    const handle = id === undefined ? undefined : input.pool.get(id)?.handle;
    return handle !== undefined && options.hidesArguments?.(handle, calls) === true
      ? [{ call: index }]
      : [];
  });
  const hidden = new Set(stubs.map(({ call }) => call));
  const key = `answer ${place.turn}.${place.step} ${[...hidden].join()}`;
  keep(drawing, key, () => {
    let index = -1;
    const content = one.assistant.map((block): Block => {
      if (!isToolCall(block)) return block;
      index += 1;
      return hidden.has(index) ? { ...block, arguments: {} } : block;
    });
    const entry = {
      type: "assistant" as const,
      ...place,
      ...(stubs.length === 0 ? {} : { stubs }),
    };
    return sizedMessage(options.count, entry, { role: "assistant", content, meta: {} });
  });
}

/** Returns the outputs that this view shows by their ends for the first time, and those that it removes. */
function changes(
  input: LayoutInput,
  drawing: Drawing,
  options: InlineLayoutOptions,
): { readonly trimmed: readonly string[]; readonly leaving: readonly ObjectId[] } {
  const isCold = input.epochs?.cache?.isCold === true;
  if (options.prunesCold === true && isCold) return pruned(input, drawing.shown);
  if (options.clear?.onlyCold === true && !isCold) return { trimmed: [], leaving: [] };
  return { trimmed: [], leaving: clearing(input, drawing, options) };
}

function clearing(
  input: LayoutInput,
  { shown, deactivated }: Drawing,
  { clear }: InlineLayoutOptions,
): readonly ObjectId[] {
  if (clear === undefined) return [];
  const total = shown.reduce((sum, { entry }) => sum + entry.tokens, clear.base);
  if (total <= clear.over) return [];
  const freed = new Map<string, number>();
  for (const { entry } of shown)
    for (const of of handlesShown([entry]))
      freed.set(of, (freed.get(of) ?? 0) + Math.max(0, entry.tokens - placeholderTokens));
  const old = input.active
    .slice(0, Math.max(0, input.active.length - clear.keep))
    .filter(({ entry }) => !deactivated.includes(entry.id));
  const frees = old.reduce((sum, { entry }) => sum + (freed.get(entry.handle) ?? 0), 0);
  return frees < clear.atLeast ? [] : old.map(({ entry }) => entry.id);
}

function outputOf(input: LayoutInput, { shown, memory, deactivated }: Drawing): LayoutOutput {
  const entries = shown.map(({ entry }) => entry);
  return {
    messages: shown.map(({ message }) => message),
    tokens: { metadata: 0, chat: entries.reduce((sum, { tokens }) => sum + tokens, 0), active: 0 },
    shown: input.active.map(({ entry }) => ({ id: entry.id, form: "whole" })),
    record: {
      layout: "inline",
      entries,
      turns: input.turns.length,
      steps: input.turns.at(-1)?.steps.length ?? 0,
      workspace: input.workspace,
      memory,
    },
    deactivated,
  };
}

const nothing: Memory = { gone: [], trimmed: [], asked: [], summary: "null" };
