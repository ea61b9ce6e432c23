import { appendFile, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readRequests, requestFile } from "../../src/meter/request-file.ts";
import { chainText, unchainText } from "../../src/meter/text-chain.ts";

const answer = { text: "done", toolCalls: [{ name: "read", arguments: "{}" }] };
const call = {
  number: 1,
  step: 0,
  startedMs: 0,
  durationMs: 1,
  status: 200,
  requestBytes: 4,
  dollars: 0.25,
};

async function temporaryFile(): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), "scm-meter-"));
  return {
    path: join(folder, "requests.jsonl"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** Texts with common parts, also in the middle of a character. */
const text = fc.string({
  unit: fc.constantFrom("a", "b", "\n", "😀", "😁", "\u{D83D}"),
  maxLength: 12,
});

describe("the difference to the text before", () => {
  it("gives every text back", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const chained = JSON.parse(JSON.stringify(chainText(before, after)));

        expect(unchainText(before, chained)).toBe(after);
      }),
    );
  });

  it("has only what is new, also before a common end", () => {
    expect(chainText("[1,2],tools", "[1,2,3],tools")).toEqual({
      shared: 4,
      sharedEnd: 7,
      rest: ",3",
    });
  });
});

describe("a file of requests", () => {
  it("gives back every request whole", async () => {
    await using file = await temporaryFile();
    const bodies = ["", "ab", "aba", "x", "aba"];
    const kept = requestFile(file.path);
    bodies.reduce((before, body, index) => {
      kept.writeRequest({ number: index + 1, step: index, ...chainText(before, body) });
      return body;
    }, "");
    kept.writeAnswer({ number: 1, answer, call });

    const requests = readRequests(file.path);

    expect(requests.map(({ body }) => body)).toEqual(bodies);
    expect(requests[0]).toEqual({ number: 1, step: 0, body: "", answer, call });
    expect(requests[4]).toEqual({ number: 5, step: 4, body: "aba" });
  });

  it("stays small for a long session", async () => {
    await using file = await temporaryFile();
    const kept = requestFile(file.path);
    const tools = "t".repeat(10_000);
    let before = "";
    for (let number = 1; number <= 300; number += 1) {
      const body = JSON.stringify({ messages: Array(number).fill("m".repeat(100)), tools });
      kept.writeRequest({ number, step: 0, ...chainText(before, body) });
      before = body;
    }

    expect((await stat(file.path)).size).toBeLessThan(100_000);
    expect(readRequests(file.path).at(-1)?.body).toBe(before);
  });

  it("gives back the last run of a file, also after a crash in the one before", async () => {
    await using file = await temporaryFile();
    const first = requestFile(file.path);
    first.writeRequest({ number: 1, step: 0, ...chainText("", "one") });
    await appendFile(file.path, '{"type":"request","number":2,"sha');
    const second = requestFile(file.path);
    second.writeRequest({ number: 1, step: 0, ...chainText("", "again") });

    expect(readRequests(file.path).map(({ body }) => body)).toEqual(["again"]);
  });

  it("reads a file up to a line that was cut off", async () => {
    await using file = await temporaryFile();
    const kept = requestFile(file.path);
    kept.writeRequest({ number: 1, step: 0, ...chainText("", "one") });
    const whole = await readFile(file.path, "utf8");
    kept.writeRequest({ number: 2, step: 0, ...chainText("one", "two") });
    const rest = (await readFile(file.path, "utf8")).slice(whole.length);

    for (let length = 0; length < rest.length - 1; length += 7) {
      await rm(file.path);
      await appendFile(file.path, whole + rest.slice(0, length));
      expect(readRequests(file.path).map(({ body }) => body)).toEqual(["one"]);
    }
  });

  it("is refused if it has another line", async () => {
    await using file = await temporaryFile();
    const kept = requestFile(file.path);
    await appendFile(file.path, "{}\n");
    kept.writeRequest({ number: 1, step: 0, ...chainText("", "one") });

    expect(() => readRequests(file.path)).toThrow(
      expect.objectContaining({
        code: "EVALUATE_FILE",
        message: expect.stringContaining("line 2"),
      }),
    );
  });
});
