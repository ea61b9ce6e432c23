import {
  collectReferences,
  type JsonObject,
  type JsonValue,
  objectId,
  sealObject,
} from "@self-context-manager/objects";
import * as fc from "fast-check";
import { expect, it } from "vitest";

import { xtdbDocuments } from "../../src/xtdb-documents/xtdb-documents.ts";
import type { JsonDocument } from "../../src/client/node-client.ts";
import { ownReferences, pageOperations } from "../../src/xtdb-documents/reference-documents.ts";

const names = xtdbDocuments("scm");
const reference = fc
  .tuple(fc.constantFrom("x", "y", "z", "a/b"), fc.constantFrom("dynamic", "static"))
  .map(([id, ref]): JsonObject =>
    ref === "dynamic" ? { ref, id } : { ref, id, tx_id: 1, content_hash: "c" },
  );
const item: fc.Arbitrary<JsonValue> = fc.oneof(reference, fc.constant("no reference"));
const fields = fc.record(
  {
    to: fc.oneof(reference, fc.array(item, { maxLength: 4 })),
    inner: fc.record({ deep: fc.array(reference, { maxLength: 2 }) }),
    toolcall_refs: fc.array(item, { maxLength: 60 }),
    loaded_refs: fc.array(item, { maxLength: 20 }),
    active_set: reference,
  },
  { requiredKeys: [] },
);

/** A version: its own fields, and the number of items of `toolcall_refs` that it has from the version before. */
const step = fc.record({ values: fields, kept: fc.nat({ max: 60 }) });

/** Returns the fields of a version whose list begins with the same items as the list of the version before. */
function following(before: JsonObject | undefined, values: JsonObject, kept: number): JsonObject {
  const former = (before?.["toolcall_refs"] ?? []) as readonly JsonValue[];
  const latter = (values["toolcall_refs"] ?? []) as readonly JsonValue[];
  return { ...values, toolcall_refs: [...former.slice(0, kept), ...latter] };
}

function bodyOf(values: JsonObject) {
  return sealObject({
    ...values,
    content: null,
    locked: false,
    provenance: { origin: "a test", generator: "human" },
    type: "chat",
    id: objectId("holder"),
  }).body;
}

/** A reference in a document. */
type Edge = { readonly to: string; readonly path: string; readonly ref: string };

/** Returns the places and targets that documents with references have, in any order. */
function found(stored: Iterable<JsonObject>): ReadonlySet<string> {
  const all = [...stored].flatMap((document) => {
    const edges = (document["scm/edges"] ?? []) as readonly Edge[];
    expect(new Set(document["scm/to"] as readonly string[])).toEqual(
      new Set(edges.map(({ to }) => to)),
    );
    for (const { to, path } of edges) {
      const field = path.split("/")[1] ?? "";
      expect(document[`scm.to/${field}`]).toContain(to);
    }
    return edges.map(({ to, path, ref }) => JSON.stringify([path, to, ref]));
  });
  expect(new Set(all).size).toBe(all.length);
  return new Set(all);
}

it("has exactly the references of the latest version in the documents, after any versions", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (versions) => {
      const pages = new Map<string, JsonDocument>();
      let before: ReturnType<typeof bodyOf> | undefined;
      for (const { values, kept } of versions) {
        const after = bodyOf(following(before, values, kept));
        for (const [kind, target] of pageOperations(before, after, names, 0)) {
          if (kind === "delete") pages.delete(target);
          if (kind === "put") pages.set(target["xt/id"], target);
        }
        before = after;
      }

      const expected = collectReferences(before ?? {}).map(({ path, reference: { id, ref } }) =>
        JSON.stringify([path, `scm/object/${id}`, ref]),
      );
      const own = before === undefined ? {} : ownReferences(before, names);

      expect(found([own, ...pages.values()])).toEqual(new Set(expected));
      for (const page of pages.values()) expect(page["scm/edges"]).not.toEqual([]);
    }),
  );
});

it("writes one page when a long list gains a reference", () => {
  const refs = Array.from({ length: 100 }, (_, index) => ({ ref: "dynamic", id: `call-${index}` }));
  const before = bodyOf({ toolcall_refs: refs });
  const after = bodyOf({ toolcall_refs: [...refs, { ref: "dynamic", id: "call-100" }] });

  const operations = pageOperations(before, after, names, 0);

  expect(operations).toHaveLength(1);
  expect(operations[0]).toMatchObject([
    "put",
    { "xt/id": "scm/references/toolcall_refs/12/holder", "scm/from": "scm/object/holder" },
  ]);
});
