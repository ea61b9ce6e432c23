import { objectId, sha256 } from "@self-context-manager/objects";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import type { ObjectAnswer, SessionAnswer, SessionRow } from "../../src/answers.ts";
import { redactMessage } from "../../src/snapshot/redact-message.ts";
import { redaction } from "../../src/snapshot/redaction.ts";
import { recordedSession, type Step } from "../recorded-session.ts";
import { testParser } from "../test-parser.ts";
import { callIn, dataOf, snapshotText } from "./snapshot-file.ts";

/** The words of a text in lower case, whatever is between them. */
function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** All runs of so many words. */
function runsOf(text: string, length: number): ReadonlySet<string> {
  const words = wordsOf(text);
  return new Set(words.slice(length - 1).map((_, at) => words.slice(at, at + length).join(" ")));
}

/** Words that no program writes of itself, so a run of them in the file comes from a content. */
const word = fc.stringMatching(/^zq[a-z]{2,6}$/u);
const text = fc
  .array(fc.tuple(word, fc.constantFrom(" ", "\n", ", ", "-", "_", "/", ".", '"', "\t")), {
    minLength: 3,
    maxLength: 40,
  })
  .map((parts) => parts.flat().join(""));

const step: fc.Arbitrary<Step> = fc.oneof(
  text.map((user): Step => ({ user })),
  fc.tuple(text, text, text).map(([command, key, output]): Step => ({
    run: { command, [key]: { [key]: [command] }, path: `/work/${command.slice(0, 40)}` },
    output,
  })),
  fc.tuple(text, text).map(([title, body]): Step => ({
    read: "a.md",
    text: `# ${title}\n(about) [[${title}]] ${body}\n`,
  })),
);

function textsOf(steps: readonly Step[]): readonly string[] {
  return steps.flatMap((one) => {
    if ("user" in one) return [one.user];
    return "run" in one ? [one.output, JSON.stringify(one.run)] : [one.text ?? ""];
  });
}

describe("a redacted snapshot", () => {
  it("has no run of three words of any content", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 6 }),
        text,
        async (steps, systemPrompt) => {
          const { store, id } = await recordedSession(steps, {
            host: { harness: "test", sessionId: "zqone zqtwo zqthree" },
            systemPrompt,
          });

          const html = await snapshotText(store, id, {
            redact: true,
            parser: testParser,
            place: "/home/zqone/zqtwo/zqthree",
          });

          const inFile = runsOf(`${html} ${JSON.stringify(dataOf(html))}`, 3);
          const inContents = textsOf([
            ...steps,
            { user: "zqone zqtwo zqthree" },
            { user: systemPrompt },
          ]).flatMap((one) => [...runsOf(one, 3)]);
          expect(inContents.filter((run) => inFile.has(run))).toEqual([]);
        },
      ),
      { numRuns: propertyRuns(40) },
    );
  });

  it("has no run of eight words, although the paths of files stay", async () => {
    const path = fc
      .array(
        fc.array(word, { minLength: 1, maxLength: 9 }).map((words) => words.join("-")),
        {
          minLength: 1,
          maxLength: 6,
        },
      )
      .map((folders) => `${folders.join("/")}.md`);
    await fc.assert(
      fc.asyncProperty(fc.array(path, { minLength: 1, maxLength: 4 }), async (paths) => {
        const output = paths.map((one) => `/work/${one}`).join("\n");
        const { store, id } = await recordedSession([
          { user: output },
          ...paths.map((read): Step => ({ read, text: output })),
          { run: { command: "ls" }, output },
        ]);

        const html = await snapshotText(store, id, { redact: true });

        const inFile = runsOf(html, 8);
        expect([...runsOf(output, 8)].filter((run) => inFile.has(run))).toEqual([]);
        const short = paths.filter((one) => wordsOf(one).length < 8);
        expect(short.filter((one) => !html.includes(JSON.stringify(one)))).toEqual([]);
      }),
      { numRuns: propertyRuns(30) },
    );
  });

  it("finds such runs in the file that is not redacted", async () => {
    const steps: readonly Step[] = [{ user: "zqone zqtwo zqthree zqfour" }];
    const { store, id } = await recordedSession(steps);

    const inFile = runsOf(await snapshotText(store, id), 3);

    expect(inFile.has("zqtwo zqthree zqfour")).toBe(true);
  });

  it("keeps structure, tokens, roles, tools, handles and the names of files", async () => {
    const { store, id } = await recordedSession([
      { user: "a secret plan" },
      { read: "src/a.ts", text: "const secret = 1;\n" },
      { run: { command: "make secret" }, output: "secret\n" },
    ]);
    const plain = dataOf(await snapshotText(store, id));

    const data = dataOf(await snapshotText(store, id, { redact: true }));

    expect(JSON.stringify(data)).not.toContain("secret");
    expect(data.answers["store"]).toMatchObject({ place: "", snapshot: { isRedacted: true } });
    expect(Object.keys(data.answers)).toEqual(Object.keys(plain.answers));
    const { timeline } = data.answers[`sessions/${id}`] as SessionAnswer;
    expect(timeline.calls).toEqual(
      (plain.answers[`sessions/${id}`] as SessionAnswer).timeline.calls,
    );
    expect(timeline.parts.map(({ name }) => name)).toContain("src/a.ts");
    const call = callIn(data, id, 3);
    expect(call.messages.map(({ json }) => JSON.parse(json ?? "null"))).toContainEqual(
      expect.objectContaining({ role: "toolResult", toolName: "bash" }),
    );
    expect(call.tokens).toBe(callIn(plain, id, 3).tokens);
    expect(call.messages[0]?.json).toContain("[removed: 13 characters, 3 words]");
  });

  it("has no hash by which a short text could be guessed", async () => {
    const { store, id } = await recordedSession([{ user: "yes" }, { read: "a.ts", text: "42" }]);
    const [file] = (await store.find({ where: { type: "file" } })).items;

    const html = await snapshotText(store, id, { redact: true });

    const plain = dataOf(await snapshotText(store, id));
    for (const hash of [
      sha256("42"),
      sha256("yes"),
      file?.hashes.content_hash ?? "",
      file?.hashes.object_hash ?? "",
      ...Object.keys(plain.messages),
    ])
      expect(html).not.toContain(hash);
    const object = dataOf(html).answers[`objects/${file?.body.id}`] as ObjectAnswer;
    expect(object.versions[0]?.contentHash).toMatch(/^[\da-f]{64}$/u);
  });
});

