import type { LayoutOutput, ViewEntry } from "@self-context-manager/core/layout";
import type { Rehearsal, StoredRehearsal } from "@self-context-manager/core/rehearsal";
import { contextTools, declarations } from "@self-context-manager/core/host";
import {
  standingInstruction,
  type ViewMessage,
  type ViewOptions,
} from "@self-context-manager/core";
import { defined } from "@self-context-manager/objects";

import { askedOverhead } from "../measure/billing.ts";
import type {
  CallView,
  FetchedLines,
  OwnCall,
  Part,
  StrategyRun,
  Visibility,
} from "../measure/call-view.ts";
import type { Evidence } from "../measure/evidence.ts";
import { joinedRanges } from "../measure/line-ranges.ts";
import { countText, prefixTokens } from "../measure/tokens.ts";
import type { MessageCounter } from "./message-counter.ts";
import { noteArguments } from "./shown-arguments.ts";
import { noteActive, noteShown } from "./shown-results.ts";
import { type ShownTexts, shownTexts } from "./shown-texts.ts";

/** The parts that all runs over one segment share. */
export interface SegmentSource {
  readonly stored: StoredRehearsal;
  readonly evidence: Evidence;
  readonly counter: MessageCounter;
  /** The time of each model call, as far as it was recorded. */
  readonly times: readonly (number | undefined)[];
}

/** The parts of a layout's output that are measured. */
export type MeasuredView = Pick<
  LayoutOutput,
  "messages" | "record" | "shown" | "epoch" | "boundaries"
>;

/** Actions between the views of a run, in addition to those of the layout. */
export interface RunHooks {
  /** Called before the view is made, for actions of the host. */
  readonly before?: (rehearsal: Rehearsal, former: CallView | undefined) => readonly OwnCall[];
  /** Called when an output was asked for again. */
  readonly onAsk?: (handle: string | undefined) => void;
}

export interface RunOptions {
  readonly hooks?: RunHooks;
  /** Whether the model has the context tools and their instruction; default: false. */
  readonly hasTools?: boolean;
}

/** What is before the messages: system prompt and tools. */
const hostPrefix: Part = { key: "prefix", tokens: prefixTokens };

/** The same with the context tools and their instruction. A host has a tool that reads files. */
const managedPrefix: Part = {
  key: "prefix",
  tokens:
    prefixTokens +
    [standingInstruction, ...declarations(contextTools)].reduce(
      (sum, text) => sum + countText(text),
      0,
    ),
};

/** A pass of a policy and a layout over a stored segment, as a sequence of prompts. */
export function sessionRun(
  source: SegmentSource,
  rehearsal: Rehearsal,
  options: ViewOptions = {},
  { hooks = {}, hasTools = false }: RunOptions = {},
): StrategyRun {
  const prefix = hasTools ? managedPrefix : hostPrefix;
  const measured = viewMeasure({ ...source, prefix }, (handle) => rehearsal.activeLines(handle));
  let call = -1;
  let former: CallView | undefined;
  return {
    async view() {
      call += 1;
      const ownCalls = hooks.before?.(rehearsal, former) ?? [];
      const view = measured.view(await rehearsal.view(options), call);
      former = ownCalls.length === 0 ? view : { ...view, ownCalls };
      return former;
    },
    async activate(object, lines) {
      const found = source.evidence.objects[object];
      if (found === undefined) throw new RangeError(`there is no evidence object ${object}`);
      const handle = measured.handleOf(found.callId);
      measured.ask(object, call, lines);
      hooks.onAsk?.(found.kind === "result" ? handle : undefined);
      const ownCalls = former?.ownCalls;
      if (found.kind === "result" && handle !== undefined)
        former = measured.view(await rehearsal.activate(handle, linesOf(lines), options), call);
      else if (former !== undefined) former = measured.again(call);
      if (former === undefined) throw new RangeError("activate needs a view first; call view()");
      if (ownCalls !== undefined) former = { ...former, ownCalls };
      return former;
    },
  };
}

function linesOf(lines: FetchedLines | undefined): {
  readonly from?: number;
  readonly to?: number;
} {
  return lines === undefined ? {} : { from: lines.from, to: lines.to };
}

/** A message of a prompt, and the call that it answers, if it is an answer. */
interface SentPart {
  readonly part: Part;
  readonly answers: number | undefined;
}

/** Converts the views of a run to prompts. */
interface ViewMeasure {
  view(output: MeasuredView, call: number): CallView;
  /** The last view, with the objects that were asked for since. */
  again(call: number): CallView;
  /**
   * Notes a request for an object, or for lines of it, before a model call. The request, and requested arguments, stay
   * in the prompt.
   */
  ask(object: number, call: number, lines: FetchedLines | undefined): void;
  handleOf(callId: string): string | undefined;
}

/** The results in a prompt, by handle, the arguments in it, by the id of the call, and what answers in it say. */
interface Shown {
  readonly results: ReadonlyMap<string, Visibility>;
  readonly calls: ReadonlyMap<string, Visibility>;
  readonly said: ShownTexts;
}

interface Asked {
  readonly call: number;
  readonly object: number;
  /** The lines that were requested; undefined: all. */
  readonly lines: FetchedLines | undefined;
  /** The tokens of requested arguments, which stay in the prompt until an epoch ends. */
  arguments: number;
}

