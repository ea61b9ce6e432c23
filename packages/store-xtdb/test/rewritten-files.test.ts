import {
  type DynamicReference,
  exportObjects,
  objectId,
  type ObjectStore,
  type RewriteRequest,
} from "@self-context-manager/objects";
import { objectStoreLaws, sample, testScale } from "@self-context-manager/store-contract";
import { describe, expect, test } from "vitest";

import { openXtdbStore } from "../src/index.ts";
import { faultyProxy } from "./faulty-proxy.ts";
import { nodePlace } from "./node-place.ts";
import { buildTimeout, lacking } from "./node/tools-at-hand.ts";

const timeout = testScale.isLong ? 3_600_000 : buildTimeout;
const nothing: RewriteRequest = { objects: [], change: () => undefined };

const to = (id: string): DynamicReference => ({ ref: "dynamic", id: objectId(id) });

async function lines(store: ObjectStore): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const line of exportObjects(store)) found.push(line);
  return found;
}

describe.skipIf(lacking !== undefined)("the files of a node after a rewrite", () => {
  test(
    "have nothing of a rewritten text, in the database, the index and their logs",
    async () => {
      await expect(objectStoreLaws["rewritten-is-gone"](nodePlace)).resolves.toBeUndefined();
    },
    timeout,
  );

  test.runIf(testScale.isLong)(
    "have nothing of it after a rewrite that was killed and repeated",
    async () => {
      await expect(objectStoreLaws["rewrite-survives-kill"](nodePlace)).resolves.toBeUndefined();
    },
    timeout,
  );

  // Without the header, the node is one of XTDB's own servers for the client, which cannot be asked to erase. Its log keeps
  // the ids of evicted documents, and an index that is made from it evicts them again.
  test.each([undefined, "scm-watch"])(
    "give the same index again, although equal data was evicted before (without the header %s)",
    async (withoutHeader) => {
      await using place = await nodePlace();
      await using proxy = await faultyProxy(
        place.address.url,
        withoutHeader === undefined ? {} : { withoutHeader },
      );
      const long = `a long text ${"of many words ".repeat(400)}`;
      const fields = {
        content: long,
        nickname: "name",
        to: to("b"),
        toolcall_refs: [to("b"), to("c")],
      };
      let before: readonly string[];
      {
        await using store = await openXtdbStore({ ...place.address, url: proxy.url });
        const write = async (id: string): Promise<void> => {
          await store.commit([{ object: sample(id, fields), expect: 0 }]);
        };
        await store.commit([{ object: sample("b", { content: "one" }) }]);
        await store.commit([{ object: sample("b", { content: "two" }) }]);
        await write("a");
        await store.rewrite({ ...nothing, remove: [objectId("a")] });
        // The long text, the nickname and the references are the same as before.
        await write("a");
        // All versions of an object are put again, also those that stay as they are.
        await store.rewrite({
          objects: [objectId("b")],
          change: ({ version }) =>
            version === 2 ? sample("b", { content: "another" }) : undefined,
        });
        before = await lines(store);
      }

      // The second time, nothing of the first one is in the memory of the node.
      await place.rebuildIndex();
      await place.rebuildIndex();

      await using store = await place.open();
      expect(await lines(store)).toEqual(before);
      expect((await store.get(objectId("a")))?.body.content).toBe(long);
      expect((await store.lookup("name"))?.body.id).toBe(objectId("a"));
      const rival = { object: sample("c", { nickname: "name" }), expect: 0 };
      await expect(store.commit([rival])).rejects.toMatchObject({ code: "NICKNAME_TAKEN" });
      expect((await store.get(objectId("b"), { version: 1 }))?.body.content).toBe("one");
      expect((await store.get(objectId("b")))?.body.content).toBe("another");
      expect((await store.referrers(objectId("c"))).items.map(({ path }) => path)).toEqual([
        "/toolcall_refs/1",
      ]);
      await store.commit([{ object: sample("d", { content: long }) }]);
      expect((await store.get(objectId("d")))?.body.content).toBe(long);
    },
    timeout,
  );
});