describe("a redacted message", () => {
  it("keeps no field whose name it does not know, not even the name", () => {
    const json = JSON.stringify({
      role: "assistant",
      content: [
        { type: "toolCall", id: "c1", name: "bash", arguments: { "a b c": "d" }, "e f": "g" },
        { type: "a whole sentence", text: "h" },
        "loose text",
      ],
      meta: { "i j": "k" },
    });

    expect(JSON.parse(redactMessage(json))).toEqual({
      role: "assistant",
      other: "[removed: 20 characters, 2 words]",
      content: [
        {
          type: "toolCall",
          id: "c1",
          name: "bash",
          arguments: "[removed: 13 characters, 3 words]",
          other: "[removed: 11 characters, 2 words]",
        },
        {
          type: "[removed: 16 characters, 3 words]",
          text: "[removed: 1 character, 1 word]",
        },
        "[removed: 10 characters, 2 words]",
      ],
    });
  });
});

describe("a redacted session", () => {
  const at = { tx_id: 1, tx_time: "2026-01-01T00:00:00.000Z" };
  const redact = redaction();

  it("is named by its harness and the start time", () => {
    const { hostId } = redact.session({
      id: objectId("0190aaaa-0000-7000-8000-000000000001"),
      harness: "pi",
      hostId: "zqone zqtwo",
      firstAt: "2026-01-01T10:20:30.000Z",
      lastAt: at.tx_time,
      calls: 1,
      tokens: 1,
    });

    expect(hostId).toBe("pi 2026-01-01 10:20 UTC");
  });

  it.each([
    [
      "Nothing was sent for 3 hours, and the provider keeps unused text for 5 minutes. Epoch 2 ended because the provider's cache was empty already. Removed from the view: t1 (zqone zqtwo). What follows the first change was billed again.",
      "Nothing was sent for 3 hours, and the provider keeps unused text for 5 minutes. Epoch 2 ended because the provider's cache was empty already. Contents that left the view: 1.",
    ],
    [
      "The model changed from a/b-1 to a/b-2, and each model has its own cache.",
      "The model changed from a/b-1 to a/b-2, and each model has its own cache.",
    ],
    [
      "The messages are others from message 7 on, which was Epoch 2 ended because zqone zqtwo.",
      "The messages are others from message 7 on.",
    ],
    ["The model changed from zqöne to a/b-2, and each model has its own cache.", "idle"],
    [
      "The system prompt changed (host, own), so nothing after it could be read from the cache.",
      "The system prompt changed (host, own), so nothing after it could be read from the cache.",
    ],
    [
      "The system prompt changed (zqone zqtwo), so nothing after it could be read from the cache.",
      "idle",
    ],
    [
      "The messages are others from message 7 on, which was the result of zqone zqtwo.",
      "The messages are others from message 7 on.",
    ],
    [
      "The messages begin with those of the call before, but the provider read only 1,200 of 24,842 tokens from its cache.",
      "The messages begin with those of the call before, but the provider read only 1,200 of 24,842 tokens from its cache.",
    ],
  ])("keeps the part of a miss that has no content: %s", (text, kept) => {
    const { calls } = redact.timeline(
      {
        parts: [],
        calls: [
          {
            call: 9,
            at,
            layout: "epoch",
            tokens: 1,
            changes: [],
            shared: 0,
            repeated: 0,
            epoch: { number: 3, call: 1, endedBy: "cold", left: ["t1"] },
            miss: { tokens: 1, reason: "idle", text, isReported: true },
          },
        ],
        calibration: { factor: 1, overhead: 0 },
      },
      new Map(),
    );

    expect(calls[0]?.miss?.text).toBe(kept);
  });
});

