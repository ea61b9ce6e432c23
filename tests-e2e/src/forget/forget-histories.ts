import { openContextManager, type ContextManager } from "@self-context-manager/compose";
import {
  type ContextSession,
  epochLayout,
  type Layout,
  type Message,
  neutralCodec,
  type ObjectStore,
  pooledLayout,
  readList,
} from "@self-context-manager/core";
import { forget, type ForgetTarget, planForget } from "@self-context-manager/core/forget";
import { rebuildView } from "@self-context-manager/core/inspect";
import {
  exportObjects,
  importObjects,
  isJsonObject,
  type JsonValue,
  StoreError,
  verifyVersion,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Texts that are forgotten: a token, one with characters that JSON escapes, and one of several lines. */
export const privateTexts: readonly string[] = [
  ["tok", "Zq83kLmN02xYvT7u"].join("-"),
  String.raw`pass"word\of 'ü🌲 the server`,
  "first line of the key\nSecond line, xK9-bb\nthird and last line",
];

type Event =
  | { readonly type: "prompt" | "answer"; readonly has: boolean }
  | { readonly type: "command"; readonly inArguments: boolean; readonly inOutput: boolean }
  | { readonly type: "read" | "write"; readonly file: number; readonly has: boolean }
  | { readonly type: "disk"; readonly file: number; readonly has: boolean }
  | { readonly type: "note" | "view" | "reopen" | "session" | "deactivate" }
  | { readonly type: "forget" };

const has = fc.boolean();
const file = fc.nat(2);
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom("prompt" as const, "answer" as const), has }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("command" as const),
      inArguments: has,
      inOutput: has,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom("read" as const, "write" as const), file, has }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("disk" as const), file, has }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("view" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom(
        "note" as const,
        "reopen" as const,
        "session" as const,
        "deactivate" as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("forget" as const) }) },
);

/** A place for one store. */
export interface ForgetPlace extends AsyncDisposable {
  /** Opens the store, or says where it is. */
  readonly store: { readonly at: string } | { readonly open: () => Promise<ObjectStore> };
  /** Returns what the files of the store hold, as text; empty for a store without files. */
  files(): Promise<string>;
}

interface History {
  readonly text: string;
  readonly layout: "epoch" | "pooled";
  readonly events: readonly Event[];
}

const history: fc.Arbitrary<History> = fc.record({
  text: fc.constantFrom(...privateTexts),
  layout: fc.constantFrom("epoch" as const, "pooled" as const),
  events: fc.array(event, { minLength: 3, maxLength: 18 }),
});

/**
 * Runs random histories in which a text comes in and is forgotten. Afterwards it must be nowhere, and everything else must
 * be as sound as before. Rejects with the seed and the shortest history for which that is not so.
 */
export async function checkForgetting(
  createPlace: () => Promise<ForgetPlace>,
  {
    runs,
    seed,
    timeLimit,
  }: { readonly runs: number; readonly seed: number; readonly timeLimit: number },
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(history, async (one) => await runHistory(createPlace, one)),
    {
      numRuns: runs,
      seed,
      interruptAfterTimeLimit: timeLimit,
      markInterruptAsFailure: false,
      includeErrorInReport: true,
    },
  );
}

const layouts: Readonly<Record<History["layout"], Layout>> = {
  epoch: epochLayout(),
  pooled: pooledLayout,
};

async function runHistory(
  createPlace: () => Promise<ForgetPlace>,
  { text, layout, events }: History,
): Promise<void> {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), "scm-forget-")));
  await using place = await createPlace();
  const opened = "open" in place.store ? await place.store.open() : undefined;
  const open = async (): Promise<ContextManager> =>
    await openContextManager({
      ...(opened === undefined
        ? { at: (place.store as { readonly at: string }).at }
        : { store: opened }),
      workspace,
      layout: layouts[layout],
      secrets: "off",
    });
  let manager = await open();
  try {
    const run = { text, workspace, time: 1, session: 0, lists: new Map<number, Message[]>() };
    for (const one of events) {
      if (one.type === "reopen") {
        await manager[Symbol.asyncDispose]();
        manager = await open();
      } else await play(manager, run, one);
    }
    await forgetText(manager.store, text);
    // What comes next brings it back, in every operation that takes a text.
    const working = await openSession(manager, run.session);
    const peeked = (await working.peekView()).messages as readonly JsonValue[];
    assert.ok(!mentions(peeked, text), "a view that is looked at has the text");
    await working.recordSystemPrompt("own", said(run, "Always use", true));
    await working.note("f1", said(run, "note", true).replaceAll("\n", " ").slice(0, 100));
    await working.deactivate("f1", { note: said(run, "away", true).replaceAll("\n", " ") });
    // Each host sends its whole list again, and the next call shows what is left.
    for (const [number, messages] of run.lists) {
      const session = await openSession(manager, number);
      messages.push(userMessage(run, "What is left?"));
      await session.ingest(readList(messages, neutralCodec));
      const view = await session.nextView();
      assert.ok(!mentions(view.messages, text), "a view has the text");
    }
    await checkGone(manager.store, text, layouts[layout]);
    for (const number of run.lists.keys()) {
      const before = (await (await openSession(manager, number)).peekView()).messages;
      await manager[Symbol.asyncDispose]();
      manager = await open();
      assert.deepEqual((await (await openSession(manager, number)).peekView()).messages, before);
    }
    await manager[Symbol.asyncDispose]();
    const files = await place.files();
    for (const line of text.split("\n")) assert.ok(!files.includes(line), `a file has ${line}`);
  } finally {
    await manager[Symbol.asyncDispose]();
    await opened?.[Symbol.asyncDispose]();
    await rm(workspace, { recursive: true, force: true });
  }
}

