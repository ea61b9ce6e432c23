import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, it, test, vi } from "vitest";

import { openMeter } from "../../src/meter/meter.ts";
import { requestText } from "../../src/meter/request-text.ts";
import { readRequests } from "../../src/meter/request-file.ts";
import { accessTo, ask, question, realKey, testClock } from "./meter-samples.ts";
import { completion, openPricingServer, sendJson } from "./pricing-server.ts";

const million = 1_000_000;
const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

describe("a call through the meter", () => {
  it("is recorded with the usage and the dollars that the provider reported", async () => {
    await using provider = await openPricingServer((out) =>
      sendJson(out, completion(million, 1_000)),
    );
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url, { prices }) });
    run.atStep(3);

    const body = JSON.stringify(question("How much?"));
    const response = await ask(run.access, body);

    expect(await response.json()).toEqual(completion(million, 1_000));
    expect(run.calls).toEqual([
      {
        number: 1,
        step: 3,
        startedMs: expect.any(Number),
        durationMs: expect.any(Number),
        status: 200,
        requestBytes: body.length,
        usage: { input: million, cacheRead: 0, cacheWrite: 0, output: 1_000 },
        dollars: 3.015,
      },
    ]);
    expect(run.answers).toEqual([{ text: "done", toolCalls: [] }]);
    expect(requestText(run.requestBody(1))).toBe("How much?");
    expect(meter.spent).toBeCloseTo(3.015);
  });

  it("arrives with the same bytes, and its answer too, in any pieces", async () => {
    const piece = fc.uint8Array({ maxLength: 300 });
    const cases = fc.record({
      body: fc.uint8Array({ maxLength: 2_000 }),
      pieces: fc.array(piece, { maxLength: 5 }),
      status: fc.constantFrom(200, 201, 400, 404, 500),
    });
    let answer: { pieces: Uint8Array[]; status: number } = { pieces: [], status: 200 };
    await using provider = await openPricingServer(async (out) => {
      out.writeHead(answer.status, { "content-type": "text/event-stream", "x-Case": "Kept" });
      for (const bytes of answer.pieces) {
        out.write(bytes);
        await new Promise(setImmediate);
      }
      out.end();
    });
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url) });

    await fc.assert(
      fc.asyncProperty(cases, async ({ body, ...next }) => {
        answer = next;
        const response = await fetch(`${run.access.url}/chat/completions?a=b%20c`, {
          method: "POST",
          body,
        });
        const received = provider.requests.at(-1);

        expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.concat(answer.pieces));
        expect(response.status).toBe(answer.status);
        expect(response.headers.get("x-case")).toBe("Kept");
        expect(received?.body).toEqual(Buffer.from(body));
        expect(received?.url).toBe("/v1/chat/completions?a=b%20c");
      }),
      { numRuns: 60 },
    );
  });

  it("passes each piece of an answer on before the next one exists", async () => {
    const read = Promise.withResolvers<void>();
    await using provider = await openPricingServer(async (out) => {
      out.writeHead(200, { "content-type": "text/event-stream" });
      out.write("data: first\n\n");
      await read.promise;
      out.end("data: second\n\n");
    });
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url) });

    const { body } = await ask(run.access, question("Go"));
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    const first = await reader?.read();
    read.resolve();
    const second = await reader?.read();

    expect([first?.value, second?.value]).toEqual(["data: first\n\n", "data: second\n\n"]);
  });

  it("arrives whole with a large answer that the host reads slowly", async () => {
    const large = Buffer.alloc(8_000_000, "0123456789");
    await using provider = await openPricingServer((out) => out.end(large));
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url) });

    const { body } = await ask(run.access, question("Go"));
    const chunks: Uint8Array[] = [];
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      await new Promise(setImmediate);
    }

    expect(Buffer.concat(chunks).equals(large)).toBe(true);
  });

  it("asks for an answer that is not compressed, and reads one that is", async () => {
    await using provider = await openPricingServer((out) => {
      out.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      out.end(gzipSync(JSON.stringify(completion(5, 6))));
    });
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url) });

    const response = await ask(run.access, question("Go"));

    expect(await response.json()).toEqual(completion(5, 6));
    expect(provider.requests[0]?.headers["accept-encoding"]).toBe("identity");
    expect(run.calls[0]?.usage).toMatchObject({ input: 5, output: 6 });
  });

  it("is not recorded if it is no model call", async () => {
    await using provider = await openPricingServer((out) => sendJson(out, { input_tokens: 4 }));
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url) });

    await ask(run.access, question("Go"), { path: "/messages/count_tokens" });
    const models = await fetch(`${run.access.url}/models`);

    expect(await models.json()).toEqual({ input_tokens: 4 });
    expect(provider.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "POST /v1/messages/count_tokens",
      "GET /v1/models",
    ]);
    expect(run.calls).toEqual([]);
  });

  test.each([
    ["anthropic-messages" as const, "/messages"],
    ["openai-responses" as const, "/responses"],
    ["google-generative-ai" as const, "/models/model-1:streamGenerateContent?alt=sse"],
  ])("is one of %s by its path", async (api, path) => {
    await using provider = await openPricingServer((out) => sendJson(out, {}));
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url, { api }) });

    await ask(run.access, {}, { path });

    expect(run.calls).toHaveLength(1);
  });

  it("has the provider's host and path in its URL, because hosts look for them", async () => {
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo("https://api.openai.com/v1/") });

    expect(run.access.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/run-\w+\/api\.openai\.com\/v1$/u);
  });

  it("needs the path of a run", async () => {
    await using provider = await openPricingServer((out) => sendJson(out, {}));
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url) });
    const url = new URL(run.access.url);

    const answers = await Promise.all([
      fetch(`${url.origin}/v1/models`),
      fetch(`${run.access.url}-other/models`),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(provider.requests).toEqual([]);
  });
});

