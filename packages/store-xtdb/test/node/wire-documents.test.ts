import { describe, expect, test } from "vitest";

import { lacking } from "./tools-at-hand.ts";
import { wireNode } from "./wire-node.ts";

// The expected answers are those of XTDB's own server; wire-node.ts describes their recording.
describe.skipIf(lacking !== undefined)("documents and their histories on the wire", () => {
  const on = wireNode();
  const hash = "[0-9a-f]{40}";

  describe("documents", () => {
    test("a document is returned unchanged in all three formats", async () => {
      await on.put({ "xt/id": "formats", n: 1, s: ["x", { k: null }] });

      const answers = [
        await on.json("entity?eid=formats"),
        await on.transit("entity?eid=formats"),
        await on.edn("entity?eid=formats"),
        await on.send({ path: "/_xtdb/entity?eid=formats" }),
      ];

      expect(answers.map(({ type, text }) => [type.split(";")[0], text])).toEqual([
        ["application/json", `{"n":1,"s":["x",{"k":null}],"xt/id":"formats"}`],
        [
          "application/transit+json",
          `["^ ","~:n",1,"~:s",["x",["^ ","~:k",null]],"~:xt/id","formats"]`,
        ],
        ["application/edn", `{:n 1, :s ["x" {:k nil}], :xt/id "formats"}`],
        ["application/edn", `{:n 1, :s ["x" {:k nil}], :xt/id "formats"}`],
      ]);
    });

    test("keys of all kinds and large numbers are returned unchanged", async () => {
      const text = `{"xt/id":"keys","k v":1,"http://x/y":2,"/lead":3,"":4,"n":{"xt/id":5,"é":"\\u0000"},"big":9007199254740993,"huge":123456789012345678901234567890,"float":1.0E21}`;
      await on.post("submit-tx", "application/json", `{"tx-ops":[["put",${text}]]}`);
      await on.json("sync");

      const answer = await on.json("entity?eid=keys");

      expect(answer.json()).toEqual(JSON.parse(text));
      expect(answer.text).toContain(`"big":9007199254740993`);
      expect(answer.text).toContain(`"huge":123456789012345678901234567890`);
      expect(answer.text).toContain(`"float":1.0E21`);
    });

    test("a missing or deleted document is answered with 404", async () => {
      await on.put({ "xt/id": "gone" });
      await on.submit(["delete", "gone"]);
      await on.json("sync");

      const answers = [await on.json("entity?eid=never"), await on.json("entity?eid=gone")];

      expect(answers.map(({ status, text }) => [status, text])).toEqual([
        [404, `{"error":"never entity not found"}`],
        [404, `{"error":"gone entity not found"}`],
      ]);
      expect((await on.json("entity-tx?eid=never")).status).toBe(404);
    });

    test("a request without an id is a bad request", async () => {
      const answer = await on.transit("entity");

      expect(answer.status).toBe(400);
      expect(answer.text).toContain(`"~:xtdb.error/error-key","~:missing-eid"`);
    });

    test("ids are strings by default, and JSON or EDN values on request", async () => {
      await on.put({ "xt/id": 42, n: "number" });
      await on.put({ "xt/id": "42", n: "string" });
      await on.put({ "xt/id": ":kw", n: "colon" });

      const found = [
        await on.json("entity?eid=42"),
        await on.json("entity?eidJson=42"),
        await on.json("entity?eidEdn=42"),
        await on.json("entity?eid=:kw"),
      ];

      expect(found.map((answer) => (answer.json() as { readonly n: string }).n)).toEqual([
        "string",
        "number",
        "number",
        "colon",
      ]);
    });

    test("a read as of a transaction returns the document at that transaction", async () => {
      const first = await on.put({ "xt/id": "as-of", n: 1 });
      const second = await on.put({ "xt/id": "as-of", n: 2 });

      const versions = [
        await on.json(`entity?eid=as-of&txId=${first}`),
        await on.json(`entity?eid=as-of&tx-id=${second}&awaitTxId=${second}`),
        await on.json(`entity?eid=as-of&txId=${first - 1}`),
      ];

      expect(versions.map(({ status, text }) => [status, text])).toEqual([
        [200, `{"n":1,"xt/id":"as-of"}`],
        [200, `{"n":2,"xt/id":"as-of"}`],
        [404, `{"error":"as-of entity not found"}`],
      ]);
    });

    test("a read as of a time needs the milliseconds, which JSON cuts off", async () => {
      const txId = await on.put({ "xt/id": "time", n: 1 });
      const transit = (await on.transit(`entity-tx?eid=time&txId=${txId}`)).text;
      const exact = new Date(Number(/"~:xtdb\.api\/tx-time","~m(\d+)"/u.exec(transit)?.[1]));
      const { txTime } = (await on.json("entity-tx?eid=time")).json() as {
        readonly txTime: string;
      };

      const found = await on.json(`entity?eid=time&txTime=${exact.toISOString()}`);

      expect(found.status).toBe(200);
      expect(txTime).toBe(`${exact.toISOString().slice(0, 19)}Z`);
    });

    test("a read as of a future transaction is a bad request", async () => {
      const answer = await on.transit("entity?eid=x&txId=999999999");

      expect(answer.status).toBe(400);
      expect(answer.text).toContain("~:node-out-of-sync");
    });

    test("the transaction of a document has ids and hashes as xtdb/oid", async () => {
      await on.put({ "xt/id": "entity-tx" });

      const json = await on.json("entity-tx?eid=entity-tx");
      const transit = await on.transit("entity-tx?eid=entity-tx");

      expect(json.json()).toEqual({
        id: expect.stringMatching(hash),
        contentHash: expect.stringMatching(hash),
        validTime: expect.any(String),
        txTime: expect.any(String),
        txId: expect.any(Number),
      });
      expect(transit.text).toMatch(
        new RegExp(`^\\["\\^ ","~:xt/id",\\["~#xtdb/oid","${hash}"\\]`, "u"),
      );
    });

    test("the basis of a read is its transaction", async () => {
      const txId = await on.put({ "xt/id": "basis" });

      const json = (await on.json(`db?txId=${txId}`)).json();

      expect(json).toEqual({
        validTime: expect.any(String),
        tx: { "xtdb.api/tx-time": null, "xtdb.api/tx-id": txId },
      });
    });
  });

  describe("histories", () => {
    test("a history has all versions in order, including deletions without a document", async () => {
      const ids = [
        await on.put({ "xt/id": "history", n: 1 }),
        await on.put({ "xt/id": "history", n: 2 }),
        await on.submit(["delete", "history"]),
      ];
      await on.json("sync");
      const path = "entity?eid=history&history=true&withCorrections=true&withDocs=true";

      const ascending = (await on.json(`${path}&sortOrder=asc`)).json();
      const descending = (await on.json(`${path}&sortOrder=desc`)).json() as { txId: number }[];

      const times = { txTime: expect.any(String), validTime: expect.any(String) };
      expect(ascending).toEqual([
        {
          ...times,
          txId: ids[0],
          contentHash: expect.stringMatching(hash),
          doc: { "xt/id": "history", n: 1 },
        },
        {
          ...times,
          txId: ids[1],
          contentHash: expect.stringMatching(hash),
          doc: { "xt/id": "history", n: 2 },
        },
        { ...times, txId: ids[2], contentHash: "0".repeat(40), doc: null },
      ]);
      expect(descending.map(({ txId }) => txId)).toEqual(ids.toReversed());
    });

    test("a history without documents contains their hashes, as a transit list", async () => {
      await on.put({ "xt/id": "bare" });

      const answer = await on.transit("entity?eid=bare&history=true&sortOrder=asc");

      expect(answer.text).toMatch(/^\["~#list",\[\["\^ ",/u);
      expect(answer.text).not.toContain("~:xtdb.api/doc");
    });

    test("the history of a missing id is empty", async () => {
      const answer = await on.json("entity?eid=never&history=true&sortOrder=asc");

      expect([answer.status, answer.text]).toEqual([200, "[]"]);
    });

    test("a history ends at the requested transaction", async () => {
      const first = await on.put({ "xt/id": "ends", n: 1 });
      const second = await on.put({ "xt/id": "ends", n: 2 });
      const path = "entity?eid=ends&history=true&sortOrder=asc&withCorrections=true";
      const idsOf = async (bounds: string): Promise<unknown> =>
        ((await on.json(`${path}&${bounds}`)).json() as { txId: number }[]).map(({ txId }) => txId);

      const ids = [
        await idsOf(`txId=${first}`),
        await idsOf(`startTxId=${second}`),
        await idsOf(`endTxId=${second}`),
      ];

      expect(ids).toEqual([[first], [second], [first]]);
    });

    test("a history without an order is an error of the node", async () => {
      expect((await on.json("entity?eid=never&history=true")).status).toBe(500);
    });
  });
});
