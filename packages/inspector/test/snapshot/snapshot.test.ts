import { createHash } from "node:crypto";

import * as fc from "fast-check";
import { type ObjectStore, StoreError } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";

// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import type {
  CallAnswer,
  GraphAnswer,
  ObjectAnswer,
  SessionAnswer,
  StoreAnswer,
  VersionAnswer,
} from "../../src/answers.ts";
import { openQuestions } from "../../src/questions/questions.ts";
import { inspected, quietStore, recordedSession, type Step } from "../recorded-session.ts";
import { testParser } from "../test-parser.ts";
import { callIn, dataOf, snapshotText, testFiles } from "./snapshot-file.ts";

const steps: readonly Step[] = [
  { user: "please look at a.ts" },
  { read: "a.ts", text: "export const answer = 42;\n".repeat(30) },
  { run: { command: "make" }, output: "compiled\n".repeat(40) },
  { read: "a.ts", text: "export const answer = 43;\n".repeat(30) },
  { user: "thanks" },
];

describe("a snapshot", () => {
  it("has the same answers for each call as the server, and each message once", async () => {
    const { store, id } = await recordedSession(steps);
    const questions = openQuestions(inspected(store));

    const html = await snapshotText(store, id);

    const data = dataOf(html);
    for (const call of [1, 2, 3, 4, 5]) {
      const asked = (await questions.ask(["sessions", id, "calls", String(call)])) as CallAnswer;
      expect(callIn(data, id, call)).toEqual(JSON.parse(JSON.stringify(asked)));
    }
    expect(html.split("please look at a.ts")).toHaveLength(2);
  });

  it.each([false, true])(
    "names no object that only another session knows (redacted: %s)",
    async (redact) => {
      const note = { read: "a.md", text: "# A note\n[[b]]\n" };
      const { store, id } = await recordedSession([
        note,
        { read: "c.md", text: "[[a]]\n" },
        { run: { command: "make" }, output: "made\n" },
      ]);
      await recordedSession([note, { read: "private.md", text: "[[a]]\n" }], {
        store,
        host: { harness: "test", sessionId: "two" },
      });

      const html = await snapshotText(store, id, { parser: testParser, redact });

      expect(html).not.toContain("private.md");
      const [file] = (await store.find({ where: { type: "file" } })).items;
      const path = `objects/${file?.body.id}`;
      const data = dataOf(html);
      const { backlinks } = data.answers[path] as ObjectAnswer;
      expect(backlinks.map(({ name }) => name)).toEqual(["c.md"]);
      const { nodes, edges } = data.answers[`${path}/graph`] as GraphAnswer;
      expect(nodes.map(({ name }) => name)).toContain("c.md");
      expect(edges.some(({ kind }) => kind === "link")).toBe(true);
    },
  );

  it("has no links of a newer version that the session has not shown", async () => {
    const { store, id } = await recordedSession([{ read: "a.md", text: "# A note\n[[b]]\n" }]);
    const before = dataOf(await snapshotText(store, id, { parser: testParser }));
    await recordedSession([{ read: "a.md", text: "# A note\n[[b]] [[private]]\n" }], {
      store,
      host: { harness: "test", sessionId: "two" },
    });

    const html = await snapshotText(store, id, { parser: testParser });

    expect(html).not.toContain("private");
    const [file] = (await store.find({ where: { type: "file" } })).items;
    const path = `objects/${file?.body.id}`;
    expect((before.answers[path] as ObjectAnswer).links).toHaveLength(1);
    expect(dataOf(html).answers[path]).toMatchObject({ name: "a.md", version: 2, links: [] });
  });

  it("has the session, and its objects with the versions that were shown", async () => {
    const { store, id } = await recordedSession(steps);
    await recordedSession([{ user: "another" }], {
      store,
      host: { harness: "test", sessionId: "two" },
    });

    const data = dataOf(await snapshotText(store, id));

    expect(data.answers["store"]).toMatchObject({
      snapshot: { at: "2026-01-02T03:04:05.000Z", session: id, isRedacted: false },
    } satisfies Partial<StoreAnswer>);
    expect(data.answers["sessions"]).toMatchObject({ sessions: [{ id }] });
    const { timeline } = data.answers[`sessions/${id}`] as SessionAnswer;
    expect(timeline.calls).toHaveLength(5);
    const [file] = (await store.find({ where: { type: "file" } })).items;
    const path = `objects/${file?.body.id}`;
    expect((data.answers[`${path}/versions/1`] as VersionAnswer).content).toContain("= 42");
    expect((data.answers[`${path}/versions/2`] as VersionAnswer).content).toContain("= 43");
    expect((data.answers[path] as ObjectAnswer).inView).toMatchObject([
      {
        session: id,
        calls: 5,
        runs: [
          { from: 2, to: 3, version: 1 },
          { from: 4, to: 5, version: 2 },
        ],
      },
    ]);
    expect(data.answers[`${path}/graph`]).toMatchObject({ isCut: false });
  });

  it("of a damaged session names its damaged calls, and marks their messages", async () => {
    const { store, id } = await recordedSession(steps);
    const [file] = (await store.find({ where: { type: "file" } })).items;
    const failure = new StoreError("STORE_CORRUPT", "the version is damaged");
    const harmed: ObjectStore = {
      ...store,
      get: async (one, at) => {
        if (one === file?.body.id) throw failure;
        return await (at === undefined ? store.get(one) : store.get(one, at));
      },
    };
    const questions = openQuestions(inspected(harmed));
    const damaged: number[] = [];

    const html = await snapshotText(harmed, id, { damaged: (call) => damaged.push(call) });

    const asked = (await questions.ask(["sessions", id, "calls", "3"])) as CallAnswer;
    const written = callIn(dataOf(html), id, 3);
    expect(damaged).toEqual([2, 3, 4, 5]);
    expect(written).toEqual(JSON.parse(JSON.stringify(asked)));
    expect(written.messages.filter(({ isDamaged }) => isDamaged)).not.toEqual([]);
  });

  it("allows only its own script and style, by their hashes", async () => {
    const { store, id } = await recordedSession([{ user: "go" }]);

    const html = await snapshotText(store, id);

    const policy = /http-equiv="content-security-policy" content="([^"]+)"/u.exec(html)?.[1] ?? "";
    const scripts = [...html.matchAll(/<script>(.*?)<\/script>/gsu)].map(([, text = ""]) => text);
    expect(scripts).toEqual(['console.log("<\\/script><script>");']);
    for (const [rule, text = ""] of [
      ["script-src", scripts[0]],
      ["style-src", testFiles.style],
    ]) {
      const hash = createHash("sha256").update(text).digest("base64");
      expect(policy.split("; ")).toContain(`${rule} 'sha256-${hash}'`);
    }
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain("connect-src");
  });

  it("is refused for a session that is not there", async () => {
    await expect(snapshotText(quietStore(), "none" as never)).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("contains any text unchanged, and no text ends its element", async () => {
    const special = fc.constantFrom(
      "</script>",
      "</SCRIPT >",
      "<!--",
      "-->",
      "<script>",
      "\u2028",
      "\u2029",
      "\u202E",
      "\uD800",
      "\uDFFF",
      "\0",
      "\u001B[2J",
      "\\u003c",
      "]]>",
      "é😀",
    );
    const text = fc
      .array(fc.oneof(special, fc.string({ unit: "binary", maxLength: 8 })), {
        minLength: 1,
        maxLength: 12,
      })
      .map((parts) => parts.join("x"));
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        const { store, id } = await recordedSession([
          { user: "look" },
          { run: { command: content }, output: content.toWellFormed() },
        ]);

        const data = dataOf(await snapshotText(store, id));

        const questions = openQuestions(inspected(store));
        const asked = (await questions.ask(["sessions", id, "calls", "2"])) as CallAnswer;
        expect(callIn(data, id, 2)).toEqual(JSON.parse(JSON.stringify(asked)));
        const [tool] = (await store.find({ where: { type: "toolcall" } })).items;
        const path = `objects/${encodeURIComponent(String(tool?.body.id))}`;
        const version = (data.answers[`${path}/versions/1`] ?? {}) as Partial<VersionAnswer>;
        expect(version.content).toContain(content.toWellFormed().trim().slice(0, 1));
      }),
      { numRuns: propertyRuns(40) },
    );
  });
});