describe("the summaries of a redacted session", () => {
  const row: SessionRow = {
    id: objectId("0190aaaa-0000-7000-8000-000000000001"),
    harness: "pi",
    hostId: "one",
    firstAt: "2026-01-01T10:20:30.000Z",
    lastAt: "2026-01-01T10:20:30.000Z",
    calls: 1,
    tokens: 1,
  };
  const costs = { turns: 1, calls: 2, input: 900, output: 80, cost: 0.01 };

  it.each([
    ["have their costs and the name of their model", "a/b-1", { ...costs, model: "a/b-1" }],
    ["have no name of a model that is a text", "zqone zqtwo", costs],
  ])("%s", (_name, model, expected) => {
    const { summaries } = redaction().session({ ...row, summaries: { ...costs, model } });

    expect(summaries).toMatchObject(expected);
    expect(JSON.stringify(summaries)).not.toContain("zqtwo");
  });
});

describe("answers with texts in rare places", () => {
  const secret = "zqone zqtwo zqthree";
  const id = objectId("0190aaaa-0000-7000-8000-000000000001");
  const at = { tx_id: 1, tx_time: "2026-01-01T00:00:00.000Z" };
  const redact = redaction();
  const entry = { what: "user", place: "turn 1", how: "unchanged", versions: [] };

  it.each([
    [
      "a difference",
      redact.call({
        session: id,
        call: 2,
        at,
        layout: secret,
        tokens: 1,
        payloadHash: secret,
        // A store of another program can have any reason.
        epoch: { number: 2, call: 1, endedBy: secret as "cold", left: [secret] },
        isVerified: false,
        problems: [{ text: secret }],
        systemPrompts: [{ origin: secret, id, version: 1, text: secret, isShared: false }],
        messages: [{ hash: "", isShared: false, parts: [{ handle: secret, version: 1 }] }],
        difference: {
          type: "changed",
          sharedMessages: 0,
          first: {
            message: 0,
            byte: 0,
            offset: 0,
            before: secret,
            after: secret,
            entries: { before: entry, after: entry },
          },
          versions: [{ handle: secret, from: 1, to: 2 }],
          gone: [secret],
          added: [secret],
          systemPrompts: [secret],
        },
      }),
    ],
    [
      "a version",
      redact.version({
        id,
        version: 1,
        type: secret,
        mediaType: secret,
        metadata: [[secret, secret]],
        content: secret,
        fields: [{ name: secret, json: JSON.stringify({ [secret]: secret }) }],
        isVerified: false,
        problem: secret,
      }),
    ],
    [
      "a cache miss",
      redact.timeline(
        {
          parts: [{ kind: "toolcall", handle: "t1", name: secret }],
          calls: [
            {
              call: 1,
              at,
              layout: "epoch",
              tokens: 1,
              model: secret,
              changes: [[0, 1]],
              shared: 0,
              repeated: 0,
              miss: { tokens: 1, reason: "system-prompt", text: secret, isReported: false },
              problem: secret,
            },
          ],
          calibration: { factor: 1, overhead: 0 },
        },
        new Map(),
      ),
    ],
    [
      "a session",
      redact.session({
        id,
        harness: secret,
        hostId: secret,
        workspace: secret,
        firstAt: at.tx_time,
        lastAt: at.tx_time,
        calls: 1,
        tokens: 1,
        problem: secret,
      }),
    ],
  ])("lose them: %s", (_, answer) => {
    expect(JSON.stringify(answer)).not.toContain("zq");
  });
});
