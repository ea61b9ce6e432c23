import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, test } from "vitest";

import { openLoopbackModel } from "../src/loopback-model.ts";
import type { LoopbackModel } from "../src/loopback-model.ts";
import { passThroughExtension } from "../src/pass-through-extension.ts";
import { piCommand } from "../src/pi-command.ts";
import { piPrint } from "../src/pi-print.ts";
import { openPiRpc } from "../src/pi-rpc.ts";
import { openPiSdk } from "../src/pi-sdk.ts";
import { piVersions } from "../src/pi-versions.ts";
import { openPiWorkspace } from "../src/pi-workspace.ts";

const passThrough = fileURLToPath(new URL("../src/pass-through-extension.ts", import.meta.url));
const files = { "greeting.txt": "hello from a real file\n" };

const readOnce = async (): Promise<LoopbackModel> =>
  openLoopbackModel({
    script: [
      {
        type: "tool-calls",
        text: "I will read it.",
        calls: [{ id: "call_read", name: "read", arguments: { path: "greeting.txt" } }],
      },
      { type: "text", text: "It greets." },
    ],
  });

/** Checks both calls of a plain session as the provider receives them, with any driver. */
const expectReadOnTheWire = (model: LoopbackModel): void => {
  expect(model.failures).toEqual([]);
  expect(model.requests.map((request) => request.messages.map((message) => message.role))).toEqual([
    ["system", "user"],
    ["system", "user", "assistant", "tool"],
  ]);
  const [first, second] = model.requests;
  expect(first?.messages[1]?.text).toBe("read the greeting");
  expect(first?.tools.map((tool) => tool.name).toSorted()).toEqual([
    "bash",
    "edit",
    "read",
    "write",
  ]);
  expect(second?.messages[2]?.toolCalls).toEqual([
    { id: "call_read", name: "read", arguments: '{"path":"greeting.txt"}' },
  ]);
  expect(second?.messages[3]).toMatchObject({
    toolCallId: "call_read",
    text: "hello from a real file\n",
  });
  expect(second?.sharedBytes).toBeGreaterThan((first?.byteLength ?? 0) / 4);
};

describe.each(piVersions)("Pi $version", (pi) => {
  test("print mode sends a plain read and prints the last answer", async () => {
    await using model = await readOnce();
    await using workspace = await openPiWorkspace({ model, files });

    const exit = await piPrint({
      pi,
      workspace,
      prompt: "read the greeting",
      extensions: [passThrough],
    });

    expect(exit).toMatchObject({ exitCode: 0, stdout: "It greets.\n" });
    expectReadOnTheWire(model);
    expect(await readFile(exit.sessionFile ?? "", "utf8")).toContain("hello from a real file");
  });

  test("RPC mode is at rest after each prompt and keeps the session", async () => {
    await using model = await readOnce();
    await using workspace = await openPiWorkspace({ model, files });
    await using rpc = await openPiRpc({ pi, workspace, extensions: [passThrough] });

    await rpc.prompt("read the greeting");
    const answer = await rpc.send({ type: "get_last_assistant_text" });
    const exit = await rpc.close();

    expect(answer["data"]).toEqual({ text: "It greets." });
    expectReadOnTheWire(model);
    expect(exit.exitCode).toBe(0);
    expect(await readFile(exit.sessionFile ?? "", "utf8")).toContain("hello from a real file");
  });

  test("the SDK runs the same session in this process", async () => {
    await using model = await readOnce();
    await using workspace = await openPiWorkspace({ model, files });
    await using sdk = await openPiSdk({
      pi,
      workspace,
      extensions: [passThrough],
      factories: [passThroughExtension],
    });

    await sdk.prompt("read the greeting");

    expect(sdk.errors).toEqual([]);
    expectReadOnTheWire(model);
    expect(await readFile(sdk.session.sessionFile ?? "", "utf8")).toContain("It greets.");
  });

  test("an error of the provider ends print mode with a failing exit code", async () => {
    await using model = await openLoopbackModel({
      script: [{ type: "error", status: 400, message: "no such luck" }],
    });
    await using workspace = await openPiWorkspace({ model });

    const exit = await piPrint({ pi, workspace, prompt: "anything" });

    expect(exit.exitCode).toBe(1);
    expect(exit.stderr).toContain("no such luck");
  });

  test("a run that hangs can be aborted over RPC", async () => {
    await using model = await openLoopbackModel({ script: [{ type: "hang", text: "well" }] });
    await using workspace = await openPiWorkspace({ model });
    await using rpc = await openPiRpc({ pi, workspace });

    await rpc.send({ type: "prompt", message: "think for ever" });
    await model.received(0);
    await rpc.send({ type: "abort" });
    await rpc.rest();

    expect(rpc.events.map((line) => line.type)).toContain("agent_end");
  });

  test("RPC mode waits for the retry after an overflow and its compaction", async () => {
    await using model = await openLoopbackModel({
      // The number of calls for a summary differs by release. They are the calls that offer no tools.
      script: ({ tools }, index) => {
        if (index === 1) {
          return { type: "error", status: 400, message: "maximum context length is 2000 tokens" };
        }
        return { type: "text", text: tools.length === 0 ? "a summary" : `answer ${index}` };
      },
    });
    await using workspace = await openPiWorkspace({
      model,
      settings: { compaction: { enabled: true, reserveTokens: 1_000, keepRecentTokens: 1 } },
    });
    await using rpc = await openPiRpc({ pi, workspace });

    await rpc.prompt("first question");
    await rpc.prompt("second question");
    const answer = await rpc.send({ type: "get_last_assistant_text" });

    expect(model.failures).toEqual([]);
    expect(answer["data"]).toEqual({ text: `answer ${model.requests.length - 1}` });
    expect(rpc.events.filter((line) => line.type === "agent_start")).toHaveLength(3);
  });

  test("an extension that `pi install` has installed is loaded only with discovery", async () => {
    await using model = await openLoopbackModel({ script: () => ({ type: "text", text: "fine" }) });
    await using workspace = await openPiWorkspace({ model });
    const log = join(workspace.workFolder, "seen.log");
    const run = { pi, workspace, prompt: "hello", environment: { PASS_THROUGH_LOG: log } };

    const installed = await piCommand({ pi, workspace, arguments: ["install", passThrough] });
    await piPrint(run);
    const withoutDiscovery = existsSync(log);
    await piPrint({ ...run, discovery: true });

    expect(installed.exitCode).toBe(0);
    expect(withoutDiscovery).toBe(false);
    expect(await readFile(log, "utf8")).toContain("hello");
  });

  test("a process past its deadline is ended and reported", async () => {
    await using model = await openLoopbackModel({ script: [{ type: "hang", text: "" }] });
    await using workspace = await openPiWorkspace({ model });

    const run = piPrint({ pi, workspace, prompt: "think for ever", deadlineMs: 1_500 });

    await expect(run).rejects.toThrow(/did not end in 1500 ms/u);
  });
});
