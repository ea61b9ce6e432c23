import type { WireRequest } from "@self-context-manager/evaluate/loopback";
import { runsEveryForm } from "@self-context-manager/store-contract";
import { describe, expect, test } from "vitest";

import { managedRun, piModes } from "../src/managed-run.ts";
import { pixel, secretOf } from "../src/managed-script.ts";
import { endPiVersions } from "../src/pi-versions.ts";
import { illegalities, namedHandles, saidTo, shownHandles } from "../src/wire-rules.ts";

const picture = `data:image/png;base64,${Buffer.from(pixel).toString("base64")}`;
/** The oldest release runs in all modes if the adapter has changed, otherwise in one. */
const cases = endPiVersions
  .flatMap((pi) => piModes.map((mode) => ({ pi, mode })))
  .filter(
    ({ pi, mode }) => mode === "sdk" || pi === endPiVersions.at(-1) || runsEveryForm("adapter-pi"),
  );

/** Returns how often a text occurs in a request. */
const count = (request: WireRequest | undefined, text: string): number =>
  request === undefined ? -1 : saidTo(request).split(text).length - 1;

const pictures = (request: WireRequest | undefined): number =>
  (request?.messages ?? [])
    .flatMap(({ blocks }) => blocks)
    .filter((block) => block.type === "image" && block.url === picture).length;

// harness-pi.test.ts tests the laws of an adapter: activations, pins, the instruction, resumes. This file tests the
// package as Pi loads it, in each of Pi's modes.
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

    // The user's image is shown in its message.
    for (const request of requests)
      expect(shownHandles(request)).toEqual(
        namedHandles(request, "Active").filter((handle) => !handle.startsWith("u")),
      );
    expect(requests.map((request) => shownHandles(request).length)).toEqual([0, 2, 3, 2, 7, 7, 7]);
    expect(count(requests[1], secretOf("a.txt"))).toBe(1);
    expect(count(requests[4], secretOf("w2"))).toBe(2);
  });

  test("sends pictures byte for byte, with the object that they belong to", async () => {
    const { requests } = await managedRun(pi, mode);
    const own = mode === "print" ? 0 : 1;

    expect(requests.map(pictures)).toEqual([own, own, own + 1, own + 1, own, own, own]);
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
    expect(pool).toContain("docs/b.txt text unread");
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