describe("the key", () => {
  test.each([
    ["authorization", (key: string) => `Bearer ${key}`, `Bearer ${realKey}`],
    ["x-api-key", (key: string) => key, realKey],
    ["x-goog-api-key", (key: string) => key, realKey],
  ])("is put where the host put the stand-in: in the header %s", async (name, value, expected) => {
    await using provider = await openPricingServer((out) => sendJson(out, completion(1, 1)));
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url) });

    await fetch(`${run.access.url}/chat/completions`, {
      method: "POST",
      headers: { [name]: value(run.access.key) },
      body: "{}",
    });

    expect(run.access.key).not.toContain(realKey);
    expect(provider.requests[0]?.headers[name]).toBe(expected);
  });

  it("is put into the query", async () => {
    await using provider = await openPricingServer((out) => sendJson(out, {}));
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url, { key: "a+b/c" }) });

    await fetch(`${run.access.url}/models/m:generateContent?key=${run.access.key}`, {
      method: "POST",
    });

    expect(provider.requests[0]?.url).toBe("/v1/models/m:generateContent?key=a%2Bb%2Fc");
  });

  it("is in no file and in no record, although the provider and the agent repeat it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "scm-meter-"));
    const file = join(folder, "requests.jsonl");
    await using provider = await openPricingServer((out, { headers }, index) =>
      index === 0
        ? sendJson(out, completion(1, 1, `The key is ${headers.authorization}`))
        : sendJson(
            out,
            { error: { message: `bad key: ${headers.authorization}` } },
            { status: 401 },
          ),
    );
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url), file });

    await (await ask(run.access, question(`Is it ${realKey}?`))).text();
    await (await ask(run.access, question("And now?"))).text();
    const kept = await readFile(file, "utf8");
    await rm(folder, { recursive: true });

    expect(provider.requests[1]?.headers.authorization).toBe(`Bearer ${realKey}`);
    expect(kept).toContain("The key is Bearer meter-");
    expect(kept).toContain("bad key: Bearer meter-");
    expect(kept + JSON.stringify([run.calls, run.answers])).not.toContain(realKey);
  });

  it("has no header if the server needs none", async () => {
    await using provider = await openPricingServer((out) => sendJson(out, completion(1, 1)));
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url, { key: "" }) });

    await ask(run.access, question("Go"));

    expect(provider.requests[0]?.headers).not.toHaveProperty("authorization");
  });

  it("of a subscription has a stand-in of the same form", async () => {
    await using meter = await openMeter();
    await using run = meter.openRun({
      access: accessTo("http://127.0.0.1:1", { key: "sk-ant-oat01-x" }),
    });

    expect(run.access.key).toMatch(/^sk-ant-oat01-meter-/u);
  });
});

