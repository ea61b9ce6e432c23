import { describe, expect, test } from "vitest";

import { lacking } from "./tools-at-hand.ts";
import { wireNode } from "./wire-node.ts";

// The expected answers are those of XTDB's own server; wire-node.ts describes their recording.
describe.skipIf(lacking !== undefined)("transactions on the wire", () => {
  const on = wireNode({ isOwn: true });
  const hash = "[0-9a-f]{40}";

  test("an empty database has no latest transaction and an empty log", async () => {
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

  test("a submit is answered with 202, an id and a time", async () => {
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

  test("the answer to a submit that prefers to wait contains the outcome, which the official server omits", async () => {
    const submit = async (prefer: string): Promise<unknown> => {
      const answer = await on.send({
        method: "POST",
        path: "/_xtdb/submit-tx",
        headers: { "content-type": "application/json", accept: "application/json", prefer },
        body: `{"tx-ops":[["match","prefer",null],["put",{"xt/id":"prefer"}]]}`,
      });
      return [answer.status, answer.json()];
    };
    const tx = { txId: expect.any(Number), txTime: expect.any(String) };

    const first = await submit("wait=5");
    const second = await submit("respond-async, wait = 5");
    const neither = await submit("return=minimal");

    expect(first).toEqual([202, { ...tx, "txCommitted?": true }]);
    expect(second).toEqual([202, { ...tx, "txCommitted?": false }]);
    expect(neither).toEqual([202, tx]);
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

  test("an unmet match aborts the whole transaction, and the submit is answered as usual", async () => {
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

  test("a match of null holds only without a document", async () => {
    const create = [
      ["match", "create", null],
      ["put", { "xt/id": "create" }],
    ];

    const first = await on.submit(...create);
    const second = await on.submit(...create);

    expect([await on.isCommitted(first), await on.isCommitted(second)]).toEqual([true, false]);
  });

  test("a document sent as JSON matches itself, whatever it contains", async () => {
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

  test("integers keep the class that JSON gives them, so a document with a transit long does not match", async () => {
    await on.post(
      "submit-tx",
      "application/transit+json",
      `["^ ","~:tx-ops",[["~:xtdb.api/put",["^ ","~:xt/id","long","~:n",1]]]]`,
    );

    const txId = await on.submit(["match", "long", { "xt/id": "long", n: 1 }]);

    expect(await on.isCommitted(txId)).toBe(false);
  });

  test("16 writers that increment a number by match lose no increment", async () => {
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

  test("a transaction's outcome can be requested after it is indexed", async () => {
    const latest = await on.put({ "xt/id": "committed" });

    const committed = await on.json(`tx-committed?txId=${latest}`);
    const ahead = await on.transit(`tx-committed?txId=${latest + 1000}`);

    expect([committed.status, committed.text]).toEqual([200, `{"txCommitted?":true}`]);
    expect(ahead.status).toBe(400);
    expect(ahead.text).toContain(`"~:xtdb.error/error-type","~:node-out-of-sync"`);
  });

  test("a wait for a transaction returns the latest indexed transaction", async () => {
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

  test("the log contains only committed transactions after an id", async () => {
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

  test("the log without operations contains hashes", async () => {
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
