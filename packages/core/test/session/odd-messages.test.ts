import type { JsonValue } from "@self-context-manager/objects";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import type { Message } from "../../src/chat/message.ts";
import { readList } from "../../src/host/read-list.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import type { Layout, ViewMessage } from "../../src/view/layout.ts";
import { openTestSession, plainCodec } from "./test-session.ts";

const layouts: readonly (readonly [string, Layout])[] = [
  ["epoch", epochLayout({ folds: undefined })],
  ["pooled", pooledLayout],
];

const tools = ["bash", "read", "edit", "write", "ls", "find_objects", "activate", "unknown"];

/** A chat with a call of each tool, an image, thinking, and a message of the host. */
const messages: readonly Message[] = [
  { role: "user", content: "go on", timestamp: 1 },
  ...tools.flatMap((name, index): readonly Message[] => [
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", thinkingSignature: "s" },
        { type: "text", text: `calling ${name}` },
        { type: "toolCall", id: `call_${index}`, name, arguments: { path: "a.txt", id: "f1" } },
      ],
      meta: { model: "m-1", usage: { input: 3 } },
      usage: { input: 3, cacheRead: 0, cacheWrite: 0 },
      timestamp: 2 + index * 2,
    },
    {
      role: "toolResult",
      toolCallId: `call_${index}`,
      toolName: name,
      content: [
        { type: "text", text: `output of ${name}` },
        { type: "image", data: "aGk=", mimeType: "image/png" },
      ],
      isError: false,
      details: { exitCode: 0, files: ["a.txt"] },
      timestamp: 3 + index * 2,
    },
  ]),
  { role: "opaque", kind: "note", raw: { text: "a note" }, timestamp: 50 },
  { role: "assistant", content: [{ type: "text", text: "done" }], timestamp: 51 },
  { role: "user", content: [{ type: "text", text: "and then" }], timestamp: 52 },
];

type Path = readonly (string | number)[];

/** Returns the places of all values in a value, also of itself. */
const pathsIn = (value: unknown): readonly Path[] =>
  typeof value === "object" && value !== null
    ? [
        [],
        ...Object.entries(value).flatMap(([key, one]) =>
          pathsIn(one).map((rest) => [key, ...rest]),
        ),
      ]
    : [[]];

/** Returns a value in which a place has another value. */
const withValue = (value: unknown, [key, ...rest]: Path, other: unknown): unknown => {
  if (key === undefined) return other;
  const inner = (value as Readonly<Record<string | number, unknown>>)[key];
  const changed = withValue(inner, rest, other);
  return Array.isArray(value)
    ? value.with(Number(key), changed)
    : { ...(value as object), [key]: changed };
};

const nested = (depth: number): JsonValue => {
  let value: JsonValue = "deep";
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? { value } : [value];
  return value;
};

/** A value, or the depth of a nested one: reports of failures cannot print what is nested so deeply. */
type Odd = { readonly value: unknown } | { readonly depth: number };

const odd: fc.Arbitrary<Odd> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }).map((value) => ({ value })),
  fc
    .constantFrom(undefined, null, [], {}, "", 0, -1, "x", [null], [[]], [{ type: "toolCall" }])
    .map((value) => ({ value })),
  fc.constantFrom(100, 5_000, 100_000).map((depth) => ({ depth })),
);

const places = messages.flatMap((message, index) =>
  pathsIn(message)
    .filter((path) => path.length > 0)
    .map((path) => [index, ...path] as const),
);

/** Ingests a list and returns the view, as each call of the model does. */
const call = async (
  session: ContextSession,
  list: readonly unknown[],
): Promise<readonly ViewMessage[]> => {
  await session.ingest(readList(list as readonly Message[], plainCodec));
  return (await session.nextView()).messages;
};

describe.each(layouts)("a list with an odd value in one message (%s)", (_name, layout) => {
  it("is ingested, and the other messages are shown", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), odd, async ([at, ...path], value) => {
        const opened = await openTestSession({ layout });
        const other = "depth" in value ? nested(value.depth) : value.value;
        const list = messages.map((message, index) =>
          index === at ? withValue(message, path, other) : message,
        );

        await call(opened.session, list.slice(0, at + 1));
        await call(opened.session, list);
        const later = [...list, { role: "user", content: "the last words", timestamp: 60 }];
        const view = await call(opened.session, later);
        const resumed = await call(await opened.reopen(), later);

        expect(JSON.stringify(view)).toContain("the last words");
        for (const one of tools.filter((_, index) => ![1 + index * 2, 2 + index * 2].includes(at)))
          expect(JSON.stringify(view)).toContain(`calling ${one}`);
        expect(JSON.stringify(resumed)).toContain("the last words");
      }),
      { numRuns: process.env["SCM_LONG"] === "1" ? 2_000 : propertyRuns(60) },
    );
  });
});