describe("a run", () => {
  it("keeps its requests in a file, from which they are read whole", async () => {
    const folder = await mkdtemp(join(tmpdir(), "scm-meter-"));
    const file = join(folder, "requests.jsonl");
    await using provider = await openPricingServer((out) => sendJson(out, completion(1, 1)));
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url), file });
    const bodies = ["One", "One, two", "One, two, three"].map((text) =>
      JSON.stringify(question(text)),
    );

    for (const body of bodies) await (await ask(run.access, body)).text();
    const requests = readRequests(file);
    await rm(folder, { recursive: true });

    expect(requests.map(({ body }) => body)).toEqual(bodies);
    expect(requests.map(({ call }) => call)).toEqual(run.calls);
    expect(requests.map(({ answer }) => answer)).toEqual(run.answers);
    expect([3, 1, 2].map((number) => requestText(run.requestBody(number)))).toEqual([
      "One, two, three",
      "One",
      "One, two",
    ]);
    expect(() => run.requestBody(4)).toThrow(RangeError);
  });

  it("lists its calls by number, in whatever order they end", async () => {
    const second = Promise.withResolvers<void>();
    await using provider = await openPricingServer(async (out, _, index) => {
      if (index === 0) await second.promise;
      sendJson(out, completion(1, 1, `answer ${index + 1}`));
    });
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url) });

    const first = ask(run.access, question("One"));
    while (provider.requests.length === 0) await new Promise(setImmediate);
    await (await ask(run.access, question("Two"))).text();
    second.resolve();
    await (await first).text();

    expect(run.calls.map(({ number }) => number)).toEqual([1, 2]);
    expect(run.answers.map(({ text }) => text)).toEqual(["answer 1", "answer 2"]);
  });

  it("that is stopped answers 403, and says so in its signal", async () => {
    await using provider = await openPricingServer((out) => sendJson(out, completion(1, 1)));
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url) });

    run.stop("time-limit");
    const response = await ask(run.access, question("Go"));

    expect([response.status, run.stopped, run.stopSignal.aborted]).toEqual([
      403,
      "time-limit",
      true,
    ]);
    expect(provider.requests).toEqual([]);
  });

  it("stops after its last call", async () => {
    await using provider = await openPricingServer((out) => sendJson(out, completion(1, 1)));
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url), callLimit: 2 });

    const statuses: number[] = [];
    for (const text of ["One", "Two", "Three", "Four"])
      statuses.push((await ask(run.access, question(text))).status);

    expect(statuses).toEqual([200, 200, 403, 403]);
    expect([run.calls.length, run.stopped]).toEqual([2, "call-limit"]);
  });

  it("breaks off its calls when it is closed, and records them", async () => {
    await using provider = await openPricingServer((out) => {
      out.writeHead(200, { "content-type": "text/event-stream" });
      out.write(": waiting\n\n");
    });
    await using meter = await openMeter();
    const run = meter.openRun({ access: accessTo(provider.url) });
    const response = await ask(run.access, question("Go"));

    await run[Symbol.asyncDispose]();

    expect(run.calls).toMatchObject([{ number: 1, isIncomplete: true }]);
    await expect(response.text()).rejects.toThrow("terminated");
    expect((await ask(run.access, question("Go"))).status).toBe(403);
  });

  it.each([["ftp://host/v1"], ["no url"]])("is refused with the URL %s", async (url) => {
    await using meter = await openMeter();

    expect(() => meter.openRun({ access: accessTo(url) })).toThrow(
      expect.objectContaining({ code: "EVALUATE_MODEL" }),
    );
  });
});

