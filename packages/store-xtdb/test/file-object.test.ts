// If the machine has no Java, the tests are skipped with a warning.
/* oxlint-disable vitest/no-disabled-tests */
import { fileBody, objectId, type SealedObject, sealObject } from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import { describe, expect, it } from "vitest";

import { openXtdbStore } from "../src/index.ts";
import { testNode } from "./test-node.ts";

const node = await testNode();
const { url, token } = "url" in node ? node : { url: "", token: "" };
const id = objectId("0190aaaa-0000-7000-8000-000000000001");
let spaces = 0;

describe.skipIf("missing" in node)(
  `a file object in XTDB${"missing" in node ? `: ${node.missing}` : ""}`,
  { timeout: 60_000 },
  () => {
    it("comes back with all its fields and hashes, in each of its versions", async () => {
      await using store = await openXtdbStore({ url, token, space: freshSpace() });
      const first = fileVersion("one\n");
      const second = fileVersion("one\ntwo\n");
      await store.commit([{ object: first }]);
      await store.commit([{ object: second }]);

      const [earlier, latest] = [await store.get(id, { version: 1 }), await store.get(id)];
      const history = await store.history(id);

      expect(earlier).toMatchObject({ version: 1, body: first.body, hashes: first.hashes });
      expect(latest).toMatchObject({ version: 2, body: second.body, hashes: second.hashes });
      expect(first.hashes.content_hash).not.toBe(second.hashes.content_hash);
      expect(history.map(({ hashes }) => hashes)).toMatchObject([first.hashes, second.hashes]);
    });

    it("is found by its type in a Datalog query", async () => {
      const space = freshSpace();
      await using store = await openXtdbStore({ url, token, space });
      await store.commit([{ object: fileVersion("one\n") }, { object: sample("a note") }]);

      const query = `{:find [o] :in [type] :where [[o :type type] [o :${space}/place]]}`;

      expect(await store.query(query, ["file"])).toEqual([[`${space}/object/${id}`]]);
    });
  },
);

/** Returns a version of the file with the given text. */
function fileVersion(text: string): SealedObject {
  const size = text.length;
  const read = { realPath: "/work/a.ts", text, size, modified: size };
  return sealObject({ ...fileBody(id, read, "human"), nickname: "plan" });
}

function freshSpace(): string {
  spaces += 1;
  return `file${process.pid}-${spaces}`;
}
