// If the machine has no Java, the tests are skipped with a warning.
/* oxlint-disable vitest/no-disabled-tests */
import { type ObjectBody, objectId, sealObject } from "@self-context-manager/objects";
import { seededRandom, testScale } from "@self-context-manager/store-contract";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

import { migrateXtdbStore, openXtdbStore } from "../../src/index.ts";
import { testNode } from "../test-node.ts";
import { writeFormerStore } from "./former-store.ts";
import { exchangeHistory, exportDigest, exported, sessionHistory } from "./session-history.ts";

const node = await testNode({ large: testScale.isLong });
const url = "url" in node ? node.url : "";
const missing = "missing" in node ? node.missing : undefined;

describe.skipIf(missing !== undefined)(
  `migration of a store of schema 2${missing === undefined ? "" : `: ${missing}`}`,
  { timeout: testScale.isLong ? 3_600_000 : 240_000 },
  () => {
    it("refuses the store, and names the two commands that migrate it", async () => {
      const { commits } = await sessionHistory(2);
      await writeFormerStore(url, "refused", commits);

      const opened = openXtdbStore({ url, space: "refused" });

      await expect(opened).rejects.toMatchObject({ code: "STORE_TOO_OLD" });
      await expect(opened).rejects.toThrow(/scm xtdb backup FILE.*scm xtdb migrate$/su);
    });

    it("keeps every version with its number, transaction, time and hashes", async () => {
      const { store: expected, commits } = await sessionHistory(120);
      await writeFormerStore(url, "kept", commits);
      const progress: number[] = [];

      const count = await migrateXtdbStore({
        url,
        space: "kept",
        progress: (done) => void progress.push(done),
      });

      const all = commits.flat().length;
      expect(count).toBe(all);
      expect(progress.at(-1)).toBe(all);
      await using store = await openXtdbStore({ url, space: "kept" });
      expect(await exported(store)).toBe(await exported(expected));
      for (const query of [{ type: "file" }, { path: "/work/7.ts" }])
        expect((await store.find({ where: query })).items).toEqual(
          (await expected.find({ where: query })).items,
        );
      for (const id of ["chat-0", "call-5"])
        expect(await store.referrers(objectId(id))).toEqual(await expected.referrers(objectId(id)));
      expect(await store.lookup("name-1")).toEqual(await expected.lookup("name-1"));
      expect(await migrateXtdbStore({ url, space: "kept" })).toBe(all);
    });

    it("migrates a store that the program of schema 2 wrote", async () => {
      const fixture = async (name: string): Promise<string> =>
        await readFile(new URL(`fixtures/schema-2-${name}.jsonl`, import.meta.url), "utf8");
      for (const transaction of (await fixture("transactions")).trim().split("\n")) {
        await submit(transaction.replaceAll('"scm/', '"written/'));
      }

      await migrateXtdbStore({ url, space: "written" });

      await using store = await openXtdbStore({ url, space: "written" });
      expect(await exported(store)).toBe(await fixture("export"));
      const repeated = [{ object: sealObject(note("another note")) }];
      await expect(store.commit(repeated, { requestId: "request-8" })).rejects.toMatchObject({
        code: "REQUEST_CONFLICT",
      });
    });

    it("migrates whole transactions, in which objects exchange their nicknames", async () => {
      const { store: expected, commits } = await exchangeHistory();
      await writeFormerStore(url, "exchanged", commits);

      await migrateXtdbStore({ url, space: "exchanged" });

      await using store = await openXtdbStore({ url, space: "exchanged" });
      expect(await exportDigest(store)).toBe(await exportDigest(expected));
      for (const name of ["name-0", "name-1", "name-2"])
        expect(await store.lookup(name)).toEqual(await expected.lookup(name));
    });

    it("continues the numbers of the store, and leaves nothing of the former schema", async () => {
      const { store: expected, commits } = await sessionHistory(10);
      await writeFormerStore(url, "continued", commits);
      await migrateXtdbStore({ url, space: "continued" });
      await using store = await openXtdbStore({ url, space: "continued" });
      const latest = await expected.get(objectId("chat-0"));
      if (latest === undefined) throw new Error("the history has no chat");
      const position = (await store.changesSince()).position;

      const changed = { ...latest.body, turn_count: 99 };
      const [mine] = (await store.commit([{ object: sealObject(changed) }])).versions;
      const [theirs] = (await expected.commit([{ object: sealObject(changed) }])).versions;

      expect({ version: mine?.version, tx: mine?.at.tx_id }).toEqual({
        version: theirs?.version,
        tx: theirs?.at.tx_id,
      });
      expect((await store.changesSince(position)).versions).toHaveLength(1);
      expect(await store.query("{:find [d] :where [[d :continued/listing]]}")).toEqual([]);
      expect(await store.query("{:find [d] :where [[d :continued/points]]}")).toEqual([]);
    });

    it("lets no program of the former schema commit again", async () => {
      const { commits } = await sessionHistory(3);
      await writeFormerStore(url, "blocked", commits);
      await migrateXtdbStore({ url, space: "blocked" });

      await using store = await openXtdbStore({ url, space: "blocked" });
      const next = `blocked/commit/${commits.length + 1}`;
      expect(await store.query("{:find [d] :in [d] :where [[d :xt/id]]}", [next])).toEqual([
        [next],
      ]);
      expect(await store.query("{:find [d] :where [[d :blocked/seq]]}")).toEqual([]);
    });

    it("does not open a store whose migration is not finished", async () => {
      const { commits } = await sessionHistory(3);
      await writeFormerStore(url, "halfway", commits);
      await migrateXtdbStore({ url, space: "halfway" });
      await using store = await openXtdbStore({ url, space: "halfway" });
      const [[clock]] = (await store.query(
        '{:find [(pull c [*])] :where [[c :xt/id "halfway/clock"]]}',
      )) as [[Record<string, unknown>]];
      const unfinished = { ...clock, "halfway/migration": "copy 5" };
      await submit(JSON.stringify({ "tx-ops": [["put", unfinished]] }));

      await expect(openXtdbStore({ url, space: "halfway" })).rejects.toMatchObject({
        code: "STORE_TOO_OLD",
        message: expect.stringContaining("run scm xtdb migrate again") as string,
      });
    });

    it("loses nothing when it is killed at random points", async () => {
      const random = seededRandom(testScale.seed);
      const { store: expected, commits } = await sessionHistory(testScale.isLong ? 33_400 : 150);
      await writeFormerStore(url, "killed", commits);

      let kills = 0;
      for (let isDone = false; !isDone;) {
        // The first ones end before the migration has begun.
        const wait = testScale.isLong ? 500 + random() * 60_000 : 300 + random() * 1_500;
        isDone = await runsToItsEnd("killed", wait);
        if (!isDone) kills += 1;
        if (kills >= (testScale.isLong ? 60 : 6)) isDone = await runsToItsEnd("killed");
      }

      expect(kills).toBeGreaterThan(0);
      await using store = await openXtdbStore({ url, space: "killed", timeout: 120_000 });
      expect(await exportDigest(store)).toBe(await exportDigest(expected));
    });
  },
);