function viewMeasure(
  { stored, evidence, counter, times, prefix }: SegmentSource & { readonly prefix: Part },
  activeLines: Rehearsal["activeLines"],
): ViewMeasure {
  const handles = new Map(stored.toolcalls.map(({ callId, handle }) => [callId, handle]));
  const contents = new Map(
    stored.toolcalls.map(({ handle, stored: version }) => [handle, version.body.content ?? ""]),
  );
  const argumentTexts = new Map(
    evidence.objects
      .filter(({ kind }) => kind === "arguments" || kind === "other-arguments")
      .map(({ callId, text }) => [callId, text]),
  );
  const handlesById = new Map(stored.toolcalls.map(({ id, handle }) => [id, handle]));
  const callAt = new Map(stored.places.map(({ turn, step }, at) => [`${turn}.${step}`, at]));
  const callOf = (entry: ViewEntry | undefined): number | undefined =>
    entry?.type === "assistant" ? (callAt.get(`${entry.turn}.${entry.step}`) ?? -1) : undefined;
  const asked: Asked[] = [];
  let last: MeasuredView | undefined;
  let before: { readonly entries: readonly ViewEntry[]; readonly parts: readonly SentPart[] } = {
    entries: [],
    parts: [],
  };

  function measure(output: MeasuredView, call: number): CallView {
    let known: Shown | undefined;
    const time = times[call];
    const { parts, ends } = withAsked(asked, partsOf(output), prefix, call);
    const marks = output.boundaries?.map((index) => ends[index] ?? parts.length);
    return {
      parts,
      shown(object) {
        const found = evidence.objects[object];
        if (found === undefined) return "none";
        // Few calls quote anything, so this is found out only for them.
        known ??= shownIn(output);
        if (found.kind === "result")
          return known.results.get(handles.get(found.callId) ?? "") ?? "none";
        const shown = known.calls.get(found.callId) ?? known.said.of(found.text);
        return together(shown, askedArguments(object));
      },
      ...defined({ time, marks }),
    };
  }

  /** The messages of a view as parts. Most are those of the last view; comparing is faster than looking them up. */
  function partsOf({ record, messages }: MeasuredView): readonly SentPart[] {
    const { entries } = record;
    const parts = messages.map((message, index) => {
      const entry = entries[index];
      const known = entry !== undefined && entry === before.entries[index];
      const found = known ? before.parts[index] : undefined;
      return found ?? { part: counter.part(message, entry), answers: callOf(entry) };
    });
    before = { entries, parts };
    return parts;
  }

  /** The part of arguments that the prompt has because they were requested. */
  function askedArguments(object: number): Visibility {
    const there = asked.filter((one) => one.object === object && one.arguments > 0);
    if (there.length === 0) return "none";
    const ranges = there.flatMap(({ lines }) => lines ?? []);
    return ranges.length < there.length ? "whole" : joinedRanges(ranges);
  }

  function shownIn(output: MeasuredView): Shown {
    const results = new Map<string, Visibility>();
    const calls = new Map<string, Visibility>();
    const { entries } = output.record;
    for (const [index, message] of output.messages.entries())
      noteArguments(message, entries[index], (callId) => argumentTexts.get(callId), calls);
    for (const entry of entries) noteShown(entry, contents, results);
    if (entries.length === 0) {
      for (const { id, form } of output.shown) {
        const handle = handlesById.get(id);
        if (handle === undefined || form !== "whole") continue;
        noteActive(handle, activeLines(handle), contents, results);
      }
    }
    return { results, calls, said: shownTexts(output) };
  }

  return {
    view(output, call) {
      const isCut = output.epoch?.isNew === true || wasSummarised(last, output);
      if (isCut) for (const one of asked) if (one.call < call) one.arguments = 0;
      last = output;
      return measure(output, call);
    },
    again(call) {
      if (last === undefined) throw new RangeError("there is no view yet; call view() first");
      return measure(last, call);
    },
    ask(object, call, lines) {
      const found = evidence.objects[object];
      const tokens = lines?.tokens ?? found?.tokens ?? 0;
      asked.push({ call, object, lines, arguments: found?.kind === "result" ? 0 : tokens });
    },
    handleOf: (callId) => handles.get(callId),
  };
}

/**
 * Returns a prompt in which each request, and the arguments that came with it, is before the answer to its call, and the
 * number of its parts up to the end of each message.
 */
function withAsked(
  asked: readonly Asked[],
  messages: readonly SentPart[],
  prefix: Part,
  call: number,
): { readonly parts: readonly Part[]; readonly ends: readonly number[] } {
  const parts: Part[] = [prefix];
  const ends: number[] = [];
  const addAsked = (at: number): void => {
    for (const [index, one] of asked.entries()) {
      if (one.call !== at) continue;
      parts.push({ key: `asked ${index}`, tokens: askedOverhead });
      if (one.arguments > 0) parts.push({ key: `arguments ${index}`, tokens: one.arguments });
    }
  };
  for (const { part, answers } of messages) {
    if (answers !== undefined) addAsked(answers);
    parts.push(part);
    ends.push(parts.length);
  }
  addAsked(call);
  // The end of the prompt is behind what was asked for last.
  if (ends.length > 0) ends[ends.length - 1] = parts.length;
  return { parts, ends };
}

/** What is visible of an object that is shown twice, in parts. */
function together(one: Visibility, other: Visibility): Visibility {
  if (one === "whole" || other === "none") return one;
  if (other === "whole" || one === "none") return other;
  return joinedRanges([...one, ...other]);
}

function wasSummarised(last: MeasuredView | undefined, next: MeasuredView): boolean {
  const [before] = last?.messages ?? [];
  const [after] = next.messages;
  return after?.role === "opaque" && textOfOpaque(before) !== textOfOpaque(after);
}

function textOfOpaque(message: ViewMessage | undefined): string {
  return message?.role === "opaque" ? JSON.stringify(message.raw) : "";
}