interface Run {
  readonly text: string;
  readonly workspace: string;
  readonly lists: Map<number, Message[]>;
  time: number;
  session: number;
}

async function openSession(manager: ContextManager, number: number): Promise<ContextSession> {
  return await manager.openSession({ harness: "test", sessionId: `s${number}` });
}

function userMessage(run: Run, text: string): Message {
  return { role: "user", content: [{ type: "text", text }], timestamp: (run.time += 1) };
}

/** A text of a host, with the private text in the middle of it or not. */
function said(run: Run, what: string, hasIt: boolean): string {
  return hasIt ? `${what} ${run.text} and more` : `${what} ${run.time}`;
}

async function play(manager: ContextManager, run: Run, one: Event): Promise<void> {
  const list = run.lists.get(run.session) ?? [userMessage(run, "Begin.")];
  run.lists.set(run.session, list);
  const session = await openSession(manager, run.session);
  const call = (tool: string, args: Record<string, JsonValue>, output: string): string => {
    const id = `call_${run.session}_${(run.time += 1)}`;
    list.push({
      role: "assistant",
      content: [
        { type: "text", text: "I try." },
        { type: "toolCall", id, name: tool, arguments: args },
      ],
      timestamp: run.time,
    });
    const content = [{ type: "text" as const, text: output }];
    const result = { toolCallId: id, toolName: tool, content, isError: false };
    list.push({ role: "toolResult", ...result, timestamp: (run.time += 1) });
    return id;
  };
  switch (one.type) {
    case "prompt":
      list.push(userMessage(run, said(run, "Use", one.has)));
      break;
    case "answer":
      list.push({
        role: "assistant",
        content: [{ type: "text", text: said(run, "I used", one.has) }],
        timestamp: (run.time += 1),
      });
      break;
    case "command":
      call(
        "bash",
        { command: said(run, "run the long command of the day with", one.inArguments), timeout: 5 },
        said(run, "the output", one.inOutput),
      );
      break;
    case "disk":
      await writeFile(join(run.workspace, `f${one.file}.txt`), `${said(run, "disk", one.has)}\n`);
      break;
    case "read":
    case "write": {
      const path = `f${one.file}.txt`;
      const content = `${said(run, "file", one.has)}\nline two\n`;
      await writeFile(join(run.workspace, path), content);
      if (one.type === "read") await session.read({ path });
      else {
        const callId = call("write", { path, content }, "written");
        await session.recordWrite(path, { callId, args: { path, content } });
      }
      break;
    }
    case "note":
      await session.note("f1", said(run, "note", true).replaceAll("\n", " ").slice(0, 100));
      break;
    case "deactivate":
      await session.deactivate("f1");
      break;
    case "session":
      run.session = run.session === 0 ? 1 : 0;
      return;
    case "view":
      break;
    case "forget":
      await forgetText(manager.store, run.text);
      break;
    case "reopen":
      return;
  }
  await session.ingest(readList(list, neutralCodec));
  if (one.type === "view") await session.nextView();
}

async function forgetText(store: ObjectStore, text: string): Promise<void> {
  const target: ForgetTarget = { matches: (given) => placesOf(given, text), texts: [text] };
  const { key } = await store.privacy();
  const options = { key, at: "2026-11-30T10:00:00.000Z", reason: "a test" };
  await forget(store, await planForget(store, target, options), target, options);
}

function* placesOf(text: string, part: string): Iterable<{ start: number; end: number }> {
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1))
    yield { start: at, end: at + part.length };
}

function mentions(value: JsonValue | undefined, text: string): boolean {
  if (typeof value === "string")
    return value.includes(text) || value.includes(JSON.stringify(text).slice(1, -1));
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).some((one) => mentions(one, text));
  return (
    isJsonObject(value) &&
    Object.entries(value).some(([name, one]) => name.includes(text) || mentions(one, text))
  );
}

/** Checks every version, every view, and a copy by an export. */
async function checkGone(store: ObjectStore, text: string, layout: Layout): Promise<void> {
  for (const { body: head } of (await store.find({ limit: 10_000 })).items) {
    for await (const stored of store.versions(head.id)) {
      const name = `version ${stored.version} of ${head.type} ${head.id}`;
      assert.equal(verifyVersion(stored), undefined, name);
      assert.ok(!mentions(stored.body, text), `${name} has the text`);
    }
    if (head.type !== "session") continue;
    for (let call = 1; ; call += 1) {
      const view = await rebuildView(store, [layout], head.id, call).catch((error: unknown) => {
        if (StoreError.is(error)) throw error;
        return undefined;
      });
      if (view === undefined) break;
      assert.deepEqual(
        view.problems.filter(({ type }) => type !== "forgotten"),
        [],
        `call ${call}`,
      );
    }
  }
  const lines: string[] = [];
  for await (const line of exportObjects(store)) lines.push(line);
  await using copy = memoryStore();
  await importObjects(copy, () => lines);
  const again: string[] = [];
  for await (const line of exportObjects(copy)) again.push(line);
  assert.deepEqual(again, lines);
}
