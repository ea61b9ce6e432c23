import { describe, expect, test } from "vitest";

import { lacking } from "./tools-at-hand.ts";
import { wireNode } from "./wire-node.ts";

// The expected answers are those of XTDB's own server; wire-node.ts describes their recording.
describe.skipIf(lacking !== undefined)("queries on the wire", () => {
  const on = wireNode();

  const ask = async (edn: string): Promise<unknown> =>
    await on.post("query", "application/edn", edn);

  test("find documents by equality, with the value as an argument", async () => {
    await on.put({ "xt/id": "q1", nickname: 'a "b"' });

    const answer = await ask(
      String.raw`{:query {:find [e] :in [n] :where [[e :nickname n]]} :in-args ["a \"b\""]}`,
    );

    expect(answer).toMatchObject({ status: 200, text: `[["q1"]]` });
  });

  test("find documents by an element of a list, and return a part of each document", async () => {
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

  test("find documents by a range of one attribute, with a limit", async () => {
    for (const n of [1, 2, 3]) await on.put({ "xt/id": `k${n}`, k: `note/00${n}` });

    const answer = await ask(
      `{:query {:find [k] :in [a b] :where [[e :k k] [(>= k a)] [(< k b)]] :order-by [[k :asc]] :limit 2} :in-args ["note/001" "note/003"]}`,
    );

    expect(answer).toMatchObject({ status: 200, text: `[["note/001"],["note/002"]]` });
  });

  test("run as of a transaction, by GET, and with names for the columns", async () => {
    const txId = await on.put({ "xt/id": "get", tag: "query-by-get" });
    await on.submit(["delete", "get"]);
    await on.json("sync");
    const query = encodeURIComponent(`{:find [e] :keys [id] :in [t] :where [[e :tag t]]}`);

    const past = await on.json(`query?queryEdn=${query}&inArgsJson=["query-by-get"]&txId=${txId}`);
    const present = await on.json(`query?queryEdn=${query}&inArgsEdn=["query-by-get"]`);

    expect([past.text, present.text]).toEqual([`[{"id":"get"}]`, "[]"]);
  });

  test("return a transit list of tuples", async () => {
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
      "an order by a variable that is not in :find",
      `{:query {:find [e] :where [[e :n n]] :order-by [[n :asc]]}}`,
    ],
  ])("are answered with 400 and the reason if XTDB refuses them: %s", async (_, edn) => {
    const answer = await on.send({
      method: "POST",
      path: "/_xtdb/query",
      headers: { "content-type": "application/edn", accept: "application/transit+json" },
      body: edn,
    });

    expect(answer.status).toBe(400);
    expect(answer.text).toContain("~:xtdb.error/message");
  });

  test("are refused with a JSON body", async () => {
    const answer = await on.post("query", "application/json", `{"query":{}}`);

    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ type: "reitit.coercion/request-coercion" });
  });
});
