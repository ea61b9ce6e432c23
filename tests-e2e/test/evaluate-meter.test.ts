import {
  type MeterClock,
  type MeteredRun,
  type ModelAccess,
  openAiSdkHost,
  openMeter,
  openPiHost,
  resolveModel,
} from "@self-context-manager/evaluate";
import {
  openAnthropicModel,
  openLoopbackModel,
  openLoopbackServer,
  type Reply,
  toolCalls,
} from "@self-context-manager/evaluate/loopback";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";

import { openHostRun, runKey } from "../src/host-run.ts";
import { piInstallation, piVersions } from "../src/pi-versions.ts";

const answer = (text: string): Reply => ({ type: "text", text });

const prices = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };

/** A clock that is later by each wait, without waiting. */
function fastClock(): MeterClock {
  let later = 0;
  return {
    now: () => Date.now() + later,
    sleep: async (milliseconds) => {
      later += milliseconds;
      await Promise.resolve();
    },
  };
}

describe("the AI SDK through the meter", () => {
  test.each([
    [
      "anthropic-messages" as const,
      async () => await openAnthropicModel({ script: () => answer("fine") }),
    ],
    [
      "openai-completions" as const,
      async () => await openLoopbackModel({ script: [answer("fine")] }),
    ],
  ])(
    "reports the usage of %s, and ends the turn at once when the budget is spent",
    async (api, open) => {
      await using model = await open();
      await using meter = await openMeter({ budget: 0.000_001 });
      let metered: MeteredRun | undefined;
      await using run = await openHostRun({
        host: await openAiSdkHost(),
        arm: "default",
        script: [],
        access: { api, url: model.url, prices },
        through: (access) => (metered = meter.openRun({ access })).access,
      });

      const first = await run.prompt("one");
      const second = await run.prompt("two");

      expect(first.text).toBe("fine");
      expect(second.error).toContain("out of budget");
      expect(metered?.calls).toMatchObject([{ status: 200, dollars: expect.any(Number) }]);
      expect(metered?.calls[0]).not.toHaveProperty("isBound");
      expect(metered).toMatchObject({ refused: 1, stopped: "budget" });
      expect(model.requests).toHaveLength(1);
    },
  );
});

describe.each(piVersions)("Pi $version through the meter", (pi) => {
  const host = openPiHost({ cli: piInstallation(pi).packageFolder });

  test("works as without it, and each call is recorded with its usage", async () => {
    const script = [toolCalls(["c1", "read", { path: "a.txt" }]), answer("It is 4711.")];
    await using meter = await openMeter();
    let metered: MeteredRun | undefined;
    await using run = await openHostRun({
      host,
      arm: "default",
      files: { "a.txt": "The port is 4711.\n" },
      script,
      access: { prices },
      through: (access) => (metered = meter.openRun({ access })).access,
    });

    const said = await run.prompt("Which port?");

    const output = { output: expect.any(Number), cacheWrite: 0 };
    expect(said).toEqual({ text: "It is 4711." });
    expect(metered?.calls).toMatchObject([
      { number: 1, status: 200, usage: output, dollars: expect.any(Number) },
      { number: 2, status: 200, usage: output, dollars: expect.any(Number) },
    ]);
    expect(metered?.answers).toEqual([
      { text: "", toolCalls: [{ name: "read", arguments: '{"path":"a.txt"}' }] },
      { text: "It is 4711.", toolCalls: [] },
    ]);
    expect(metered?.requestBody(1)).toContain("Which port?");
    expect(metered?.requestBody(2)).toContain("The port is 4711.");
  });

  test("does not see that a provider is busy for a while", async () => {
    const busy: Reply = { type: "error", status: 429, message: "slow down" };
    await using meter = await openMeter({ clock: fastClock() });
    let metered: MeteredRun | undefined;
    await using run = await openHostRun({
      host,
      arm: "plain",
      script: [busy, busy, answer("fine")],
      through: (access) => (metered = meter.openRun({ access })).access,
    });

    expect(await run.prompt("one")).toEqual({ text: "fine" });
    expect(metered?.calls).toHaveLength(1);
    expect(metered?.waitedMs).toBeGreaterThanOrEqual(6_000);
  });

  test.each([
    ["the budget is spent", { budget: 0.000_001 }, undefined, "out of budget", "budget"],
    ["the run has had its last call", {}, 1, "most model calls", "call-limit"],
  ])("ends the turn at once when %s", async (_, options, callLimit, message, stopped) => {
    await using meter = await openMeter(options);
    let metered: MeteredRun | undefined;
    const limited = callLimit === undefined ? {} : { callLimit };
    await using run = await openHostRun({
      host,
      arm: "plain",
      script: [answer("fine")],
      access: { prices },
      through: (access) => (metered = meter.openRun({ access, ...limited })).access,
    });

    const first = await run.prompt("one");
    const second = await run.prompt("two");

    expect(first.text).toBe("fine");
    expect(second.error).toContain(message);
    // Pi asks once, and does not try again.
    expect(metered).toMatchObject({ refused: 1, stopped });
    expect(run.model.requests).toHaveLength(1);
  });

  test.each([
    ["anthropic-messages" as const, "x-api-key", runKey],
    ["openai-completions" as const, "authorization", `Bearer ${runKey}`],
    ["openai-responses" as const, "authorization", `Bearer ${runKey}`],
    ["google-generative-ai" as const, "x-goog-api-key", runKey],
  ])("sends %s with the key in %s", async (api, header, value) => {
    const keys: unknown[] = [];
    await using provider = await openLoopbackServer(
      async (_, __, outgoing) => {
        keys.push(outgoing.req.headers[header]);
        outgoing.writeHead(401, { "content-type": "application/json" });
        outgoing.end(JSON.stringify({ error: { code: 401, message: "no such key" } }));
      },
      () => undefined,
    );
    await using meter = await openMeter();
    let metered: MeteredRun | undefined;
    await using run = await openHostRun({
      host,
      arm: "plain",
      script: [],
      access: { api, url: `${provider.origin}/v1` },
      through: (access) => (metered = meter.openRun({ access })).access,
    });

    const { error } = await run.prompt("one");

    expect(error).toContain("no such key");
    expect(keys).toEqual([value]);
    expect(metered?.calls).toMatchObject([{ status: 401, error: "no such key" }]);
  });

  test("has models in its registry that can be used", async () => {
    const home = await mkdtemp(join(tmpdir(), "scm-registry-"));
    const environment = { HOME: home, ANTHROPIC_API_KEY: "key-1" };
    // Releases before 0.87 read the environment of the process.
    vi.stubEnv("ANTHROPIC_API_KEY", "key-1");
    const find = async (name: string): Promise<ModelAccess> =>
      await resolveModel({ name, piFolder: piInstallation(pi).packageFolder, environment });

    expect(await find("anthropic/claude-sonnet-4-5")).toMatchObject({
      api: "anthropic-messages",
      url: "https://api.anthropic.com",
      key: "key-1",
      prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    });
    await expect(find("anthropic/claude-sonet-4-5")).rejects.toThrow(
      /Similar names: anthropic\/claude-sonnet-4-5/u,
    );
    vi.unstubAllEnvs();
    await rm(home, { recursive: true });
  });
});
