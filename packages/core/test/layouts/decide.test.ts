import { defined } from "@self-context-manager/objects";
import * as fc from "fast-check";
import { expect, test } from "vitest";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import type { Block } from "../../src/chat/message.ts";
import { hasSignedThinking } from "../../src/chat/signed-thinking.ts";
import { callsOf } from "../../src/chat/turn.ts";
import { decide, type Decisions } from "../../src/layouts/epoch/decide.ts";
import { draw } from "../../src/layouts/epoch/draw.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import {
  defaultEpochSettings,
  type EpochSettings,
} from "../../src/layouts/epoch/epoch-settings.ts";
import { planningContext, type PlanningContext } from "../../src/layouts/epoch/planning-context.ts";
import type { EpochInput, Layout, LayoutInput } from "../../src/view/layout.ts";
import { omissionNotices } from "../../src/lines/notices.ts";
import { filledShare } from "../../src/view/filled-share.ts";
import { contentParts, handlesShown, hasLeft, type ViewEntry } from "../../src/view/view-entry.ts";
import type { MessagePlace } from "../../src/view/left-out-rows.ts";
import type { ViewRecord } from "../../src/view/view-record.ts";
import { lines, viewStage, type ViewStage } from "./view-stage.ts";

const settings: EpochSettings = {
  ...defaultEpochSettings,
  small: 20,
  largeArguments: 60,
  replacedTexts: 1,
  otherArguments: { over: 60, age: 1 },
  trim: { over: 150, head: 30, tail: 10 },
};

/** The same settings without free texts, which leave only behind the first change. */
const withoutFree: EpochSettings = {
  ...settings,
  replacedTexts: undefined,
  otherArguments: undefined,
  trim: undefined,
};

/** What was decided for one call, and from what. */
interface Decided {
  readonly context: PlanningContext;
  readonly last: ViewRecord | undefined;
  readonly decisions: Decisions;
}

/** A layout that keeps each of its decisions. */
function recording(decided: Decided[]): Layout {
  return {
    ...epochLayout(settings),
    render(input, last) {
      const context = planningContext(input, settings);
      const decisions = decide(context, last);
      decided.push({ context, last, decisions });
      return draw(context, decisions);
    },
  };
}

const file = fc.constantFrom("f1", "f2", "f3");
const size = fc.integer({ min: 1, max: 40 });
const call = fc.oneof(
  fc.record({ does: fc.constant("say" as const), thinks: fc.boolean() }),
  fc.record({
    does: fc.constant("command" as const),
    size,
    args: fc.integer({ min: 1, max: 20 }),
    thinks: fc.boolean(),
  }),
  fc.record({ does: fc.constant("read" as const), file }),
  fc.record({ does: fc.constant("write" as const), file, size }),
  fc.record({ does: fc.constant("edit" as const), file, size }),
  fc.record({ does: fc.constant("wait" as const), size }),
);
const event = fc.oneof(
  fc.record({ is: fc.constant("user" as const), size: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ is: fc.constant("picture" as const), width: fc.integer({ min: 1, max: 300 }) }),
  fc.record({ is: fc.constant("answer" as const), call }),
  fc.record({ is: fc.constant("change" as const), file, size }),
  fc.record({ is: fc.constant("activate" as const), file, isPinned: fc.boolean() }),
  fc.record({ is: fc.constant("deactivate" as const), nth: fc.nat(5) }),
  fc.record({ is: fc.constant("back" as const) }),
);
const view = fc.record({
  events: fc.array(event, { minLength: 1, maxLength: 4 }),
  budget: fc.option(fc.integer({ min: 20, max: 900 }), { nil: undefined, freq: 3 }),
  isCold: fc.boolean(),
  /** Whether the host summarizes the turns before the newest one. */
  isCompacted: fc.boolean(),
  kept: fc.subarray(["f1", "f2", "f3", "t1", "t2", "t3", "u1", "u2"]),
});
const session = fc.record({
  views: fc.array(view, { minLength: 2, maxLength: 8 }),
  isBound: fc.boolean(),
});

type Session = typeof session extends fc.Arbitrary<infer Value> ? Value : never;

/** Plays a session, and returns what was decided for each of its calls. */
function play({ views, isBound }: Session): readonly Decided[] {
  const decided: Decided[] = [];
  const layout = recording(decided);
  const stage = viewStage("begin");
  for (const one of ["f1", "f2", "f3"]) stage.file(one, lines(10, one));
  const state: State = { turns: 1, isBack: false, waiting: undefined };
  let compaction: LayoutInput["compaction"];
  for (const { events, budget, isCold, isCompacted, kept } of views) {
    state.isBack = false;
    for (const one of events) happen(stage, one, state);
    const from = compaction?.from.turn ?? 0;
    if (isCompacted && state.turns - 1 > from) compaction = summaryBefore(state.turns - 1);
    // The user went back before the summary.
    if (from > state.turns - 1) compaction = undefined;
    const stays: EpochInput["liveness"] = {
      keepsArguments: () => !isCold,
      stays: ({ key }) => kept.includes(key),
    };
    const cache = { read: 0.1, write: 1.25, isCold, rewrites: "what-follows" } as const;
    stage.view(layout, {
      cache,
      liveness: stays,
      thinking: isBound ? "bound" : "free",
      ...defined({ budget, compaction }),
    });
  }
  return decided;
}

