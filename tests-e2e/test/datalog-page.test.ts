// If the machine has no Java, the tests are skipped with a warning.
/* oxlint-disable vitest/no-disabled-tests */
import type { JsonObject, JsonValue, ObjectId } from "@self-context-manager/core";
import { objectId, type SealedObject, sealObject } from "@self-context-manager/objects";
import { openXtdbStore, type XtdbStore } from "@self-context-manager/store-xtdb";
import { updateIndex } from "@self-context-manager/links";
import { markdownParser } from "@self-context-manager/documents";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openTestSession, scriptHistory } from "../src/session/core-sessions.ts";
import { missingForXtdb, openTestNode, type TestNode } from "../src/stores/xtdb-node.ts";

const page = readFileSync(new URL("../../docs/guide/datalog.md", import.meta.url), "utf8");
/** The queries of the page by their headings. */
const queries = new Map(
  page
    .split(/^## /mu)
    .slice(1)
    .flatMap((section): [string, string][] => {
      const query = /^```clojure\n(\{:find .*?)\n```$/msu.exec(section)?.[1];
      return query === undefined ? [] : [[section.split("\n")[0] ?? "", query]];
    }),
);
const missing = missingForXtdb();

describe.skipIf(missing !== undefined)(
  `the queries of the page on Datalog${missing === undefined ? "" : `: ${missing}`}`,
  () => {
    let node: TestNode | undefined;
    let store: XtdbStore;
    /** The ids of the session's objects. */
    let ids: { readonly file: ObjectId; readonly session: ObjectId; readonly chat: ObjectId };
    let lastBefore: number;

    beforeAll(async () => {
      node = await openTestNode();
      store = await openXtdbStore({ url: node.url, token: node.token });
      const files = { "/work/plan.md": "# Plan\n", "/work/other.md": "# Other\n" };
      const { session } = await openTestSession({ store, files });
      const history = scriptHistory();
      history.user("What is the plan?");
      for (const path of ["plan.md", "other.md"])
        await history.ask(
          "read",
          { path },
          async (callId) => await session.read({ path }, { callId }),
        );
      history.call("bash", { command: "make" }, "no rule", { id: "failed", isError: true });
      history.say("There is none.");
      await history.ingest(session);
      history.user("Thank you.");
      await history.ingest(session);
      const { sessionId, chatId } = await session.status();
      const file = (await store.find({ where: { path: "/work/plan.md" } })).items[0]?.body.id;
      if (file === undefined) throw new Error("the session has not stored the file");
      ids = { file, session: sessionId, chat: chatId };
      await store.commit(
        [
          note("a", { related_to: [ref("b")], tags: ["urgent", "home"], title: "First" }),
          note("b", { related_to: [ref("c")], tags: ["urgent"], content: "same" }),
          note("c", { related_to: [ref("a"), ref(file)], content: "same" }),
        ].map((object) => ({ object })),
      );
      lastBefore = (await store.get(objectId("a")))?.at.tx_id ?? 0;
      await store.commit([{ object: note("a", { content: "later" }) }]);
      await store.commit([{ object: note("a", { content: "last", tags: ["urgent"] }) }]);
    });

    afterAll(async () => {
      await store?.[Symbol.asyncDispose]();
      await node?.[Symbol.asyncDispose]();
    });

    /** Answers a query of the page. */
    async function ask(title: string, ...args: readonly JsonValue[]): Promise<unknown[]> {
      const query = queries.get(title);
      if (query === undefined) throw new Error(`the page has no query under ${title}`);
      const rows = await store.query(query, args);
      return [...new Set(rows.map((row) => JSON.stringify(row)))].map(
        (row) => JSON.parse(row) as unknown,
      );
    }

    it("has at least eight queries", () => {
      expect(queries.size).toBeGreaterThanOrEqual(8);
    });

    it("finds objects by any field", async () => {
      const found = await ask("Objects with a value in a field", "/work/plan.md");
      expect(found).toEqual([[ids.file, "file"]]);
    });

    it("finds files by a part of their path", async () => {
      const found = await ask("Files by a part of their path", "/plan\\.md$");
      expect(found).toEqual([[ids.file, "/work/plan.md"]]);
    });

    it("finds objects by type and time", async () => {
      const title = "Objects of a type from a time on";
      const stored = await store.get(objectId("a"));
      expect(await ask(title, "note", stored?.at.tx_time ?? "")).toContainEqual([
        "a",
        stored?.at.tx_time,
      ]);
      expect(await ask(title, "note", "2200-01-01")).toEqual([]);
    });

    it("finds backlinks with the path and the kind of each", async () => {
      const title = "What refers to an object, and in which field";
      expect(await ask(title, "b")).toEqual([]);
      expect(await ask(title, "c")).toEqual([["b", "/related_to/0", "dynamic"]]);
      const ofFile = await ask(title, ids.file);
      expect(ofFile).toContainEqual(["c", "/related_to/1", "dynamic"]);
      // The list of a chat is on a page of its own.
      expect(ofFile).toContainEqual([ids.chat, "/loaded_refs/0", "static"]);
    });

    it("finds references two steps away", async () => {
      const found = await ask("References two steps away", "b");
      expect(found).toEqual(
        expect.arrayContaining([
          ["a", "note"],
          [ids.file, "file"],
        ]),
      );
      expect(found).toHaveLength(2);
    });

    it("finds everything that can be reached, over cycles", async () => {
      await store.commit([{ object: note("a", { related_to: [ref("b")] }) }]);
      const found = await ask("Everything that can be reached", "scm/object/a");
      expect(found).toEqual(
        expect.arrayContaining([
          ["a", "note"],
          ["b", "note"],
          ["c", "note"],
          [ids.file, "file"],
        ]),
      );
      expect(found).toHaveLength(4);
    });

    it("finds what cannot be reached", async () => {
      const found = await ask("What cannot be reached", "scm/object/a");
      expect(found).toContainEqual([ids.session, "session"]);
      expect(found).not.toContainEqual(["b", "note"]);
      expect(found).not.toContainEqual([ids.file, "file"]);
    });

    it("finds the tool calls of a session that touched a file", async () => {
      const found = await ask(
        "Tool calls of a session that touched a file",
        "session-1",
        "/work/plan.md",
      );
      expect(found).toEqual([[expect.any(String), "read", 'read: "plan.md"', "ok"]]);
    });

    it("finds the objects of a tag, with and without a title", async () => {
      await store.commit([
        { object: note("a", { related_to: [ref("b")], tags: ["urgent"], title: "First" }) },
      ]);
      const found = await ask("Objects with a tag", "urgent");
      expect(found).toEqual(
        expect.arrayContaining([
          ["a", "First"],
          ["b", ""],
        ]),
      );
      expect(found).toHaveLength(2);
    });

    it("finds notes by the tags and links of their texts", async () => {
      await store.commit([
        { object: note("tagged", { content: "See [[notes/Plan#Costs]]. #Home/Garden\n" }) },
      ]);
      await updateIndex(store, markdownParser);

      expect(await ask("Notes with a tag in their text", "home")).toEqual([["tagged", ""]]);
      expect(await ask("Notes with a tag in their text", "home/garden")).toEqual([["tagged", ""]]);
      expect(await ask("Notes with a tag in their text", "garden")).toEqual([]);
      expect(await ask("Notes with a link to a name", "plan")).toEqual([["tagged", ""]]);
    });

    it("finds what changed between two transactions", async () => {
      const title = "What changed between two transactions";
      expect(await ask(title, lastBefore, lastBefore + 2)).toEqual([
        [lastBefore + 1, "a", 2],
        [lastBefore + 2, "a", 3],
      ]);
    });

    it("counts the failed tool calls", async () => {
      expect(await ask("Failed tool calls by tool")).toEqual([["bash", 1]]);
    });

    it("finds objects with the same content", async () => {
      expect(await ask("Objects with the same content")).toContainEqual(["b", "c"]);
    });

    it("answers as of a transaction and a time of the store", async () => {
      const query = queries.get("Objects with a tag") ?? "";
      const version = await store.get(objectId("a"), { version: 1 });
      const txId = version?.at.tx_id ?? 0;

      expect(await store.query(query, ["home"])).toEqual([]);
      expect(await store.query(query, ["home"], { asOf: { txId } })).toEqual([["a", "First"]]);
      expect(await store.query(query, ["home"], { asOf: { txId: txId - 1 } })).toEqual([]);
      const before = { txTime: "1970-01-02T00:00:00Z" };
      expect(await store.query(query, ["home"], { asOf: before })).toEqual([]);
    });
  },
);

function note(id: string, fields: JsonObject): SealedObject {
  return sealObject({
    content: null,
    locked: false,
    provenance: { origin: "a test", generator: "human" },
    ...fields,
    type: "note",
    id: objectId(id),
  });
}

function ref(id: string): JsonObject {
  return { ref: "dynamic", id };
}
