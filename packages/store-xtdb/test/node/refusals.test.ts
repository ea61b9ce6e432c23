import { describe, expect, test } from "vitest";

import { lacking } from "./tools-at-hand.ts";
import { wireNode } from "./wire-node.ts";

describe.skipIf(lacking !== undefined)("the node refuses, unlike XTDB's own server,", () => {
  const on = wireNode({ isOwn: true });

  test.each([
    ["a transaction function", "application/json", `{"tx-ops":[["fn","f"]]}`],
    ["a transaction function", "application/edn", "{:tx-ops [[:xtdb.api/fn :f]]}"],
    [
      "a function's document",
      "application/json",
      `{"tx-ops":[["put",{"xt/id":"f","xt/fn":"(fn [c] [])"}]]}`,
    ],
    [
      "a function's document",
      "application/edn",
      "{:tx-ops [[:xtdb.api/put {:xt/id :f :xt/fn (fn [c] [])}]]}",
    ],
    [
      "a function's document",
      "application/transit+json",
      `["^ ","~:tx-ops",[["~:xtdb.api/match","f",["^ ","~:xt/id","f","~:xt/fn",1]]]]`,
    ],
    [
      "an old name of the id",
      "application/json",
      `{"tx-ops":[["put",{"xt/id":"x","crux.db/id":"y"}]]}`,
    ],
    [
      "XTDB's own mark",
      "application/json",
      `{"tx-ops":[["cas",null,{"xt/id":"x","xtdb.api/evicted?":true}]]}`,
    ],
    ["an eviction", "application/json", `{"tx-ops":[["evict","x"]]}`],
  ])("%s, as %s: %s", async (_, type, body) => {
    const answer = await on.post("submit-tx", type, body);

    expect(answer.status).toBe(403);
    expect(answer.json()).toMatchObject({ errorType: "refused", message: expect.any(String) });
    expect((await on.json("tx-log")).text).toBe("[]");
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])(
    "a submit with a media type that a web form can send: %s",
    async (type) => {
      const answer = await on.post("submit-tx", type, `{"tx-ops":[["put",{"xt/id":"x"}]]}`);

      expect(answer.status).toBe(400);
    },
  );

  test("a request with the host name of another machine", async () => {
    const { port } = new URL(on.url);
    const statusAs = async (host: string): Promise<number> =>
      (await on.send({ path: "/_xtdb/status", headers: { host } })).status;

    const statuses = [
      await statusAs(`attacker.example:${port}`),
      await statusAs("127.0.0.1.attacker.example"),
      await statusAs(`localhost:${port}`),
      await statusAs(`127.0.0.1:${port}`),
      await statusAs(`[::1]:${port}`),
    ];

    expect(statuses).toEqual([421, 421, 200, 200, 200]);
  });

  test.each([
    "clojure.core/slurp",
    "clojure.core/spit",
    "clojure.core/eval",
    "clojure.core/read-string",
    "clojure.core/load-string",
    "clojure.core/apply",
    "clojure.core/resolve",
    "clojure.java.shell/sh",
  ])("a query that calls %s", async (name) => {
    await on.put({ "xt/id": "called", called: "/etc/hostname" });

    const answer = await on.post(
      "query",
      "application/edn",
      `{:query {:find [y] :where [[e :called x] [(${name} x) y]]}}`,
    );

    expect(answer.status).toBe(400);
  });

  test("a body beyond the limit, after it has read the body", async () => {
    const text = "x".repeat(33 * 1024 * 1024);

    const answer = await on.post(
      "submit-tx",
      "application/json",
      `{"tx-ops":[["put",{"xt/id":"large","text":"${text}"}]]}`,
    );

    expect(answer.status).toBe(413);
  });

  test("waiting requests beyond a number, so that other requests are answered", async () => {
    const waiting = Array.from(
      { length: 150 },
      async () => (await on.json("await-tx?txId=999999999&timeout=3000")).status,
    );

    const status = await on.json("status");
    const first = await Promise.race([
      Promise.all(waiting),
      on.json("status").then(({ status }) => status),
    ]);

    expect(status.status).toBe(200);
    expect(first).toBe(200);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([500, 503]));
  });

  test("connections from other machines, because it listens on 127.0.0.1 only", () => {
    expect(new URL(on.url).hostname).toBe("127.0.0.1");
  });
});