interface State {
  turns: number;
  /** Whether the user went back since the last view. The chat is then shorter, by which a layout notices it. */
  isBack: boolean;
  /** A call whose result arrives later. */
  waiting: { readonly handle: string; readonly size: number } | undefined;
}

function happen(
  stage: ViewStage,
  one: typeof event extends fc.Arbitrary<infer Value> ? Value : never,
  state: State,
): void {
  switch (one.is) {
    case "user":
      if (state.isBack) return;
      state.turns += 1;
      return void stage.user(lines(one.size, "asked"));
    case "picture":
      if (state.isBack) return;
      state.turns += 1;
      return void stage.user([{ type: "text", text: "Look:" }, pictureOf(one.width)]);
    case "change":
      return stage.file(one.file, lines(one.size, "changed"));
    case "activate":
      return stage.activate(one.file, { isPinned: one.isPinned });
    case "deactivate": {
      const handle = stage.activeHandles()[one.nth];
      return handle === undefined ? undefined : stage.deactivate(handle);
    }
    case "back":
      if (state.turns > 1 && state.waiting === undefined) {
        state.turns -= 1;
        state.isBack = true;
        stage.goBack();
      }
      return;
    case "answer":
      return answer(stage, one.call, state);
  }
}

function summaryBefore(turn: number): NonNullable<LayoutInput["compaction"]> {
  const message = { role: "user", content: `Turns before ${turn}.`, timestamp: turn } as const;
  return { from: { turn, step: -1 }, messages: [{ message }] };
}

/** Returns an image of some pixels in width and 600 in height: a PNG file as far as its size. */
function pictureOf(width: number): Block {
  const bytes = Buffer.alloc(40);
  Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").copy(bytes);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(600, 20);
  return { type: "image", data: bytes.toString("base64"), mimeType: "image/png" };
}

function answer(
  stage: ViewStage,
  one: typeof call extends fc.Arbitrary<infer Value> ? Value : never,
  state: State,
): void {
  const signed = { type: "thinking", thinking: "so", thinkingSignature: "signed" } as const;
  if (state.waiting !== undefined) stage.result(state.waiting.handle, lines(state.waiting.size));
  state.waiting = undefined;
  switch (one.does) {
    case "say":
      return stage.say("Well.", one.thinks ? signed : undefined);
    case "command":
      return void stage.call(
        "bash",
        { command: lines(one.args, "make") },
        lines(one.size),
        one.thinks ? { thinking: signed } : {},
      );
    case "read":
      return void stage.read(one.file);
    case "write": {
      const text = lines(one.size, "written");
      stage.file(one.file, text, "agent");
      const args = { path: `${one.file}.ts`, content: text };
      return void stage.call("write", args, "Done.", { file: one.file });
    }
    case "edit": {
      const [before, after] = [lines(one.size, "before"), lines(one.size, "edited")];
      stage.file(one.file, after, "agent");
      const args = { path: `${one.file}.ts`, oldText: before, newText: after };
      return void stage.call("edit", args, "Done.", { file: one.file });
    }
    case "wait":
      state.waiting = {
        handle: stage.callWithoutResult("bash", { command: "wait" }),
        size: one.size,
      };
  }
}

const leastNotice = omissionNotices.others.write("chat");

