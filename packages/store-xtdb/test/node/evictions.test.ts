import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startNode } from "../../src/node/index.ts";
import { storedTexts } from "./stored-texts.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { buildTimeout, lacking } from "./tools-at-hand.ts";
import { type Wire, wire } from "./wire.ts";

describe.skipIf(lacking !== undefined)("the node evicts for a store and erases", () => {
  const held = new AsyncDisposableStack();
  let on: Wire;
  let folder: string;

  beforeAll(async () => {
    folder = held.use(await temporaryFolder()).path;
    on = wire(held.use(await startNode({ dataFolder: folder, quick: true })));
  }, buildTimeout);

  afterAll(async () => await held.disposeAsync());

  async function evict(space: string | undefined, ...ids: readonly string[]): Promise<number> {
    const answer = await on.send({
      method: "POST",
      path: "/_xtdb/submit-tx",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        prefer: "wait=5",
        ...(space === undefined ? {} : { "scm-evict": space }),
      },
      body: JSON.stringify({ "tx-ops": ids.map((id) => ["evict", id]) }),
    });
    return answer.status;
  }

  const erase = async (): Promise<number> =>
    (
      await on.send({
        method: "POST",
        path: "/_scm/erase",
        headers: { accept: "application/json" },
      })
    ).status;

  test("only documents of the store that the request names", async () => {
    await on.put({ "xt/id": "one/a", text: "a" });

    expect(await evict(undefined, "one/a")).toBe(403);
    expect(await evict("two", "one/a")).toBe(403);
    expect(await evict("on", "one/a")).toBe(403);
    expect(await evict("one", "one/a", "other")).toBe(403);
    expect(await evict(".*", "one/a")).toBe(403);
    expect((await on.json("entity?eid=one/a")).status).toBe(200);
    expect(await evict("one", "one/a")).toBe(202);
    expect((await on.json("entity?eid=one/a")).status).toBe(404);
  });

  test("and nothing of an evicted document is in the files, in whatever form XTDB kept it", async () => {
    const secret = ["kT6w", "Qz81", "mNpB"].join("");
    const forms = {
      short: secret,
      long: `${"some text ".repeat(60)}${secret}${" more".repeat(60)}`,
      list: [secret, [secret]],
      map: { [secret]: secret, deep: { text: "x".repeat(300) + secret } },
      [`name_${secret}`]: 1,
    };
    await on.put({ "xt/id": "one/former", ...forms });
    await on.put({ "xt/id": `one/${secret}`, text: "b" });
    await on.put({ "xt/id": `one/${secret}${"-long".repeat(60)}`, text: "b" });
    // The documents of a transaction that fails are in the database too.
    await on.submit(
      ["match", "one/nowhere", { "xt/id": "one/nowhere" }],
      ["put", { "xt/id": "one/failed", ...forms }],
    );
    await on.put({ "xt/id": "one/other", other: "kept ".repeat(100), short: "kept" });
    expect(await storedTexts(folder)).toContain(secret);

    await evict(
      "one",
      "one/former",
      `one/${secret}`,
      `one/${secret}${"-long".repeat(60)}`,
      "one/failed",
    );
    expect(await erase()).toBe(200);

    const stored = await storedTexts(folder);
    expect(stored).not.toContain(secret);
    expect(stored).toContain("kept kept");
    expect((await on.json("entity?eid=one/other")).json()).toMatchObject({
      other: "kept ".repeat(100),
    });
    expect((await on.json("attribute-stats")).text).not.toContain(secret);
    expect((await on.json("tx-log?with-ops?=true")).text).not.toContain(secret);
  });

  test("and names the last change of a document with each answer", async () => {
    const watched = async (): Promise<string | undefined> =>
      (
        await on.send({
          path: "/_xtdb/status",
          headers: { accept: "application/json", "scm-watch": "one/seen" },
        })
      ).headers["scm-watched"] as string | undefined;

    expect(await watched()).toBe("0");
    const txId = await on.put({ "xt/id": "one/seen" });
    expect(await watched()).toBe(String(txId));
    await on.put({ "xt/id": "one/unseen" });
    expect(await watched()).toBe(String(txId));
    expect((await on.json("status")).headers["scm-watched"]).toBeUndefined();
  });
});
