import { standingInstruction } from "@self-context-manager/core";
import { describe, expect, test } from "vitest";

import { managedRun, piModes } from "../src/managed-run.ts";
import { fileHandle, handleOf, pixel, secretOf } from "../src/managed-script.ts";
import { piVersions } from "../src/pi-versions.ts";
import { illegalities, namedHandles, saidTo, shownHandles } from "../src/wire-rules.ts";
import type { WireRequest } from "../src/wire-request.ts";

const picture = `data:image/png;base64,${Buffer.from(pixel).toString("base64")}`;
const cases = piVersions.flatMap((pi) => piModes.map((mode) => ({ pi, mode })));

/** Returns how often a text occurs in a request. */
const count = (request: WireRequest | undefined, text: string): number =>
  request === undefined ? -1 : saidTo(request).split(text).length - 1;

const pictures = (request: WireRequest | undefined): number =>
  (request?.messages ?? [])
    .flatMap(({ blocks }) => blocks)
    .filter((block) => block.type === "image" && block.url === picture).length;

// The laws of an adapter are tested by harness-pi.test.ts. This file tests the package as Pi loads it, in each of
// Pi's modes.
describe.each(cases)("a managed session on Pi $pi.version, $mode", ({ pi, mode }) => {
  test("runs to its end without an error", async () => {
    const { requests, failures, complaints } = await managedRun(pi, mode);

    expect({ failures, complaints, requests: requests.length }).toEqual({
      failures: [],
      complaints: "",
      requests: 7,
    });
  });

  test("is legal for the provider in every request", async () => {
    const { requests } = await managedRun(pi, mode);

    expect(requests.map(illegalities)).toEqual(requests.map(() => []));
  });

  test("has a reference line instead of every tool result", async () => {
    const { requests } = await managedRun(pi, mode);

    const results = requests.flatMap(({ messages }) => messages.filter((m) => m.role === "tool"));
    expect(results.length).toBeGreaterThan(30);
    expect(results.filter(({ text }) => !/^\[t\d+ (ok|failed)[,\]]/u.test(text))).toEqual([]);
    expect(requests[1]?.messages.find((m) => m.toolCallId === "call_b")?.text).toBe(
      "[t2 ok, 42 chars]",
    );
  });

  test("holds the contents of exactly the active objects", async () => {
    const { requests } = await managedRun(pi, mode);

    for (const request of requests)
      expect(shownHandles(request)).toEqual(namedHandles(request, "Active"));
    expect(requests.map((request) => shownHandles(request).length)).toEqual([0, 2, 3, 2, 6, 7, 7]);
    expect(count(requests[1], secretOf("a.txt"))).toBe(1);
    expect(count(requests[4], secretOf("w2"))).toBe(2);
  });

  test("removes a deactivated content, and shows it again after an activation", async () => {
    const { requests } = await managedRun(pi, mode);

    expect(requests.map((request) => count(request, secretOf("a.txt")))).toEqual([
      0, 1, 1, 0, 0, 1, 1,
    ]);
    const second = requests[1];
    if (second === undefined) throw new Error("there is no second request");
    expect(shownHandles(second)).toContain(fileHandle(second, "a.txt"));
  });

  test("keeps a pinned object while the policy deactivates others", async () => {
    const { requests } = await managedRun(pi, mode);
    const last = requests[6];
    if (last === undefined) throw new Error("there is no last request");

    expect(namedHandles(last, "Pinned")).toEqual([handleOf(last, "call_b")]);
    expect(count(last, secretOf("b.txt"))).toBe(1);
    // The words of the command are in the call itself; only the output is removed.
    expect(shownHandles(last)).not.toContain(handleOf(last, "call_w1"));
  });

  test("sends pictures byte for byte, with the object that they belong to", async () => {
    const { requests } = await managedRun(pi, mode);
    const own = mode === "print" ? 0 : 1;

    expect(requests.map(pictures)).toEqual([own, own, own + 1, own + 1, own, own, own]);
  });

  test("sends the same system prompt and tools in every request, with the standing instruction", async () => {
    const { requests } = await managedRun(pi, mode);

    const prompts = new Set(requests.map(({ messages }) => JSON.stringify(messages[0]?.raw)));
    expect(prompts.size).toBe(1);
    expect(requests[0]?.messages[0]?.text.endsWith(`\n\n${standingInstruction}`)).toBe(true);
    expect(new Set(requests.map(({ tools }) => JSON.stringify(tools))).size).toBe(1);
  });

  test("sends the model its thinking again", async () => {
    const { requests } = await managedRun(pi, mode);

    const thoughtful = requests.slice(1).map(({ messages }) => {
      return messages.find(({ toolCalls }) => toolCalls.some(({ id }) => id === "call_a"))?.raw;
    });
    for (const raw of thoughtful)
      expect(raw).toMatchObject({ reasoning_content: "Two things at once." });
  });

  test("makes no objects from words that are not files", async () => {
    const { requests } = await managedRun(pi, mode);

    const pool = requests[6]?.messages[1]?.text ?? "";
    expect(pool).toContain("docs/b.txt unread");
    expect(pool.split("\n").filter((line) => line.startsWith("f"))).toHaveLength(3);
  });

  test("reports a failure of a context tool as a failed tool call", async () => {
    const { requests } = await managedRun(pi, mode);

    expect(requests[3]?.messages.find((m) => m.toolCallId === "call_bad")?.text).toMatch(
      /^\[t\d+ failed\] No object is known as "f999"/u,
    );
  });

  test("continues after the first run with the same bytes", async () => {
    const { requests } = await managedRun(pi, mode);
    const [before, after] = [requests[5], requests[6]].map((request) =>
      (request?.messages ?? []).map(({ raw }) => JSON.stringify(raw)),
    );

    const added = after?.filter((message) => before?.includes(message) === false);
    expect(added?.map((message) => JSON.parse(message))).toMatchObject([
      { role: "assistant" },
      { role: "user", content: [{ text: "and now" }] },
    ]);
    expect(after?.toSpliced(-3, 2)).toEqual(before);
  });
});

describe.each(piVersions)("resuming on Pi $version", (pi) => {
  test("sends the bytes that an uninterrupted session sends", async () => {
    const [live, resumed] = await Promise.all([managedRun(pi, "rpc"), managedRun(pi, "sdk")]);

    expect(live.requests).toHaveLength(7);
    expect(resumed.requests.map(saidTo)).toEqual(live.requests.map(saidTo));
  });
});
