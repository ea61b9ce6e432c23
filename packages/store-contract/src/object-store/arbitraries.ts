import type { JsonObject, JsonValue } from "@self-context-manager/objects";
import * as fc from "fast-check";

/** Few ids, so that random writes concern the same objects. */
export const sampleIds: readonly string[] = ["a", "b", "c", "d", "\u{1f600}", "\uffee"];

export const sampleNicknames: readonly string[] = ["x", "y", "a", "d"];

/** Texts of kinds that have revealed errors. They are short, or long enough to be stored separately. */
export const arbitraryText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom("", "~", "~#1", "\u0000", "\ufeff", "\u{1f600}", "a\r\nb"),
  fc
    .tuple(fc.constantFrom("x", "long ", "\u{1f600}"), fc.nat(900))
    .map(([part, count]) => part.repeat(count)),
);

export const arbitraryReference: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ ref: fc.constant("dynamic"), id: fc.constantFrom(...sampleIds, "nowhere") }),
  fc.record({
    ref: fc.constant("static"),
    id: fc.constantFrom(...sampleIds, "nowhere"),
    tx_id: fc.nat(9),
    tx_time: fc.constant("2026-01-01T00:00:00.000Z"),
    content_hash: fc.constant("c"),
    metadata_view_hash: fc.constant("m"),
    object_hash: fc.constant("o"),
    position: fc.record({ turn: fc.nat(3), step: fc.nat(3), call: fc.nat(3) }),
  }),
);

const arbitraryTurn: fc.Arbitrary<JsonValue> = fc.record({
  user: arbitraryText,
  steps: fc.array(fc.oneof(arbitraryText, arbitraryReference), { maxLength: 3 }),
});

/** Generates the fields of an object. Each field has few values, so that equal and nearly equal versions occur. */
export const arbitraryFields: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      content: fc.option(arbitraryText),
      type: fc.constantFrom("file", "note", "chat", "toolcall"),
      nickname: fc.constantFrom(...sampleNicknames),
      size: fc.constantFrom<JsonValue>(0, 1, "1", null),
      path: fc.constantFrom("/short", `/${"long".repeat(100)}`),
      flag: fc.boolean(),
      to: fc.oneof(arbitraryReference, fc.array(arbitraryReference, { maxLength: 3 })),
      turns: fc.array(arbitraryTurn, { maxLength: 4 }),
      args: fc.record({ to: arbitraryReference }),
      short_summary: arbitraryText,
      inner: fc.record({ size: fc.nat(2), "a/b": arbitraryReference }, { requiredKeys: [] }),
    },
    { requiredKeys: ["content"] },
  )
  .map((fields): JsonObject => fields);
