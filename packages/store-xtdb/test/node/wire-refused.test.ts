import { describe, expect, test } from "vitest";

import { lacking } from "./tools-at-hand.ts";
import { wireNode } from "./wire-node.ts";

// The expected answers are those of XTDB's own server; wire-node.ts describes their recording.
describe.skipIf(lacking !== undefined)("unreadable requests, and the status, on the wire", () => {
  const on = wireNode();

  test.each([
    ["application/json", `{"tx-ops":[`],
    ["application/json", ""],
    ["application/json", `{"tx-ops":[["put",{"n":1}]]}`],
    ["application/json", `{"tx-ops":[["put",{":xt/id":"x"}]]}`],
    ["application/json", `{"tx-ops":[["frobnicate","x"]]}`],
    ["application/edn", "{:tx-ops ["],
    ["application/transit+json", `["^ ","~:tx-ops"`],
  ])("a body that cannot be read is refused: %s %s", async (type, body) => {
    const answer = await on.post("submit-tx", type, body);

    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ error: `Malformed "${type}" request.` });
  });

  test.each([["{}"], [`{"txOps":[]}`], ["[]"], [`{"tx-ops":{}}`]])(
    "a body without operations is refused: %s",
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
  ])("a parameter that cannot be read is refused: %s", async (path) => {
    const answer = await on.json(path);

    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ type: "reitit.coercion/request-coercion" });
  });

  test("an unknown route, another method and an unsupported format are refused", async () => {
    const statuses = [
      (await on.json("nothing")).status,
      (await on.send({ path: "/" })).status,
      (await on.json("submit-tx")).status,
      (await on.post("status", "application/json", "{}")).status,
      (await on.send({ path: "/_xtdb/status", headers: { accept: "text/html" } })).status,
    ];

    expect(statuses).toEqual([404, 404, 405, 405, 406]);
  });

  test("errors in JSON have short keys, except for documents and queries", async () => {
    const short = await on.json("tx-committed?txId=999999999");
    const long = await on.json("entity?eid=x&txId=999999999");

    expect(short.json()).toMatchObject({ errorType: "node-out-of-sync" });
    expect(long.json()).toMatchObject({ "xtdb.error/error-type": "node-out-of-sync" });
  });

  test("the status contains the engine and whether it indexes", async () => {
    expect((await on.json("status")).json()).toMatchObject({
      version: "1.24.5",
      indexVersion: 22,
      "ingesterFailed?": false,
    });
    expect((await on.transit("status")).text).toContain(`"~:xtdb.version/version","1.24.5"`);
  });

  test("the attribute statistics count attributes by their full names", async () => {
    await on.put({ "xt/id": "stats", "only-here": 1 });

    await expect
      .poll(async () => (await on.json("attribute-stats")).json(), { timeout: 60_000 })
      .toMatchObject({ "only-here": 1 });
  });
});
