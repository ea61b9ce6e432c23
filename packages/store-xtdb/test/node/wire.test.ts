import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startNode, type StartedNode } from "../../src/node/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { buildTimeout, lacking } from "./tools-at-hand.ts";
import { type Wire, wire } from "./wire.ts";

// Requests and answers as they were recorded from XTDB's own HTTP server, started once from the sources of 1.24.5. That
// server is not run here: what is compared is the node of this package with what was written down of it.
describe.skipIf(lacking !== undefined)("the routes, as XTDB's own server answers them", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let node: StartedNode;
  let on: Wire;

  beforeAll(async () => {
    folder = await temporaryFolder();
    node = await startNode({ dataFolder: folder.path, indexFolder: "memory", quick: true });
    on = wire(node.url);
  }, buildTimeout);

  afterAll(async () => {
    await node?.stop();
    await folder?.[Symbol.asyncDispose]();
  });

  const hash = "[0-9a-f]{40}";

  describe("transactions", () => {
    test("a database without any says so", async () => {
      const answers = [
        await on.json("latest-completed-tx"),
        await on.json("latest-submitted-tx"),
        await on.json("sync"),
        await on.json("tx-log"),
      ];

      expect(answers.map(({ status, text }) => [status, text])).toEqual([
        [404, `{"error":"No latest-completed-tx found."}`],
        [404, `{"error":"No latest-submitted-tx found."}`],
        [200, `{"txTime":null}`],
        [200, "[]"],
      ]);
    });

    test("a submit is answered 202 with id and time", async () => {
      const body = `{"tx-ops":[["put",{"xt/id":"submit"}]]}`;

      const json = await on.post("submit-tx", "application/json", body);
      const transit = await on.send({
        method: "POST",
        path: "/_xtdb/submit-tx",
        headers: { "content-type": "application/json", accept: "application/transit+json" },
        body,
      });

      expect([json.status, transit.status]).toEqual([202, 202]);
      expect(json.text).toMatch(/^\{"txId":\d+,"txTime":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"\}$/u);
      expect(transit.text).toMatch(
        /^\["\^ ","~:xtdb\.api\/tx-id",\d+,"~:xtdb\.api\/tx-time","~m\d{13}"\]$/u,
      );
    });

    test("a submit can be transit or EDN", async () => {
      const edn = await on.post(
        "submit-tx",
        "application/edn",
        `{:tx-ops [[:xtdb.api/put {:xt/id "by-edn" :n 1}]]}`,
      );
      const transit = await on.post(
        "submit-tx",
        "application/transit+json",
        `["^ ","~:tx-ops",[["~:xtdb.api/put",["^ ","~:xt/id","by-transit","~:n",1]]]]`,
      );
      await on.json("sync");

      expect([edn.status, transit.status]).toEqual([202, 202]);
      expect((await on.json("entity?eid=by-edn")).json()).toEqual({ "xt/id": "by-edn", n: 1 });
      expect((await on.json("entity?eid=by-transit")).json()).toEqual({
        "xt/id": "by-transit",
        n: 1,
      });
    });

    test("an unmet match leaves the whole transaction out, and the submit is answered all the same", async () => {
      await on.put({ "xt/id": "match", n: 1 });

      const met = await on.submit(
        ["match", "match", { "xt/id": "match", n: 1 }],
        ["put", { "xt/id": "match", n: 2 }],
      );
      const unmet = await on.submit(
        ["put", { "xt/id": "match-beside" }],
        ["match", "match", { "xt/id": "match", n: 1 }],
      );

      expect([await on.isCommitted(met), await on.isCommitted(unmet)]).toEqual([true, false]);
      expect((await on.json("entity?eid=match")).json()).toEqual({ "xt/id": "match", n: 2 });
      expect((await on.json("entity?eid=match-beside")).status).toBe(404);
    });

    test("a match of null holds while there is no document", async () => {
      const create = [
        ["match", "create", null],
        ["put", { "xt/id": "create" }],
      ];

      const first = await on.submit(...create);
      const second = await on.submit(...create);

      expect([await on.isCommitted(first), await on.isCommitted(second)]).toEqual([true, false]);
    });

    test("a document sent as JSON matches itself, whatever is in it", async () => {
      const document = {
        "xt/id": "classes",
        small: 7,
        long: 4_294_967_296,
        negative: -3,
        float: 0.1,
        nested: [{ b: [1, 2.5, null, true], a: { "k v": "é", "http://x/y": 2 ** 53 } }],
      };
      await on.put(document);

      const txId = await on.submit(["match", "classes", document], ["put", { "xt/id": "classes" }]);

      expect(await on.isCommitted(txId)).toBe(true);
    });

    test("integers keep the class that JSON gives them, so that a long of transit is another document", async () => {
      await on.post(
        "submit-tx",
        "application/transit+json",
        `["^ ","~:tx-ops",[["~:xtdb.api/put",["^ ","~:xt/id","long","~:n",1]]]]`,
      );

      const txId = await on.submit(["match", "long", { "xt/id": "long", n: 1 }]);

      expect(await on.isCommitted(txId)).toBe(false);
    });

    test("of 16 writers that count up by match each is counted", async () => {
      await on.put({ "xt/id": "counter", n: 0 });
      const increment = async (): Promise<void> => {
        for (;;) {
          const { n } = (await on.json("entity?eid=counter")).json() as { readonly n: number };
          const old = { "xt/id": "counter", n };
          const txId = await on.submit(["match", "counter", old], ["put", { ...old, n: n + 1 }]);
          if (await on.isCommitted(txId)) return;
        }
      };

      await Promise.all(Array.from({ length: 16 }, increment));

      expect((await on.json("entity?eid=counter")).json()).toEqual({ "xt/id": "counter", n: 16 });
    });

    test("whether a transaction was committed can be asked once it is indexed", async () => {
      const latest = await on.put({ "xt/id": "committed" });

      const committed = await on.json(`tx-committed?txId=${latest}`);
      const ahead = await on.transit(`tx-committed?txId=${latest + 1000}`);

      expect([committed.status, committed.text]).toEqual([200, `{"txCommitted?":true}`]);
      expect(ahead.status).toBe(400);
      expect(ahead.text).toContain(`"~:xtdb.error/error-type","~:node-out-of-sync"`);
    });

    test("waiting for a transaction answers the latest that is indexed", async () => {
      const txId = await on.submit(["put", { "xt/id": "await" }]);

      const waited = await on.json(`await-tx?txId=${txId}&timeout=10000`);

      expect(waited.status).toBe(200);
      expect(waited.json()).toEqual({ txId, txTime: expect.any(String) });
    });

    test.each([
      "await-tx?txId=999999999&timeout=20",
      "entity?eid=x&awaitTxId=999999999&awaitTxTimeout=20",
    ])("waiting too long is answered 500: %s", async (path) => {
      const answer = await on.json(path);

      expect([answer.status, answer.text]).toEqual([
        500,
        `{"type":"exception","class":"java.util.concurrent.TimeoutException"}`,
      ]);
    });

    test("the log has committed transactions only, from after an id", async () => {
      const before = await on.put({ "xt/id": "log", n: 1 });
      await on.submit(["match", "log", null], ["put", { "xt/id": "log", n: 2 }]);
      const after = await on.put({ "xt/id": "log", n: 3 });
      await on.submit(["delete", "log"]);
      await on.json("sync");

      const log = (await on.json(`tx-log?after-tx-id=${before}&with-ops?=true`)).json();

      expect(log).toEqual([
        { txId: after, txTime: expect.any(String), txOps: [["put", { "xt/id": "log", n: 3 }]] },
        {
          txId: expect.any(Number),
          txTime: expect.any(String),
          txOps: [["delete", expect.stringMatching(hash)]],
        },
      ]);
    });

    test("the log without operations names hashes", async () => {
      const before = await on.put({ "xt/id": "events" });
      await on.put({ "xt/id": "events", n: 1 });

      const log = await on.transit(`tx-log?after-tx-id=${before}`);

      expect(log.text).toMatch(
        new RegExp(
          `^\\["~#list",\\[\\["\\^ ","~:xtdb\\.api/tx-id",\\d+,"~:xtdb\\.api/tx-time","~m\\d+","~:xtdb\\.api/tx-events",\\[\\["~:xtdb\\.api/put",\\["~#xtdb/oid","${hash}"\\],\\["\\^\\d","${hash}"\\]\\]\\]\\]\\]\\]$`,
          "u",
        ),
      );
    });
  });

  describe("documents", () => {
    test("one comes back as it was put, in all three formats", async () => {
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

    test("keys of all kinds and large numbers come back unchanged", async () => {
      const text = `{"xt/id":"keys","k v":1,"http://x/y":2,"/lead":3,"":4,"n":{"xt/id":5,"é":"\\u0000"},"big":9007199254740993,"huge":123456789012345678901234567890,"float":1.0E21}`;
      await on.post("submit-tx", "application/json", `{"tx-ops":[["put",${text}]]}`);
      await on.json("sync");

      const answer = await on.json("entity?eid=keys");

      expect(answer.json()).toEqual(JSON.parse(text));
      expect(answer.text).toContain(`"big":9007199254740993`);
      expect(answer.text).toContain(`"huge":123456789012345678901234567890`);
      expect(answer.text).toContain(`"float":1.0E21`);
    });

    test("one that is not there, or was deleted, is answered 404", async () => {
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

    test("without an id it is a bad request", async () => {
      const answer = await on.transit("entity");

      expect(answer.status).toBe(400);
      expect(answer.text).toContain(`"~:xtdb.error/error-key","~:missing-eid"`);
    });

    test("ids are strings unless they are asked for as JSON or EDN", async () => {
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

    test("as of a transaction it is what it was then", async () => {
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

    test("as of a time it needs the milliseconds, which JSON cuts off", async () => {
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

    test("as of a transaction that is ahead it is a bad request", async () => {
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

    test("the basis of a reading is its transaction", async () => {
      const txId = await on.put({ "xt/id": "basis" });

      const json = (await on.json(`db?txId=${txId}`)).json();

      expect(json).toEqual({
        validTime: expect.any(String),
        tx: { "xtdb.api/tx-time": null, "xtdb.api/tx-id": txId },
      });
    });
  });

  describe("histories", () => {
    test("one has all versions in order, deletions with no document among them", async () => {
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

    test("one without documents names their hashes, as a transit list", async () => {
      await on.put({ "xt/id": "bare" });

      const answer = await on.transit("entity?eid=bare&history=true&sortOrder=asc");

      expect(answer.text).toMatch(/^\["~#list",\[\["\^ ",/u);
      expect(answer.text).not.toContain("~:xtdb.api/doc");
    });

    test("of an id that is not there it is empty", async () => {
      const answer = await on.json("entity?eid=never&history=true&sortOrder=asc");

      expect([answer.status, answer.text]).toEqual([200, "[]"]);
    });

    test("it ends at a transaction that is named", async () => {
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

    test("without an order it is an error of the node", async () => {
      expect((await on.json("entity?eid=never&history=true")).status).toBe(500);
    });
  });

  describe("queries", () => {
    const ask = async (edn: string): Promise<unknown> =>
      await on.post("query", "application/edn", edn);

    test("by equality, with the value as an argument", async () => {
      await on.put({ "xt/id": "q1", nickname: 'a "b"' });

      const answer = await ask(
        String.raw`{:query {:find [e] :in [n] :where [[e :nickname n]]} :in-args ["a \"b\""]}`,
      );

      expect(answer).toMatchObject({ status: 200, text: `[["q1"]]` });
    });

    test("by an element of a list, with a part of the document", async () => {
      await on.put({ "xt/id": "r1", refs: ["t1", "t2"], seq: 1 });
      await on.put({ "xt/id": "r2", refs: ["t2"], seq: 2 });

      const answer = await ask(
        `{:query {:find [s (pull e [:xt/id :seq])] :in [t] :where [[e :refs t] [e :seq s]] :order-by [[s :desc]]} :in-args ["t2"]}`,
      );

      expect(answer).toMatchObject({
        status: 200,
        text: `[[2,{"seq":2,"xt/id":"r2"}],[1,{"seq":1,"xt/id":"r1"}]]`,
      });
    });

    test("by a range of one attribute, with a limit", async () => {
      for (const n of [1, 2, 3]) await on.put({ "xt/id": `k${n}`, k: `note/00${n}` });

      const answer = await ask(
        `{:query {:find [k] :in [a b] :where [[e :k k] [(>= k a)] [(< k b)]] :order-by [[k :asc]] :limit 2} :in-args ["note/001" "note/003"]}`,
      );

      expect(answer).toMatchObject({ status: 200, text: `[["note/001"],["note/002"]]` });
    });

    test("as of a transaction, by GET, and with names for the columns", async () => {
      const txId = await on.put({ "xt/id": "get", tag: "query-by-get" });
      await on.submit(["delete", "get"]);
      await on.json("sync");
      const query = encodeURIComponent(`{:find [e] :keys [id] :in [t] :where [[e :tag t]]}`);

      const past = await on.json(
        `query?queryEdn=${query}&inArgsJson=["query-by-get"]&txId=${txId}`,
      );
      const present = await on.json(`query?queryEdn=${query}&inArgsEdn=["query-by-get"]`);

      expect([past.text, present.text]).toEqual([`[{"id":"get"}]`, "[]"]);
    });

    test("results are a transit list of tuples", async () => {
      await on.put({ "xt/id": "list", tag: "list" });

      const answer = await on.send({
        method: "POST",
        path: "/_xtdb/query",
        headers: { "content-type": "application/transit+json", accept: "application/transit+json" },
        body: `["^ ","~:query",["^ ","~:find",["~$e"],"~:where",[["~$e","~:tag","list"]]]]`,
      });

      expect([answer.status, answer.text]).toEqual([200, `["~#list",[["list"]]]`]);
    });

    test.each([
      ["an unbound variable", `{:query {:find [x] :where [[e :n 1]]}}`],
      [
        "an order by what is not found",
        `{:query {:find [e] :where [[e :n n]] :order-by [[n :asc]]}}`,
      ],
    ])("what XTDB refuses is a bad request that says why: %s", async (_, edn) => {
      const answer = await on.send({
        method: "POST",
        path: "/_xtdb/query",
        headers: { "content-type": "application/edn", accept: "application/transit+json" },
        body: edn,
      });

      expect(answer.status).toBe(400);
      expect(answer.text).toContain("~:xtdb.error/message");
    });

    test("a JSON body is no query", async () => {
      const answer = await on.post("query", "application/json", `{"query":{}}`);

      expect(answer.status).toBe(400);
      expect(answer.json()).toMatchObject({ type: "reitit.coercion/request-coercion" });
    });
  });

  describe("bad requests", () => {
    test.each([
      ["application/json", `{"tx-ops":[`],
      ["application/json", ""],
      ["application/json", `{"tx-ops":[["put",{"n":1}]]}`],
      ["application/json", `{"tx-ops":[["put",{":xt/id":"x"}]]}`],
      ["application/json", `{"tx-ops":[["frobnicate","x"]]}`],
      ["application/edn", "{:tx-ops ["],
      ["application/transit+json", `["^ ","~:tx-ops"`],
    ])("a body that cannot be read: %s %s", async (type, body) => {
      const answer = await on.post("submit-tx", type, body);

      expect(answer.status).toBe(400);
      expect(answer.json()).toMatchObject({ error: `Malformed "${type}" request.` });
    });

    test.each([["{}"], [`{"txOps":[]}`], ["[]"], [`{"tx-ops":{}}`]])(
      "a body without operations: %s",
      async (body) => {
        const answer = await on.post("submit-tx", "application/json", body);

        expect(answer.status).toBe(400);
        expect(answer.json()).toMatchObject({ type: "reitit.coercion/request-coercion" });
      },
    );

    test.each([
      "entity?eid=x&txId=one",
      "entity?eid=x&txTime=yesterday",
      "entity?eid=x&history=maybe",
      "entity?eidJson=%7B",
      "tx-committed",
      "await-tx",
      "query?queryEdn=%7B",
    ])("a parameter that cannot be read: %s", async (path) => {
      const answer = await on.json(path);

      expect(answer.status).toBe(400);
      expect(answer.json()).toMatchObject({ type: "reitit.coercion/request-coercion" });
    });

    test("an unknown route, another method, a format that is not served", async () => {
      const statuses = [
        (await on.json("nothing")).status,
        (await on.send({ path: "/" })).status,
        (await on.json("submit-tx")).status,
        (await on.post("status", "application/json", "{}")).status,
        (await on.send({ path: "/_xtdb/status", headers: { accept: "text/html" } })).status,
      ];

      expect(statuses).toEqual([404, 404, 405, 405, 406]);
    });

    test("errors in JSON have short keys, but for documents and queries", async () => {
      const short = await on.json("tx-committed?txId=999999999");
      const long = await on.json("entity?eid=x&txId=999999999");

      expect(short.json()).toMatchObject({ errorType: "node-out-of-sync" });
      expect(long.json()).toMatchObject({ "xtdb.error/error-type": "node-out-of-sync" });
    });
  });

  test("the status names the engine and whether it indexes", async () => {
    expect((await on.json("status")).json()).toMatchObject({
      version: "1.24.5",
      indexVersion: 22,
      "ingesterFailed?": false,
    });
    expect((await on.transit("status")).text).toContain(`"~:xtdb.version/version","1.24.5"`);
  });

  test("attributes are counted by their full names", async () => {
    await on.put({ "xt/id": "stats", "only-here": 1 });

    await expect
      .poll(async () => (await on.json("attribute-stats")).json(), { timeout: 10_000 })
      .toMatchObject({ "only-here": 1 });
  });
});