/** The laws of a decision. Each returns what breaks it. */
const laws: Readonly<Record<string, (one: Decided) => readonly string[]>> = {
  "each answer has the results of its calls, in order, and a user begins": ({
    context,
    decisions: { entries },
  }) => {
    const expected = entries.flatMap((entry): readonly string[] => {
      if (entry.type === "result") return [];
      if (entry.type !== "assistant") return [entry.type];
      const step = context.answerAt(entry);
      const calls = step === undefined ? [] : callsOf(step);
      return [entry.type, ...calls.map((_, call) => resultName({ ...entry, call }))];
    });
    const shown = entries.map((entry) =>
      entry.type === "result" ? resultName(entry) : entry.type,
    );
    const first = entries[0]?.type ?? "none";
    return [
      ...(shown.join() === expected.join()
        ? []
        : [`${shown.join()} instead of ${expected.join()}`]),
      ...(first === "assistant" || first === "result" ? [`begins with ${first}`] : []),
    ];
  },
  "the budget holds, and the newest message of the user is shown at least in part": ({
    context,
    decisions: { entries },
  }) => {
    const { budget = Number.POSITIVE_INFINITY } = context.input;
    const tokens = context.total(entries);
    const asked = entries.findLast((entry) => entry.type === "user")?.turn;
    return [
      ...(tokens <= budget ? [] : [`${tokens} tokens`]),
      ...(budget < 60 || asked === context.newestUser ? [] : [`turn ${asked} is the newest`]),
    ];
  },
  "an end by the budget leaves room, unless what may not leave needs more": ({
    context,
    decisions: { entries, figures },
  }) => {
    const { budget = Number.POSITIVE_INFINITY } = context.input;
    if (!figures.isNew || figures.endedBy !== "budget") return [];
    if (context.total(entries) <= budget * filledShare) return [];
    const asked = entries.findLastIndex(({ type }) => type === "user");
    const unsentFrom = entries.findLastIndex(({ type }) => type === "assistant") + 1;
    return entries.flatMap((entry, index) => {
      const isMessage = entry.type !== "object" && entry.type !== "notice";
      if (isMessage && index < asked) return [`${entry.type} ${index} of an earlier turn`];
      if (index === asked || index >= unsentFrom || entry.tokens <= 20) return [];
      const handles = [...handlesShown([entry])];
      const isOther = handles.length > 0 && !handles.some((of) => context.isPinned(of));
      return isOther && entry.type !== "user" ? [`${handles.join()} was sent before`] : [];
    });
  },
  "the note on other turns is before the newest message of the user, and that message is whole": ({
    context,
    decisions: { entries },
  }) => {
    const asked = entries.findLastIndex(({ type }) => type === "user");
    const user = entries[asked];
    const behind = entries
      .slice(asked + 1)
      .flatMap((entry) => (entry.type === "notice" ? [entry.text] : []))
      .filter((text) => /^\[(?:turns|other|earlier)/u.test(text));
    const parts = user?.type === "user" && user.turn === context.newestUser ? user.parts : [];
    return [...behind, ...(parts ?? []).filter(hasLeft).map(({ of }) => `${of} has left`)];
  },
  "the last view stays while no epoch ends, and its beginning when one ends": ({
    context,
    last,
    decisions: { entries, cut, figures },
  }) => {
    if (last === undefined) return [];
    const kept = last.entries.slice(0, cut);
    const { turns } = context.input;
    const steps = turns.at(-1)?.steps.length ?? 0;
    const isBack = last.turns > turns.length || (last.turns === turns.length && last.steps > steps);
    const isCut = cut < last.entries.length && !figures.isNew && !isBack;
    const tokens = kept.reduce((sum, entry) => sum + entry.tokens, 0);
    return [
      ...(kept.every((entry, index) => entry === entries[index]) ? [] : ["another beginning"]),
      ...(isCut ? [`cut at ${cut} without an end`] : []),
      ...(tokens === figures.sharedTokens ? [] : [`${figures.sharedTokens} shared tokens`]),
    ];
  },
  "each active object is shown, is scarce, or becomes inactive if it is not pinned": ({
    context,
    decisions: { entries, memory, deactivated },
  }) => {
    const shown = handlesShown(entries);
    return context.input.active
      .filter(({ entry, isPinned }) =>
        deactivated.includes(entry.id)
          ? isPinned
          : !shown.has(entry.handle) && memory.scarce?.includes(entry.handle) !== true,
      )
      .map(({ entry }) => entry.handle);
  },
  "nothing leaves that stays, unless the budget demands it": ({
    context,
    decisions: { entries, figures },
  }) => {
    if (!figures.isNew || figures.endedBy === "budget") return [];
    const shown = handlesShown(entries);
    return figures.left.filter((key) => {
      const stays = context.isPinned(key) || context.stays({ key, tokens: 0 });
      return context.active.has(key) && stays && !shown.has(key);
    });
  },
  "each content that left is named, if no turn had to leave": ({
    decisions: { entries, figures },
  }) => {
    if (!figures.isNew || figures.endedBy === "budget" || figures.endedBy === "compaction")
      return [];
    const named = new Set(entries.flatMap((entry) => namesIn(entry)));
    return figures.left.filter((key) => !key.includes("/") && !named.has(key));
  },
  "texts that leave without a decision of the policy make no message change earlier": ({
    context,
    last,
    decisions: { cut, figures },
  }) => {
    const other = decide(planningContext(context.input, withoutFree), last);
    const isSame = other.figures.isNew && other.figures.endedBy === figures.endedBy;
    if (!figures.isNew || !isSame || figures.endedBy === "budget") return [];
    return cut < other.cut ? [`cut at ${cut} instead of ${other.cut}`] : [];
  },
  "older turns leave before newer ones": ({ context, decisions: { entries } }) => {
    const shown = entries.flatMap((entry) => (entry.type === "user" ? [entry.turn] : []));
    return shown
      .filter((turn, index) => turn !== context.newestUser + 1 - shown.length + index)
      .map((turn) => `turn ${turn}`);
  },
  "a pinned content leaves after one that is not smaller and not pinned": ({
    context,
    decisions: { entries, figures },
  }) => {
    if (!figures.isNew || figures.endedBy !== "budget") return [];
    // The least view shows the newest step alone.
    if (entries.some((entry) => entry.type === "notice" && entry.text === leastNotice)) return [];
    const whole = handlesWhole(entries);
    const others = entries
      .filter(({ type }) => type !== "user")
      .filter((entry) => handlesWhole([entry]).size > 0)
      .filter((entry) => ![...handlesShown([entry])].some((of) => context.isPinned(of)))
      .map(({ tokens }) => tokens);
    return context.input.active
      .filter(({ entry, isPinned }) => isPinned && !whole.has(entry.handle))
      .map(({ entry: { handle: of }, stored: { version } }) =>
        context.sized({ type: "object", shows: [{ of, version, form: "whole" }] }),
      )
      .filter(({ tokens }) => tokens <= Math.max(0, ...others))
      .flatMap((entry) => [...handlesShown([entry])]);
  },
  "at an end, behind the first change, no version has two lines outside results": ({
    decisions: { entries, cut, figures },
  }) => {
    if (!figures.isNew) return [];
    const lined = entries
      .slice(cut)
      .flatMap((entry) => (entry.type === "object" ? entry.shows : []))
      .filter(({ form }) => form === "line")
      .map(({ of, version }) => `${of}@${version}`);
    return lined.filter((name, index) => lined.indexOf(name) !== index);
  },
  "a model that binds its thinking gets it only before the first change": ({
    context,
    decisions: { entries, cut },
  }) => {
    if (context.input.thinking !== "bound") return [];
    return entries.flatMap((entry, index) => {
      const step = entry.type === "assistant" ? context.answerAt(entry) : undefined;
      const isShown = entry.type === "assistant" && entry.thinking === undefined;
      if (step === undefined || !hasSignedThinking(step) || !isShown || index < cut) return [];
      const isAnswer = step.view === context.epochs.lastCall && index === cut;
      return isAnswer ? [] : [`entry ${index}`];
    });
  },
};

const quiet = { budget: undefined, isCold: false, isCompacted: false, kept: [] };

/** Sessions in which a version once had two lines outside results. */
const known: [Session][] = [
  [
    {
      isBound: false,
      views: [
        { ...quiet, events: [{ is: "activate", file: "f3", isPinned: false }] },
        { ...quiet, events: [{ is: "activate", file: "f1", isPinned: true }] },
        {
          ...quiet,
          events: [
            { is: "answer", call: { does: "edit", file: "f3", size: 11 } },
            { is: "picture", width: 1 },
          ],
          budget: 747,
          kept: ["f3"],
        },
      ],
    },
  ],
  [
    {
      isBound: false,
      views: [
        {
          ...quiet,
          events: [
            { is: "activate", file: "f1", isPinned: true },
            { is: "answer", call: { does: "wait", size: 1 } },
          ],
        },
        {
          ...quiet,
          events: [
            { is: "user", size: 1 },
            { is: "change", file: "f1", size: 22 },
          ],
          budget: 180,
        },
        {
          ...quiet,
          events: [{ is: "answer", call: { does: "write", file: "f3", size: 11 } }],
          budget: 156,
        },
      ],
    },
  ],
];

test.each(Object.entries(laws))("in each decision about a view, %s", (_name, law) => {
  fc.assert(
    fc.property(session, (given) => {
      expect(play(given).flatMap(law)).toEqual([]);
    }),
    { numRuns: propertyRuns(150), examples: known },
  );
});

/** Returns the objects that are shown whole, as one content or with the changes since. */
function handlesWhole(entries: readonly ViewEntry[]): ReadonlySet<string> {
  const parts = entries.flatMap((entry) => contentParts(entry));
  return new Set(
    parts.filter(({ form }) => form === "whole" || form === "diff").map(({ of }) => of),
  );
}

function resultName({ turn, step, call: at }: Required<MessagePlace>): string {
  return `result ${turn}.${step}.${at}`;
}

function namesIn(entry: ViewEntry): readonly string[] {
  if (entry.type === "user") return (entry.parts ?? []).map(({ of }) => of);
  if (entry.type !== "result" && entry.type !== "object") return [];
  const own = entry.type === "result" && entry.of !== undefined ? [entry.of] : [];
  return [...own, ...(entry.shows ?? []).map(({ of }) => of)];
}
