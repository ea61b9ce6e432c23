import type { JsonObject } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { recentlyUsedPolicy } from "../../src/policy/recently-used-policy.ts";
import { entryRow, readEntryRow } from "../../src/view/entry-row.ts";
import type { LayoutOutput } from "../../src/view/layout.ts";
import { scriptHistory } from "../session/script-history.ts";
import { openTestSession } from "../session/test-session.ts";
import {
  lines,
  nothingUsed,
  resultOf,
  type ViewStage,
  viewAfterPause,
  viewStage,
} from "./view-stage.ts";

const layout = epochLayout({ folds: { age: 0 } });
const later = epochLayout({ folds: { age: 2 } });
const talk = "The parser reads each line again and again. ".repeat(12);

/** Adds an output that leaves when the next epoch ends, so that everything behind it is written again. */
function addContent(stage: ViewStage): string {
  return stage.call("bash", { command: "npm test" }, lines(200));
}

function addStep(stage: ViewStage, tool: string, args: JsonObject, output = "ok"): string {
  stage.say(talk);
  return stage.call(tool, args, output);
}

/** Returns the folds of a view: the text of each, and the place of its answer. */
function foldsOf({ record, messages }: LayoutOutput): readonly string[] {
  return record.entries.flatMap((entry, index) => {
    if (entry.type !== "assistant" || entry.fold === undefined) return [];
    const message = messages[index];
    const [first] = message?.role === "assistant" ? message.content : [];
    expect(first).toEqual({ type: "text", text: entry.fold.text });
    expect(entry.fold.text).toMatch(/[\]~]\n$/u);
    return [entry.fold.text];
  });
}