/** Sends a transaction to the node, as another program does. */
async function submit(transaction: string): Promise<void> {
  const answer = await fetch(`${url}/_xtdb/submit-tx`, {
    method: "POST",
    headers: { "content-type": "application/json", prefer: "wait" },
    body: transaction,
  });
  expect(answer.ok).toBe(true);
}

function note(content: string): ObjectBody {
  return {
    id: objectId("another-note"),
    type: "note",
    content,
    locked: false,
    provenance: { origin: "a test", generator: "human" },
  };
}

/** Runs the migration in a process, and kills it after some milliseconds. Returns whether it ended before. */
async function runsToItsEnd(space: string, milliseconds?: number): Promise<boolean> {
  const child = spawn(
    process.execPath,
    [
      "--conditions=@self-context-manager/source",
      fileURLToPath(new URL("migrating-child.ts", import.meta.url)),
      url,
      space,
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const timer = new AbortController();
  const kill = async (): Promise<void> => {
    await delay(milliseconds, undefined, { signal: timer.signal });
    child.kill("SIGKILL");
  };
  if (milliseconds !== undefined) void kill().catch(() => undefined);
  const code = await ended;
  timer.abort();
  if (code !== null && code !== 0) throw new Error(`the migration failed: ${complaint}`);
  return code === 0;
}
