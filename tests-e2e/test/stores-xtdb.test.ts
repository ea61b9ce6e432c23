// If the machine has no Java, no test runs here, and the run reports it.
/* oxlint-disable vitest/no-disabled-tests */
import { runCli } from "@self-context-manager/cli";
import { memoryStore } from "@self-context-manager/store-memory";
import { openXtdbStore } from "@self-context-manager/store-xtdb";
import {
  checkRandomHistories,
  type CreatePlace,
  runsEveryForm,
  type StorePlace,
  testScale,
} from "@self-context-manager/store-contract";
import { checkScope } from "@self-context-manager/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { expandTests } from "../src/documents/expand-tests.ts";
import { checkForgetting, type ForgetPlace } from "../src/forget/forget-histories.ts";
import { linkTests } from "../src/documents/link-tests.ts";
import { managedRun, runManaged } from "../src/managed-run.ts";
import { piVersions } from "../src/pi-versions.ts";
import { indexedStore } from "../src/scope/scope-stores.ts";
import { openTestSession } from "../src/session/core-sessions.ts";
import {
  missingForXtdb,
  joinTestNode,
  type TestNode,
  xtdbPlaces,
} from "../src/stores/xtdb-node.ts";
import { saidTo } from "../src/wire-rules.ts";

const missing = missingForXtdb();
/** The number of histories of `npm test`. Each takes some seconds of the processor. */
const fewer = runsEveryForm("store-xtdb") ? { runs: 5, least: 5 } : { runs: 2, least: 2 };
/**
 * The number of histories and comparisons. A history has about seven steps, and a comparison some hundred questions.
 */
const histories = testScale.isLong
  ? { runs: 1_700, compareEvery: 4, timeLimit: 3_000_000, least: 10_000 }
  : { ...fewer, compareEvery: 1, timeLimit: 100_000 };

describe.skipIf(missing !== undefined)(
  `XTDB on a real node${missing === undefined ? "" : `: ${missing}`}`,
  { timeout: testScale.isLong ? 5_400_000 : 240_000 },
  () => {
    let node: TestNode;
    let openDocumentPlace: CreatePlace;
    const documentPlace = async (): Promise<StorePlace> => await openDocumentPlace();
    beforeAll(async () => {
      node = await joinTestNode();
      openDocumentPlace = xtdbPlaces(node, "documents");
    });
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

    it("shows nothing of another workspace", async () => {
      await expect(
        checkScope({ openStore: indexedStore(documentPlace), runs: testScale.isLong ? 20 : 1 }),
      ).resolves.toBeUndefined();
    });

    it("has nothing of a text that was forgotten", async () => {
      const place = async (): Promise<ForgetPlace> => {
        const store = await documentPlace();
        return {
          store: { open: () => store.open() },
          // The law `rewritten-is-gone` looks into the files of the node, which other tests use too.
          files: async () => "",
          [Symbol.asyncDispose]: async () => await store[Symbol.asyncDispose](),
        };
      };
      const [runs, timeLimit] = testScale.isLong ? [100, 3_000_000] : [1, 60_000];

      await expect(
        checkForgetting(place, { runs, timeLimit, seed: testScale.seed }),
      ).resolves.toBeUndefined();
    });

    describe("expanding references (§9)", () => {
      expandTests(documentPlace);
    });

    describe.runIf(testScale.isLong)("links", () => {
      linkTests(documentPlace, { runs: 60, timeLimit: 3_600_000 });
    });

    it("runs a Pi session that sends the same bytes as with SQLite", async () => {
      const pi = piVersions.at(-1);
      if (pi === undefined) throw new Error("no release of Pi is installed");
      const environment = {
        SCM_STORE_KIND: "xtdb",
        SCM_STORE: node.url,
        SCM_XTDB_TOKEN: node.token,
        SCM_XTDB_NAME: "pi",
      };

      const overXtdb = await runManaged(pi, "sdk", environment);
      const overSqlite = await managedRun(pi, "sdk");

      expect({ failures: overXtdb.failures, complaints: overXtdb.complaints }).toEqual({
        failures: [],
        complaints: "",
      });
      expect(overXtdb.requests.map(saidTo)).toEqual(overSqlite.requests.map(saidTo));
      await using store = await openXtdbStore({ url: node.url, token: node.token, space: "pi" });
      expect((await store.find({ where: { type: "session" } })).items).toHaveLength(1);
      expect((await store.changesSince()).versions.length).toBeGreaterThan(30);
    });

    it("answers scm with the URL of its node, and scm xtdb query", async () => {
      await using store = await openXtdbStore({ url: node.url, token: node.token, space: "scm" });
      const { session } = await openTestSession({ store, files: { "/work/a.ts": "one\n" } });
      await session.read({ path: "a.ts" });
      const run = async (...args: readonly string[]): Promise<string> => {
        const printed: string[] = [];
        const environment = { ...process.env, SCM_XTDB_TOKEN: node.token };
        const output = {
          stdout: (text: string) => void printed.push(text),
          stderr: (text: string) => void printed.push(text),
        };
        const named = [...args, "--store", "xtdb", "--at", node.url];
        const code = await runCli(named, output, { environment });
        return `${code}: ${printed.join("")}`;
      };

      const query = "{:find [n] :in [type] :where [[o :type type] [o :scm/version n]]}";

      expect(await run("show", "a.ts")).toMatch(/^0: .*content_hash/su);
      expect(await run("xtdb", "query", query, "session")).toMatch(/^0: \[\d+\]\n$/u);
      expect(await run("xtdb", "query", query, "none")).toBe("0: no rows\n");
      const other = query.replaceAll(":scm/", ":demo/");
      expect(await run("xtdb", "query", other, "session")).toContain(
        "the query names the store demo, and this is the store scm",
      );
      expect(await run("xtdb", "query", "{:find [x] :where [[y :a]]}")).toMatch(
        /^1: .*refuses the request: Find refers to unknown variables/u,
      );
    });
  },
);