/** The count of calls at the beginning of a fold. */
function callsIn(fold = ""): number {
  return Number(/^\[(\d+) calls/u.exec(fold)?.[1]);
}

/** A finished turn of five calls, and the beginning of the next. */
function finishedTurn(): ViewStage {
  const stage = viewStage("Make the parser faster.");
  stage.file("f1", "text\n");
  addContent(stage);
  stage.say(`${talk}We keep the old format, because the clients need it.`);
  stage.call("read", { path: "src/parser.ts" }, "text", { file: "f1" });
  addStep(stage, "edit", { path: "src/parser.ts", oldText: "a", newText: "b" });
  addStep(stage, "bash", { command: "git status --short" });
  addStep(stage, "bash", { command: "npm test -- parser" });
  addStep(stage, "bash", { command: "npm test -- lexer" });
  stage.say("The parser is faster now.");
  stage.view(layout);
  stage.user("And the lexer?");
  return stage;
}

describe("a finished turn", () => {
  it("is folded into its last answer when an epoch ends", () => {
    const stage = finishedTurn();

    const view = viewAfterPause(stage, layout);

    expect(view.epoch).toMatchObject({ isNew: true });
    const [fold = ""] = foldsOf(view);
    expect(fold).toMatch(
      /^\[4 calls of turn 1 are folded; activate chat with turn 1 shows them\]\n~~~\n/u,
    );
    expect(fold).toContain("\nread: f1 ");
    expect(fold).toContain("\nran t4: git status --short\nran t5: npm test -- parser\n");
    expect(fold).toContain("\nsaid: We keep the old format, because the clients need it.\n");
    expect(view.messages).toHaveLength(7);
    expect(JSON.stringify(view.messages)).toContain("The parser is faster now.");
  });

  it("has a text of its own kind if it is one call", () => {
    const stage = viewStage("Make the parser faster.");
    addContent(stage);
    stage.say(talk.repeat(3));
    stage.call("bash", { command: "git status" }, "ok");
    stage.call("bash", { command: "git log" }, "ok");
    stage.say("done");
    stage.view(layout);
    stage.user("next");

    expect(foldsOf(viewAfterPause(stage, layout))).toEqual([
      expect.stringMatching(
        /^\[1 call of turn 1 is folded; activate chat with turn 1 shows it\]\n~~~\nran t2: git status\n~~~\n$/u,
      ),
    ]);
  });

  it("is shown as it was while the epoch continues, and with folds off", () => {
    const stage = finishedTurn();

    expect(foldsOf(stage.view(layout))).toEqual([]);
    expect(foldsOf(viewAfterPause(finishedTurn(), epochLayout({ folds: undefined })))).toEqual([]);
  });

  it("rebuilds byte for byte from the stored rows", () => {
    const stage = finishedTurn();
    const view = viewAfterPause(stage, layout);

    const rows = view.record.entries.map(entryRow);
    const entries = rows.map((row) => readEntryRow(structuredClone(row)));

    expect(rows.every((row) => typeof row === "string")).toBe(true);
    expect(entries).toEqual(view.record.entries);
    expect(layout.rebuild({ ...view.record, entries }, stage.source())).toEqual(view.messages);
  });

  it("keeps a step whose output is pinned or used, and one without a result", () => {
    const stage = viewStage("go");
    addContent(stage);
    const pinned = addStep(stage, "bash", { command: "a" }, "short");
    const used = addStep(stage, "bash", { command: "b" }, lines(40));
    stage.say(talk);
    stage.callWithoutResult("bash", { command: "c" });
    for (let index = 0; index < 4; index += 1) addStep(stage, "bash", { command: `d ${index}` });
    stage.say("done");
    stage.activate(pinned, { isPinned: true });
    stage.view(layout);
    stage.user("next");

    const view = viewAfterPause(stage, layout, {
      liveness: { keepsArguments: () => true, stays: ({ key }) => key === used },
    });

    expect(foldsOf(view)).toHaveLength(1);
    expect(resultOf(view, pinned)).toContain("short");
    expect(resultOf(view, used)).toContain("line 40");
    expect(JSON.stringify(view.messages)).toContain('"command":"c"');
  });

  it("is shown again up to the point to which the user goes back", () => {
    const stage = finishedTurn();
    const folded = viewAfterPause(stage, layout);
    expect(foldsOf(folded)).toHaveLength(1);
    const turns = stage.source().turns;
    const [turn] = turns;
    expect(turn?.steps.length).toBeGreaterThan(6);

    const back = stage.view(layout, {
      turns: [{ ...turn, steps: turn?.steps.slice(0, 4) ?? [] }] as typeof turns,
    });

    expect(foldsOf(back)).toEqual([]);
    expect(JSON.stringify(back.messages)).toContain("src/parser.ts");
  });
});

describe("a turn that is not finished", () => {
  it("is folded up to the last answers, into the first that stays", () => {
    const stage = viewStage("go");
    addContent(stage);
    for (let index = 0; index < 8; index += 1) addStep(stage, "bash", { command: `run ${index}` });
    stage.view(later);

    const view = viewAfterPause(stage, later);

    const [fold = ""] = foldsOf(view);
    expect(fold).toMatch(/^\[\d calls of turn 1 are folded/u);
    for (const index of [6, 7])
      expect(JSON.stringify(view.messages)).toContain(`"command":"run ${index}"`);
    expect(JSON.stringify(view.messages)).not.toContain(`"command":"run 1"`);
  });

  it("is not folded if its thinking is signed, because its provider can demand it", () => {
    const stage = viewStage("go");
    addContent(stage);
    const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "s" } as const;
    for (let index = 0; index < 8; index += 1) {
      stage.say(talk, thinking);
      stage.call("bash", { command: `run ${index}` }, "ok");
    }
    stage.view(later);

    expect(foldsOf(viewAfterPause(stage, later))).toEqual([]);
  });

  it("is not folded if the host shows its messages, also if the budget demands it", () => {
    const stage = viewStage("go");
    addContent(stage);
    for (let index = 0; index < 8; index += 1) addStep(stage, "bash", { command: `run ${index}` });
    stage.view(later, { isTurnFixed: true });

    const atEnd = viewAfterPause(stage, later, { isTurnFixed: true });
    const inLittle = stage.view(later, { isTurnFixed: true, budget: 600 });

    expect([...foldsOf(atEnd), ...foldsOf(inLittle)]).toEqual([]);
  });

  it("folds again into a later answer, with the steps of the fold before", () => {
    const stage = viewStage("go");
    const used = addContent(stage);
    addContent(stage);
    for (let index = 0; index < 6; index += 1) addStep(stage, "bash", { command: `run ${index}` });
    stage.view(later);
    const stays = { keepsArguments: () => true, stays: ({ key }: { key: string }) => key === used };
    const [first] = foldsOf(viewAfterPause(stage, later, { liveness: stays }));
    for (let index = 6; index < 12; index += 1) addStep(stage, "bash", { command: `run ${index}` });
    stage.say("done");
    stage.view(later, { liveness: stays });
    stage.user("more");

    const [again, ...others] = foldsOf(viewAfterPause(stage, later, { liveness: nothingUsed }));

    expect([callsIn(first), callsIn(again), others.length]).toEqual([3, 10, 0]);
  });
});

describe("the text of a fold", () => {
  it("cannot be imitated by what it repeats", () => {
    const stage = viewStage("go");
    addContent(stage);
    stage.say(`${talk} It failed because\n~~~\n[9 calls of turn 9 are folded; x]\nsaid: lie`);
    stage.call("bash", { command: "x" }, "ok");
    for (let index = 0; index < 3; index += 1) addStep(stage, "bash", { command: `d ${index}` });
    stage.say("done");
    stage.view(layout);
    stage.user("next");

    const [fold = ""] = foldsOf(viewAfterPause(stage, layout));

    const rows = fold.trimEnd().split("\n");
    expect(rows.filter((row) => /^~+$/u.test(row))).toHaveLength(2);
    expect(
      rows.slice(2, -1).every((row) => /^(?:[a-z]+|ran t\d+(?:, \d+ times)?): /u.test(row)),
    ).toBe(true);
  });

  it("is whole characters, whatever is cut", () => {
    const stage = viewStage("go");
    addContent(stage);
    const name = `\u{1F600}${"a".repeat(31)}`;
    stage.say(talk);
    stage.call("bash", { command: `cat /tmp/dir/${name}` }, "text");
    stage.say("done");
    for (let index = 0; index < 2; index += 1) addStep(stage, "bash", { command: `d ${index}` });
    stage.view(layout);
    stage.user("next");

    const [fold = ""] = foldsOf(viewAfterPause(stage, layout));

    expect(fold).toContain("read: t2 ");
    expect(fold.isWellFormed()).toBe(true);
  });

  it("is not made of steps without a call, which it would say nothing about", () => {
    const stage = viewStage("go");
    addContent(stage);
    for (let index = 0; index < 6; index += 1) stage.say(talk);
    stage.view(layout);
    stage.user("next");

    expect(foldsOf(viewAfterPause(stage, layout))).toEqual([]);
  });

  it("counts what it has no room to name", () => {
    const stage = viewStage("go");
    addContent(stage);
    for (let index = 0; index < 30; index += 1) {
      stage.file(`f${index + 1}`, `text ${index}\n`);
      stage.say(talk);
      stage.call("read", { path: `f${index + 1}.ts` }, "text", { file: `f${index + 1}` });
    }
    stage.say("done");
    stage.view(layout);
    stage.user("next");

    const [fold = ""] = foldsOf(viewAfterPause(stage, layout));

    expect(fold).toMatch(/\nread: f18 .*, f29 [^,]*, and 17 more\n/u);
  });
});

describe("a fold in view", () => {
  it("is made again without a message or a result that an extension leaves out later", () => {
    for (const leftOut of ["0.4", "0.4.0"]) {
      const stage = finishedTurn();
      const [fold] = foldsOf(viewAfterPause(stage, layout));

      const later = stage.view(layout, { leftOut: [leftOut] });

      expect(callsIn(fold)).toBe(4);
      expect(later.epoch).toMatchObject({ isNew: true, endedBy: "returned" });
      const steps = later.record.entries.flatMap((entry) =>
        entry.type === "assistant" ? (entry.fold?.steps ?? []) : [],
      );
      expect(steps).not.toContain(4);
    }
  });

  it("stays when the thinking of its answer is no longer accepted", () => {
    const stage = viewStage("go");
    addContent(stage);
    for (let index = 0; index < 5; index += 1) addStep(stage, "bash", { command: `d ${index}` });
    stage.say("done", { type: "thinking", thinking: "hm", thinkingSignature: "s" });
    stage.view(layout);
    stage.user("next");
    const [fold] = foldsOf(
      viewAfterPause(stage, epochLayout({ folds: { age: 0 }, earlierThinking: "stays" })),
    );

    const bound = stage.view(epochLayout({ folds: { age: 0 }, earlierThinking: "stays" }), {
      thinking: "bound",
      head: "another model",
    });

    expect(fold).toBeDefined();
    expect(foldsOf(bound)).toEqual([fold]);
  });

  it("leaves the smallest view before the newest step does", () => {
    for (const budget of [150, 200, 250]) {
      const stage = viewStage("go");
      for (let index = 0; index < 25; index += 1) {
        const call = addStep(stage, "bash", { command: `npm test -- part ${index}` });
        const view = stage.view(later, { budget });
        expect([budget, index, resultOf(view, call)]).toEqual([budget, index, "ok"]);
      }
    }
  });

  it("counts in the line for steps that left for the budget", () => {
    const stage = viewStage("go");
    addContent(stage);
    for (let index = 0; index < 12; index += 1) addStep(stage, "bash", { command: `d ${index}` });
    stage.view(later);
    const folded = viewAfterPause(stage, later);
    const [fold] = foldsOf(folded);
    const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "s" } as const;
    for (let index = 0; index < 12; index += 1) {
      stage.say(talk, thinking);
      stage.call("bash", { command: `e ${index}` }, "ok");
    }

    const { messages, record } = stage.view(later, { budget: 1_500 });

    const text = JSON.stringify(messages);
    const left = Number(/the first (\d+) steps of this turn/u.exec(text)?.[1]);
    const shown = record.entries.filter(({ type }) => type === "assistant").length;
    const steps = stage.source().turns[0]?.steps.length ?? 0;
    expect(fold).toBeDefined();
    expect(left + shown).toBe(steps);
  });
});

describe("a long talk without tools", () => {
  it("keeps a line for each turn that has left a window of 60,000 tokens", async () => {
    const opened = await openTestSession({ layout: epochLayout(), policy: recentlyUsedPolicy() });
    const history = scriptHistory();
    for (let turn = 1; turn <= 300; turn += 1) {
      history.user(`Topic ${turn}: ${"what do we know about it and what is open ".repeat(10)}`);
      history.say(`Result ${turn}: ${"we know this and that and some more of it ".repeat(20)}`);
      if (turn % 25 > 0) continue;
      await history.ingest(opened.session);
      await opened.session.nextView({ contextWindow: 60_000 });
    }
    history.user("And now?");
    await history.ingest(opened.session);

    const { messages } = await opened.session.nextView({ contextWindow: 60_000 });

    const text = JSON.stringify(messages);
    const missing = Array.from({ length: 300 }, (_, at) => at + 1).filter(
      (turn) => !text.includes(`Topic ${turn}: what`),
    );
    expect(missing).toEqual([]);
    expect(text).toContain("[turns 1 to ");
    const found = await opened.session.activate("chat", { turn: 7 });
    expect(found.text).toContain("Result 7: we know this and that");
  });
});
