import {
  type JsonObject,
  metadataOf,
  objectId,
  sealObject,
  storable,
} from "@self-context-manager/objects";
import * as fc from "fast-check";
import { expect, it } from "vitest";

import { attributesOf, fieldsOf, findsValue } from "../../src/xtdb-documents/field-attributes.ts";

const name = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.constantFrom(
    "path",
    "tags",
    "__proto__",
    "xt/id",
    "crux.db/fn",
    "scm/place",
    "a.b",
    "",
    "k v",
    ":x",
    "größe",
    "content_fields",
    "inner",
  ),
);
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(2 ** 53, -(2 ** 60), 1e21, 0.1, "x".repeat(30_000)),
  fc.dictionary(name, fc.jsonValue({ maxDepth: 1 })),
);

function sealedWith(fields: JsonObject) {
  return sealObject(
    storable({
      ...fields,
      content: null,
      locked: true,
      provenance: { origin: "a test", generator: "human" },
      type: "note",
      id: objectId("a"),
    }),
  );
}

it("returns the fields of an object and its hashes from its attributes", () => {
  fc.assert(
    fc.property(fc.dictionary(name, value, { maxKeys: 6 }), (fields) => {
      const { content_fields: _, ...others } = fields as JsonObject;
      const { body, hashes } = sealedWith(others);
      const { attributes, texts } = attributesOf(metadataOf(body));

      const document = {
        ...(JSON.parse(JSON.stringify({ ...attributes, ...hashes })) as object),
        "xt/id": "scm/object/a",
        "scm/place": 1,
      };
      const read = fieldsOf(document, texts);

      expect(read.metadata).toEqual(metadataOf(body));
      expect(read.hashes).toEqual(hashes);
    }),
  );
});

it("writes no attribute that XTDB or the store has for itself", () => {
  fc.assert(
    fc.property(fc.dictionary(name, value, { maxKeys: 6 }), (fields) => {
      const { content_fields: _, ...others } = fields as JsonObject;
      const { attributes } = attributesOf(metadataOf(sealedWith(others).body));

      for (const attribute of Object.keys(attributes))
        expect(attribute).toMatch(/^[\p{L}_][\p{L}\p{N}_.-]*$/u);
    }),
  );
});

it("has an attribute for each value that it says can be found", () => {
  fc.assert(
    fc.property(
      name,
      fc.oneof(fc.string(), fc.boolean(), fc.double(), fc.integer()),
      (field, one) => {
        fc.pre(typeof one !== "number" || Number.isFinite(one));
        fc.pre(!["id", "type", "locked", "content", "nickname", "provenance"].includes(field));
        fc.pre(field !== "view" && field !== "content_fields" && !field.endsWith("_hash"));
        const { body } = sealedWith({ [field]: one });
        fc.pre(Object.hasOwn(metadataOf(body), field));

        const { attributes } = attributesOf(metadataOf(body));

        expect(findsValue([field], one) ? attributes[field] : one).toBe(body[field]);
      },
    ),
  );
});

it("has the fields of inner objects under dotted names, and leaves out what contains data of providers", () => {
  const { body } = sealedWith({
    inner: { size: 3, deep: { flag: true, "a/b": 1 }, list: [1], none: null },
  });
  const chat = sealObject(
    storable({
      ...body,
      type: "chat",
      compaction: { reason: "full", opaque: { z: 1, a: 2 } },
    }),
  );

  expect(attributesOf(metadataOf(body)).attributes).toMatchObject({
    "inner.size": 3,
    "inner.deep.flag": true,
    inner: { size: 3 },
  });
  expect(attributesOf(metadataOf(body)).attributes).not.toHaveProperty(["inner.list"]);
  const { attributes, texts } = attributesOf(metadataOf(chat.body));
  expect(attributes).toHaveProperty(["compaction.reason"], "full");
  expect(attributes).not.toHaveProperty(["compaction"]);
  // The order of the keys is kept.
  expect(texts["compaction"]).toBe('{"reason":"full","opaque":{"z":1,"a":2}}');
});