describe("a failure of the provider", () => {
  it("behind the proxy of the environment costs nothing", async () => {
    const asked: unknown[] = [];
    const proxy = createServer();
    proxy.on("connect", ({ url }, socket) => {
      asked.push(url);
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const address = proxy.address();
    const port = typeof address === "object" ? address?.port : undefined;
    vi.stubEnv("HTTPS_PROXY", `http://127.0.0.1:${port}`);
    vi.stubEnv("https_proxy", `http://127.0.0.1:${port}`);
    vi.stubEnv("NO_PROXY", "");
    vi.stubEnv("no_proxy", "");
    await using meter = await openMeter({ budget: 1_000_000 });
    await using run = meter.openRun({ access: accessTo("https://api.example/v1") });

    const response = await ask(run.access, question("Go"));
    vi.unstubAllEnvs();
    proxy.close();

    expect([response.status, asked]).toEqual([502, ["api.example:443"]]);
    expect(run.calls).toMatchObject([{ status: 502, dollars: 0 }]);
  });

  it("that refuses connections is answered with 502 and costs nothing", async () => {
    const provider = await openPricingServer(() => undefined);
    await provider[Symbol.asyncDispose]();
    await using meter = await openMeter({ budget: 1_000_000 });
    await using run = meter.openRun({ access: accessTo(provider.url) });

    const response = await ask(run.access, question("Go"));

    expect(response.status).toBe(502);
    expect(run.calls).toMatchObject([
      { status: 502, dollars: 0, error: expect.stringContaining("The provider did not answer") },
    ]);
  });

  it("that breaks its answer off breaks it off for the host too", async () => {
    await using provider = await openPricingServer((out) => {
      out.writeHead(200, { "content-type": "text/event-stream" });
      out.write('data: {"choices":[{"delta":{"content":"Half"}}]}\n\n', () => out.destroy());
    });
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url) });

    const response = await ask(run.access, question("Go"));

    await expect(response.text()).rejects.toThrow("terminated");
    expect(run.answers).toEqual([{ text: "Half", toolCalls: [] }]);
    expect(run.calls).toMatchObject([
      { status: 200, isIncomplete: true, error: expect.stringContaining("broke off") },
    ]);
    expect(run.calls[0]).not.toHaveProperty("dollars");
  });

  it("that is an error answer costs nothing and is passed on", async () => {
    const error = { error: { message: "prompt is too long: 9 tokens > 8 maximum" } };
    await using provider = await openPricingServer((out) => sendJson(out, error, { status: 400 }));
    await using meter = await openMeter({ budget: 1_000_000 });
    await using run = meter.openRun({ access: accessTo(provider.url) });

    const response = await ask(run.access, question("Go"));

    expect([response.status, await response.json()]).toEqual([400, error]);
    expect(run.calls).toMatchObject([{ status: 400, dollars: 0, isOverWindow: true }]);
    expect(meter.spent).toBe(0);
  });
});

describe("a host that closes the connection", () => {
  it("breaks off the provider's answer", async () => {
    const closed = Promise.withResolvers<void>();
    await using provider = await openPricingServer((out) => {
      out.on("close", () => closed.resolve());
      out.writeHead(200, { "content-type": "text/event-stream" });
      out.write(": waiting\n\n");
    });
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url) });
    const leaving = new AbortController();
    await ask(run.access, question("Go"), { signal: leaving.signal });

    leaving.abort();
    await closed.promise;
    while (run.calls.length === 0) await new Promise(setImmediate);

    expect(run.calls).toMatchObject([
      { error: "The host closed the connection.", isIncomplete: true },
    ]);
  });

  it("while it does not read a large answer ends the call", async () => {
    await using provider = await openPricingServer((out) => out.end(Buffer.alloc(20_000_000)));
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url) });
    const lazy = request(`${run.access.url}/chat/completions`, { method: "POST" });
    lazy.on("error", () => undefined);
    lazy.end("{}");
    await once(lazy, "response");

    lazy.destroy();
    while (run.calls.length === 0) await new Promise(setImmediate);

    expect(run.calls).toMatchObject([{ error: "The host closed the connection." }]);
  });

  it("before the end of its request sends nothing to the provider", async () => {
    await using provider = await openPricingServer((out) => sendJson(out, completion(1, 1)));
    await using meter = await openMeter();
    await using run = meter.openRun({ access: accessTo(provider.url) });
    const half = request(`${run.access.url}/chat/completions`, {
      method: "POST",
      headers: { "content-length": "100" },
    });
    half.on("error", () => undefined);
    half.write("{");
    const [socket] = await once(half, "socket");
    await once(socket, "connect");
    half.destroy();

    await ask(run.access, question("Go"));

    expect(provider.requests).toHaveLength(1);
  });
});

it("closes although a host has sent only half of a request", async () => {
  const meter = await openMeter();
  const run = meter.openRun({ access: accessTo("http://127.0.0.1:1") });
  const half = request(`${run.access.url}/chat/completions`, {
    method: "POST",
    headers: { "content-length": "100" },
  });
  const failed = once(half, "error");
  half.write("{");
  const [socket] = await once(half, "socket");
  await once(socket, "connect");
  // Its answer shows that the meter has begun to read the other request too.
  await fetch(`${run.access.url}/models`);

  await meter[Symbol.asyncDispose]();

  expect(await failed).toHaveLength(1);
});

