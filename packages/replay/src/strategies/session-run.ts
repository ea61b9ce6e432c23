import type { LayoutOutput, ShownPart, ViewEntry } from "@self-context-manager/core/layout";
import type { Rehearsal, StoredRehearsal } from "@self-context-manager/core/rehearsal";
import type { ViewMessage, ViewOptions } from "@self-context-manager/core";

import { askedOverhead } from "../measure/billing.ts";
import type { CallView, OwnCall, Part, StrategyRun, Visibility } from "../measure/call-view.ts";
import type { Evidence } from "../measure/evidence.ts";
import { prefixTokens } from "../measure/tokens.ts";
import type { MessageCounter } from "./message-counter.ts";

/** The parts that all runs over one segment share. */
export interface SegmentSource {
  readonly stored: StoredRehearsal;
  readonly evidence: Evidence;
  readonly counter: MessageCounter;
  /** The time of each model call, as far as it was recorded. */
  readonly times: readonly (number | undefined)[];
}

/** The parts of a layout's output that are measured. */
export type MeasuredView = Pick<LayoutOutput, "messages" | "record" | "shown" | "epoch">;

/** Actions between the views of a run, in addition to those of the layout. */
export interface RunHooks {
  /** Called before the view is made, for actions of the host. */
  readonly before?: (rehearsal: Rehearsal, former: CallView | undefined) => readonly OwnCall[];
  /** Called when an output was asked for again. */
  readonly onAsk?: (handle: string | undefined) => void;
}

const prefix: Part = { key: "prefix", tokens: prefixTokens };

/** A pass of a policy and a layout over a stored segment, as a sequence of prompts. */
export function sessionRun(
  source: SegmentSource,
  rehearsal: Rehearsal,
  options: ViewOptions = {},
  hooks: RunHooks = {},
): StrategyRun {
  const measured = viewMeasure(source);
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
    async activate(object) {
      const found = source.evidence.objects[object];
      if (found === undefined) throw new RangeError(`there is no evidence object ${object}`);
      const handle = measured.handleOf(found.callId);
      measured.ask(object, call);
      hooks.onAsk?.(found.kind === "result" ? handle : undefined);
      const ownCalls = former?.ownCalls;
      if (found.kind === "result" && handle !== undefined)
        former = measured.view(await rehearsal.activate(handle, options), call);
      else if (former !== undefined) former = measured.again(call);
      if (former === undefined) throw new RangeError("activate needs a view first; call view()");
      if (ownCalls !== undefined) former = { ...former, ownCalls };
      return former;
    },
  };
}

/** Converts the views of a run to prompts. */
interface ViewMeasure {
  view(output: MeasuredView, call: number): CallView;
  /** The last view, with the objects that were asked for since. */
  again(call: number): CallView;
  /** Notes a request for an object before a model call; the request, and requested arguments, stay in the prompt. */
  ask(object: number, call: number): void;
  handleOf(callId: string): string | undefined;
}

interface Asked {
  readonly call: number;
  readonly object: number;
  /** The tokens of requested arguments, which stay in the prompt until an epoch ends. */
  arguments: number;
}

function viewMeasure({ stored, evidence, counter, times }: SegmentSource): ViewMeasure {
  const handles = new Map(stored.toolcalls.map(({ callId, handle }) => [callId, handle]));
  const contents = new Map(
    stored.toolcalls.map(({ handle, stored: version }) => [handle, version.body.content ?? ""]),
  );
  const handlesById = new Map(stored.toolcalls.map(({ id, handle }) => [id, handle]));
  const callAt = new Map(stored.places.map(({ turn, step }, at) => [`${turn}.${step}`, at]));
  const asked: Asked[] = [];
  let last: MeasuredView | undefined;

  function measure(output: MeasuredView, call: number): CallView {
    const { record, messages } = output;
    const parts: Part[] = [prefix];
    const shown = shownIn(output);
    const addAsked = (at: number): void => {
      for (const [index, one] of asked.entries()) {
        if (one.call !== at) continue;
        parts.push({ key: `asked ${index}`, tokens: askedOverhead });
        if (one.arguments > 0) parts.push({ key: `arguments ${index}`, tokens: one.arguments });
      }
    };
    for (const [index, message] of messages.entries()) {
      const entry = record.entries[index];
      if (entry?.type === "assistant") addAsked(callAt.get(`${entry.turn}.${entry.step}`) ?? -1);
      parts.push(counter.part(message, entry));
    }
    addAsked(call);
    const time = times[call];
    return {
      parts,
      shown(object) {
        const found = evidence.objects[object];
        if (found === undefined) return "none";
        if (found.kind === "arguments") {
          if (asked.some((one) => one.object === object && one.arguments > 0)) return "whole";
          return shown.calls.has(found.callId) ? "whole" : "none";
        }
        return shown.results.get(handles.get(found.callId) ?? "") ?? "none";
      },
      ...(time === undefined ? {} : { time }),
    };
  }

  function shownIn(output: MeasuredView): {
    readonly results: ReadonlyMap<string, Visibility>;
    readonly calls: ReadonlySet<string>;
  } {
    const results = new Map<string, Visibility>();
    const calls = new Set<string>();
    const { entries } = output.record;
    for (const [index, message] of output.messages.entries()) {
      if (message.role !== "assistant") continue;
      const entry = entries[index];
      const stubs = entry?.type === "assistant" ? (entry.stubs ?? []) : [];
      const left = new Set(stubs.map(({ call: position }) => position));
      let position = -1;
      for (const block of message.content) {
        if (block.type !== "toolCall") continue;
        position += 1;
        if (!left.has(position) && typeof block["id"] === "string") calls.add(block["id"]);
      }
    }
    for (const entry of entries) noteShown(entry, contents, results);
    if (entries.length === 0) {
      for (const { id, form } of output.shown) {
        const handle = handlesById.get(id);
        if (handle !== undefined && form === "whole") results.set(handle, "whole");
      }
    }
    return { results, calls };
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
    ask(object, call) {
      const found = evidence.objects[object];
      asked.push({ call, object, arguments: found?.kind === "arguments" ? found.tokens : 0 });
    },
    handleOf: (callId) => handles.get(callId),
  };
}

function wasSummarised(last: MeasuredView | undefined, next: MeasuredView): boolean {
  const [before] = last?.messages ?? [];
  const [after] = next.messages;
  return after?.role === "opaque" && textOfOpaque(before) !== textOfOpaque(after);
}

function textOfOpaque(message: ViewMessage | undefined): string {
  return message?.role === "opaque" ? JSON.stringify(message.raw) : "";
}

function noteShown(
  entry: ViewEntry,
  contents: ReadonlyMap<string, string>,
  results: Map<string, Visibility>,
): void {
  if (entry.type === "result" && entry.form === "bare" && entry.of !== undefined)
    results.set(entry.of, "whole");
  if (entry.type !== "result" && entry.type !== "object") return;
  for (const part of entry.shows ?? []) {
    const shown = shownOf(part, contents.get(part.of) ?? "");
    const before = results.get(part.of);
    if (shown === "none" || before === "whole") continue;
    const isMore = shown !== "whole" && before !== undefined && before !== "none";
    results.set(part.of, isMore ? [...before, ...shown] : shown);
  }
}

function shownOf({ form, head = 0, tail = 0 }: ShownPart, content: string): Visibility {
  if (form === "whole") return "whole";
  if (form !== "part") return "none";
  return [
    { start: 0, end: head },
    { start: content.length - tail, end: content.length },
  ];
}
