// If the machine has no Java, no test runs here, and the run reports it.
/* oxlint-disable vitest/no-disabled-tests */
import { runCli } from "@self-context-manager/cli";
import {
  exportObjects,
  importObjects,
  type Message,
  objectId,
  type ObjectStore,
} from "@self-context-manager/core";
import { memoryStore } from "@self-context-manager/store-memory";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { openXtdbStore, type StartedNode } from "@self-context-manager/store-xtdb";
import { checkRandomHistories, testScale } from "@self-context-manager/testkit";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { managedRun, runManaged } from "../src/managed-run.ts";
import { piVersions } from "../src/pi-versions.ts";
import { openTestSession, scriptHistory } from "../src/session/core-sessions.ts";
import { missingForXtdb, openTestNode, xtdbPlaces } from "../src/stores/xtdb-node.ts";
import { saidTo } from "../src/wire-rules.ts";

const missing = missingForXtdb();
/**
 * The number of histories and comparisons. A history has about seven steps, and a comparison some hundred questions.
 */
const histories = testScale.isLong
  ? { runs: 1_700, compareEvery: 4, timeLimit: 3_000_000, least: 10_000 }
  : { runs: 8, compareEvery: 1, timeLimit: 100_000, least: 8 };

describe.skipIf(missing !== undefined)(
  `XTDB on a real node${missing === undefined ? "" : `: ${missing}`}`,
  { timeout: testScale.isLong ? 5_400_000 : 120_000 },
  () => {
    let node: StartedNode;
    beforeAll(async () => {
      node = await openTestNode();
    }, 240_000);
    afterAll(async () => {
      await node?.[Symbol.asyncDispose]();
    });

    it(`gives two alternating clients the same answers as the memory store after any history (SCM_SEED=${testScale.seed})`, async () => {
      await expect(
        checkRandomHistories({
          createPlace: xtdbPlaces(node),
          createOracle: (clock) => memoryStore({ clock }),
          ...histories,
        }),
      ).resolves.toBeGreaterThanOrEqual(histories.least);
    });

    it("gives a session the same views as the memory store, also after a resume", async () => {
      const clock = { now: () => 1_700_000_000_000 };
      await using store = await openXtdbStore({ url: node.url, space: "session", clock });

      const views = await viewsOf(store);

      expect(views).toEqual(await viewsOf(memoryStore({ clock })));
    });

    it("runs a Pi session that sends the same bytes as with SQLite", async () => {
      const pi = piVersions.at(-1);
      if (pi === undefined) throw new Error("no release of Pi is installed");
      const environment = {
        SCM_STORE_KIND: "xtdb",
        SCM_STORE: node.url,
        SCM_XTDB_NAME: "pi",
      };

      const overXtdb = await runManaged(pi, "sdk", environment);
      const overSqlite = await managedRun(pi, "sdk");

      expect({ failures: overXtdb.failures, complaints: overXtdb.complaints }).toEqual({
        failures: [],
        complaints: "",
      });
      expect(overXtdb.requests.map(saidTo)).toEqual(overSqlite.requests.map(saidTo));
      await using store = await openXtdbStore({ url: node.url, space: "pi" });
      expect((await store.find({ where: { type: "session" } })).items).toHaveLength(1);
      expect((await store.changesSince()).versions.length).toBeGreaterThan(30);
    });

    it("answers scm with the URL of its node, and scm xtdb query", async () => {
      await using store = await openXtdbStore({ url: node.url, space: "scm" });
      await viewsOf(store);
      const run = async (...args: readonly string[]): Promise<string> => {
        const printed: string[] = [];
        const code = await runCli([...args, "--store", "xtdb", "--at", node.url], {
          stdout: (text) => void printed.push(text),
          stderr: (text) => void printed.push(text),
        });
        return `${code}: ${printed.join("")}`;
      };

      const query = "{:find [n] :in [type] :where [[o :scm/type type] [o :scm/version n]]}";

      expect(await run("show", "a.ts")).toMatch(/^0: .*content_hash/su);
      expect(await run("xtdb", "query", query, "session")).toMatch(/^0: \[\d+\]\n$/u);
      expect(await run("xtdb", "query", "{:find [x] :where [[y :a]]}")).toMatch(
        /^1: .*refuses the request: Find refers to unknown variables/u,
      );
    });

    it("imports an export of SQLite and exports it byte for byte", async () => {
      const folder = await mkdtemp(join(tmpdir(), "scm-move-"));
      await using sqlite = await openSqliteStore({ path: join(folder, "store.sqlite") });
      await viewsOf(sqlite);
      const lines = await collected(exportObjects(sqlite));
      await using xtdb = await openXtdbStore({ url: node.url, space: "moved" });
      await using memory = memoryStore();

      const report = await importObjects(xtdb, lines);
      const exported = await collected(exportObjects(xtdb));
      await importObjects(memory, exported);

      expect(report.added).toBe(lines.length - 1);
      expect(exported).toEqual(lines);
      expect(await collected(exportObjects(memory))).toEqual(lines);
      expect((await importObjects(xtdb, lines)).added).toBe(0);
      await rm(folder, { recursive: true, force: true });
    });
  },
);

/** Returns the messages that a session sends over time, and those after it was opened again. */
async function viewsOf(store: ObjectStore): Promise<readonly unknown[]> {
  const opened = await openTestSession({
    store,
    files: { "/work/a.ts": "one\ntwo\n", "/work/b.md": "# text\n" },
  });
  const { session, files } = opened;
  const history = scriptHistory();
  const views: unknown[] = [];
  const look = async (): Promise<void> => {
    await history.ingest(session);
    views.push((await session.view()).messages);
  };
  history.user("begin");
  history.call("bash", { command: "ls" }, "a.ts\nb.md\n");
  await look();
  await session.read({ path: "a.ts" });
  await session.read({ path: "b.md" });
  await session.pin("f1");
  history.say("looked");
  await look();
  files.set("/work/a.ts", "one\nthree\n");
  await session.read({ path: "a.ts" });
  await session.deactivate("f2");
  history.user("go on");
  history.call("bash", { command: "cat long" }, "long ".repeat(2_000));
  await look();
  await session.activate("f2");
  await session.name("f1", "plan");
  await look();
  const again = await opened.reopen();
  await history.ingest(again);
  views.push((await again.view()).messages, await again.status());
  views.push((await store.lookup("plan"))?.body.id, await named(store, history.messages));
  return views;
}

async function named(store: ObjectStore, messages: readonly Message[]): Promise<unknown> {
  const { items } = await store.find({ where: { type: "toolcall" }, newestFirst: true });
  const first = items[0]?.body.id ?? objectId("none");
  return [messages.length, items.length, await store.referrers(first)];
}

async function collected(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}