it.each(["budget", "spent", "requestsPerMinute", "tokensPerMinute"])(
  "is not opened if %s is no number",
  async (name) => {
    await expect(openMeter({ [name]: Number.NaN })).rejects.toThrow(RangeError);
  },
);

describe("a provider that is busy", () => {
  const busy = { error: { message: "slow down" } };

  it("gets the request again after the pause that it asks for", async () => {
    await using provider = await openPricingServer((out, _, index) =>
      index < 2
        ? sendJson(out, busy, { status: 429, headers: { "retry-after": "5" } })
        : sendJson(out, completion(1, 1)),
    );
    const clock = testClock();
    await using meter = await openMeter({ clock });
    await using run = meter.openRun({ access: accessTo(provider.url) });

    const response = await ask(run.access, question("Go"));

    expect(response.status).toBe(200);
    expect(clock.sleeps).toEqual([5_000, 5_000]);
    expect(run.calls).toMatchObject([{ number: 1, status: 200, startedMs: 0, durationMs: 0 }]);
    expect(run.waitedMs).toBe(10_000);
  });

  it("gets it seven times, and then the host sees the error", async () => {
    await using provider = await openPricingServer((out) => sendJson(out, busy, { status: 529 }));
    const clock = testClock();
    await using meter = await openMeter({ clock });
    await using run = meter.openRun({ access: accessTo(provider.url) });

    const response = await ask(run.access, question("Go"));

    expect([response.status, await response.json()]).toEqual([529, busy]);
    expect(provider.requests).toHaveLength(7);
    expect(run.calls).toMatchObject([{ number: 1, status: 529, error: "slow down", dollars: 0 }]);
  });

  it("lets the calls of other runs wait too", async () => {
    await using provider = await openPricingServer((out, _, index) =>
      index === 0
        ? sendJson(out, busy, { status: 503, headers: { "retry-after": "9" } })
        : sendJson(out, completion(1, 1)),
    );
    const asleep = Promise.withResolvers<void>();
    const wake = Promise.withResolvers<void>();
    let now = 0;
    const clock = {
      now: () => now,
      sleep: async () => {
        asleep.resolve();
        await wake.promise;
        now = 9_000;
      },
    };
    await using meter = await openMeter({ clock });
    await using one = meter.openRun({ access: accessTo(provider.url) });
    await using other = meter.openRun({ access: accessTo(provider.url) });

    const first = ask(one.access, question("One"));
    await asleep.promise;
    const second = ask(other.access, question("Two"));
    // The second request has arrived at the meter as soon as its run waits.
    now = 1;
    while (other.waitedMs === 0) {
      now += 1;
      await new Promise(setImmediate);
    }
    expect(provider.requests).toHaveLength(1);
    wake.resolve();
    await Promise.all([first, second]);

    expect(provider.requests).toHaveLength(3);
  });

  it("gets no repetition of a host that has gone", async () => {
    await using provider = await openPricingServer((out) => sendJson(out, busy, { status: 429 }));
    const asleep = Promise.withResolvers<void>();
    const clock = {
      now: () => 0,
      sleep: async (_: number, signal: AbortSignal) => {
        asleep.resolve();
        if (!signal.aborted) await once(signal, "abort");
      },
    };
    await using meter = await openMeter({ clock });
    await using run = meter.openRun({ access: accessTo(provider.url) });
    const leaving = new AbortController();
    const asked = ask(run.access, question("Go"), { signal: leaving.signal });

    await asleep.promise;
    leaving.abort();
    await expect(asked).rejects.toThrow("aborted");
    while (run.calls.length === 0) await new Promise(setImmediate);

    expect(provider.requests).toHaveLength(1);
    expect(run.calls).toMatchObject([{ status: 429, dollars: 0 }]);
  });
});

it("sends no more requests in a minute than the limit, of all runs", async () => {
  await using provider = await openPricingServer((out) => sendJson(out, completion(1, 1)));
  const clock = testClock(0);
  await using meter = await openMeter({ requestsPerMinute: 2, clock });
  const runs = [1, 2, 3].map(() => meter.openRun({ access: accessTo(provider.url) }));

  await Promise.all(runs.map(({ access }) => ask(access, question("Go"))));

  expect(clock.sleeps).toEqual([60_000]);
  expect(runs.flatMap(({ calls }) => calls.map(({ startedMs }) => startedMs))).toEqual([0, 0, 0]);
});
