import { describe, expect, it } from "vitest";

import { isJsonObject } from "@self-context-manager/core/host";
import type { OpenClawMessage } from "../src/openclaw-messages.ts";
import { type FakeCall, fakeGateway, type FakeRequest } from "./fake-gateway.ts";

const long = "a line of a long file\n".repeat(450);

function command(name: string, output = long): FakeCall {
  return { name: "exec", args: { command: `print ${name}` }, result: `${name}\n${output}` };
}

/** A long output, which leaves the view within the turn. */
const leaves: readonly FakeCall[] = [
  command("first"),
  { name: "deactivate", args: { id: "t1" } },
  ...Array.from({ length: 72 }, (_, index) => command(`step ${index}`, "")),
];

function shows(request: FakeRequest | undefined, text: string): boolean {
  return timesShown(request, text) > 0;
}

function timesShown(request: FakeRequest | undefined, text: string): number {
  return request?.texts.reduce((sum, one) => sum + one.split(text).length - 1, 0) ?? 0;
}

/** A message as the host shows it in later turns: the ids of calls have letters and digits only. */
function inHistory(message: OpenClawMessage): OpenClawMessage {
  const { toolCallId, content } = message;
  if (typeof toolCallId === "string")
    return { ...message, toolCallId: toolCallId.replaceAll(/\W|_/gu, "") };
  if (!Array.isArray(content)) return message;
  const blocks: readonly unknown[] = content;
  const renamed = blocks.map((block) =>
    isJsonObject(block) && typeof block["id"] === "string"
      ? { ...block, id: block["id"].replaceAll(/\W|_/gu, "") }
      : block,
  );
  return { ...message, content: renamed };
}

/** The host cuts old results when all of them together are too long. */
function cut(message: OpenClawMessage): OpenClawMessage {
  if (message.role !== "toolResult") return message;
  const text = "[... 8000 more characters truncated; rerun with narrower args if needed]";
  return { ...message, content: [{ type: "text", text }] };
}

/** The messages of a turn that the host made without the plugin. */
function turnWithout({ name, args }: FakeCall, output: string): OpenClawMessage[] {
  const call = { type: "toolCall", id: "call_9", name, arguments: args };
  const said = { type: "text", text: "seen" };
  return [
    { role: "user", content: "look", timestamp: 1_000_000 },
    { role: "assistant", content: [call], stopReason: "toolUse", timestamp: 1_000_001 },
    {
      role: "toolResult",
      toolCallId: "call_9",
      toolName: name,
      content: [{ type: "text", text: output }],
      isError: false,
      timestamp: 1_000_002,
    },
    { role: "assistant", content: [said], stopReason: "stop", timestamp: 1_000_003 },
  ];
}

describe("a turn in OpenClaw", () => {
  it("shows results with their handles in the turn itself", async () => {
    await using gateway = await fakeGateway();

    const [, second] = await gateway.turn("go", [command("one")]);

    expect(second?.texts.find((text) => text.includes("one\n"))).toMatch(/^t1 ok/u);
    expect(gateway.warnings).toEqual([]);
  });

  it("leaves out within the turn what was deactivated", async () => {
    await using gateway = await fakeGateway();

    const requests = await gateway.turn("go", leaves);

    expect(shows(requests[1], "first\n")).toBe(true);
    expect(shows(requests.at(-1), "first\n")).toBe(false);
    expect(gateway.warnings).toEqual([]);
  });

  it("shows an activated content in the next request", async () => {
    await using gateway = await fakeGateway();
    await gateway.turn("go", leaves);

    const [before, after] = await gateway.turn("back", [{ name: "activate", args: { id: "t1" } }]);

    expect(shows(before, "first\n")).toBe(false);
    expect(timesShown(after, "first\n")).toBe(1);
  });

  it("has the beginning of an activated content in the transcript, and not in a request", async () => {
    await using gateway = await fakeGateway();
    await gateway.turn("go", leaves);

    const requests = await gateway.turn("back", [{ name: "activate", args: { id: "t1" } }]);
    const [next] = await gateway.turn("on");

    const results = gateway.messages.filter(({ toolName }) => toolName === "activate");
    const written = results.map(({ content }) => JSON.stringify(content));
    expect(written).toHaveLength(1);
    expect(written[0]).toContain(
      "[shown in the context; it begins with]\\nfirst\\na line of a long",
    );
    expect(written[0]?.length).toBeLessThan(2500);
    for (const request of [...requests, next]) expect(shows(request, "[shown in the")).toBe(false);
    expect(gateway.warnings).toEqual([]);
  });

  it("shows what the host shows of a long result, and stores all of it", async () => {
    await using gateway = await fakeGateway();
    const output = Array.from({ length: 4000 }, (_, index) => `line ${index + 1}\n`).join("");
    const activate = { name: "activate", args: { id: "t1", from: 3990, to: 3992 } };

    const [, second, third] = await gateway.turn("go", [command("all", output), activate]);

    expect(shows(second, "line 2000\n")).toBe(true);
    expect(shows(second, "line 3991\n")).toBe(false);
    expect(shows(third, "line 3991\n")).toBe(true);
    expect(second?.texts.find((text) => text.includes("line 1\n"))).toMatch(
      /^t1 ok lines 1-\d+ of 4002?/u,
    );
    expect(gateway.warnings).toEqual([]);
  });

  it("stores all of a long result also if the store did not work in its turn", async () => {
    let isFull = false;
    await using gateway = await fakeGateway({
      open: async () => {
        if (isFull) throw new Error("the store is full");
        await Promise.resolve();
      },
    });
    const output = Array.from({ length: 4000 }, (_, index) => `line ${index + 1}\n`).join("");
    const activate = { name: "activate", args: { id: "t1", from: 3990, to: 3992 } };

    isFull = true;
    const [, during] = await gateway.turn("go", [command("all", output)]);
    isFull = false;
    const [, after] = await gateway.turn("on", [activate]);

    expect(during?.texts.some((text) => text.startsWith("t1 ok"))).toBe(false);
    expect(shows(after, "line 3991\n")).toBe(true);
  });

  it("sends the same bytes in the next turn", async () => {
    await using gateway = await fakeGateway();

    const first = await gateway.turn("go", [command("one")]);
    const [next] = await gateway.turn("on");

    const sent = first.at(-1)?.texts ?? [];
    expect(next?.texts.slice(0, sent.length)).toEqual(sent);
  });

  it("sends the same bytes when the host shows fewer messages, changes ids and cuts results", async () => {
    const history = (messages: readonly OpenClawMessage[]): readonly OpenClawMessage[] =>
      messages.slice(-7).map((message) => inHistory(message));
    const limit = (messages: readonly OpenClawMessage[]): readonly OpenClawMessage[] =>
      messages.map((message, index) => (index < messages.length - 4 ? cut(message) : message));
    await using gateway = await fakeGateway({ history, limit });

    const requests: FakeRequest[] = [];
    for (const turn of [1, 2, 3, 4, 5, 6])
      requests.push(...(await gateway.turn(`turn ${turn}`, [command(`one ${turn}`)])));

    const last = requests.at(-1);
    expect(last?.callIds).toHaveLength(12);
    for (const { texts, callIds } of requests) {
      expect(last?.texts.slice(0, texts.length)).toEqual(texts);
      expect(last?.callIds.slice(0, callIds.length)).toEqual(callIds);
    }
    expect(gateway.warnings).toEqual([]);
  });

  it("keeps sessions with the same first texts apart", async () => {
    await using gateway = await fakeGateway();

    await gateway.turn("go", [command("one")], "agent:main:one");
    const [, other] = await gateway.turn("go", [command("two")], "agent:main:two");

    expect(shows(other, "one\n")).toBe(false);
    expect(shows(other, "two\n")).toBe(true);
  });

  it("begins empty after a reset", async () => {
    await using gateway = await fakeGateway();
    await gateway.turn("go", [command("one")]);

    gateway.entry = { lifecycleRevision: "2" };
    gateway.messages = [];
    const [first, second] = await gateway.turn("again", [command("two")]);

    expect(first?.texts).toEqual(["[Thu 2026-11-26 03:00 UTC] again"]);
    expect(second?.texts.at(-1)).toMatch(/^t1 ok/u);
    expect(gateway.opened).toHaveLength(2);
  });

  it("has a file that was read before the plugin was installed once", async () => {
    const content = "first line\nsecond line\n";
    await using gateway = await fakeGateway({ files: { "a.txt": content } });
    const read = { name: "read", args: { path: "a.txt" }, result: content };
    gateway.messages = turnWithout(read, content);

    const [first, second] = await gateway.turn("again", [read]);

    expect(first?.texts.filter((text) => text.startsWith("f1 a.txt v1\n"))).toHaveLength(1);
    expect(timesShown(second, "second line")).toBe(1);
  });

  it("says which results it has only in part", async () => {
    await using gateway = await fakeGateway();
    const mark = "[... 8000 more characters truncated; rerun with narrower args if needed]";
    gateway.messages = turnWithout(command("old"), `the beginning${mark}`);

    const sessionKey = "agent:main:one";
    await gateway.turn("again", [command("new", "line\n".repeat(9000))]);
    const listed = await gateway.runtime.command("", { sessionKey, sessionId: "s1" });

    const inPart = listed.split("\n").filter((line) => line.includes("kept in part"));
    expect(inPart.map((line) => line.split(" ")[0])).toEqual(["t1"]);
  });

  it("follows a user who goes back to the beginning", async () => {
    await using gateway = await fakeGateway();
    await gateway.turn("go", [command("one")]);

    gateway.messages = [];
    const [first, second] = await gateway.turn("from the start", [command("two")]);

    expect(first?.texts).toEqual(["[Thu 2026-11-26 03:00 UTC] from the start"]);
    expect(shows(second, "one\n")).toBe(false);
    expect(shows(second, "two\n")).toBe(true);
    expect(gateway.warnings).toEqual([]);
  });

  it("records the host's system prompt and adds the instruction and the host's memory", async () => {
    await using gateway = await fakeGateway();

    const [first] = await gateway.turn("go");

    expect(first?.instruction).toContain("Memory.");
    expect(first?.instruction).toContain("# Objects");
  });
});

describe("a turn whose texts cannot be changed", () => {
  it.each([
    ["the transform is missing", (text: string) => text],
    [
      "another plugin changes texts before",
      (text: string, own: (one: string) => string) => own(text.replaceAll("line", "[masked]")),
    ],
  ])("keeps the history managed if %s", async (_name, transform) => {
    await using gateway = await fakeGateway({ transform });

    await gateway.turn("go", [command("one"), command("two")]);
    const requests = await gateway.turn("on", [command("three")]);

    expect(gateway.warnings).toHaveLength(1);
    expect(gateway.warnings[0]).toContain("Only the messages before the current turn are managed");
    expect(requests[0]?.texts.some((text) => text.startsWith("t1 ok"))).toBe(true);
  });

  it("does not count as one if the model gets another prompt than the transcript", async () => {
    await using gateway = await fakeGateway({
      transform: (text, own) => own(text.replace(/^.*heartbeat poll$/u, "Look at your notes.")),
    });

    await gateway.turn("heartbeat poll");
    const [, second] = await gateway.turn("go", [command("one")]);

    expect(second?.texts.find((text) => text.includes("one\n"))).toMatch(/^t1 ok/u);
    expect(gateway.warnings).toEqual([]);
  });

  it("is managed again in the run after the one whose texts have passed", async () => {
    let isMissing = true;
    const place = { sessionId: "s1", sessionKey: "agent:main:one" };
    await using gateway = await fakeGateway({
      transform: (text, own) => (isMissing ? text : own(text)),
    });

    await gateway.turn("go", [command("one")]);
    await gateway.turn("still", [command("two")]);
    const still = await gateway.runtime.command("", place);
    isMissing = false;
    const [, during] = await gateway.turn("on", [command("three")]);
    const [, after] = await gateway.turn("again", [command("four")]);
    const then = await gateway.runtime.command("", place);

    expect(still).toContain("the host did not pass the texts of the request");
    expect(during?.texts.find((text) => text.includes("three\n"))).toMatch(/^three/u);
    expect(after?.texts.find((text) => text.includes("four\n"))).toMatch(/^t4 ok/u);
    expect(then).not.toContain("did not pass");
    expect(gateway.warnings).toHaveLength(1);
  });

  it("shows the content in the result of activate", async () => {
    await using gateway = await fakeGateway({ transform: (text) => text });
    await gateway.turn("go", leaves);

    const requests = await gateway.turn("on", [{ name: "activate", args: { id: "t1" } }]);

    expect(shows(requests[0], "first\n")).toBe(false);
    expect(shows(requests[1], "first\n")).toBe(true);
  });

  it("changes each text once if the transform is applied twice", async () => {
    await using gateway = await fakeGateway({ transform: (text, own) => own(own(text)) });

    const [, second] = await gateway.turn("go", [command("one")]);

    expect(second?.texts.find((text) => text.includes("one\n"))).toMatch(/^t1 ok[^\n]*\n~~~\none/u);
    expect(gateway.warnings).toEqual([]);
  });

  it("keeps the view if another plugin changes texts after", async () => {
    await using gateway = await fakeGateway({
      transform: (text, own) => own(text).replaceAll("line", "row"),
    });

    const [, second] = await gateway.turn("go", [command("one")]);

    expect(shows(second, "t1 ok")).toBe(true);
    expect(gateway.warnings).toEqual([]);
  });
});

describe("managed context that is off", () => {
  it("sends the host's own messages and no instruction", async () => {
    await using gateway = await fakeGateway({ isOff: true });

    const [first, second] = await gateway.turn("go", [command("one")]);

    expect(first?.instruction).not.toContain("# Objects");
    expect(shows(second, `one\n${long}`)).toBe(true);
    expect(second?.texts.some((text) => text.startsWith("t1"))).toBe(false);
  });

  it("is switched by the user's command before the first turn too", async () => {
    await using gateway = await fakeGateway();

    const answer = await gateway.runtime.command("off", { sessionKey: "agent:main:one" });
    const [first] = await gateway.turn("go");

    expect(answer).toContain("Managed context is off");
    expect(first?.instruction).not.toContain("# Objects");
  });

  it("names the command that shows the session in a browser, and no secret", async () => {
    await using gateway = await fakeGateway();
    await gateway.turn("go");
    const [id] = gateway.opened;

    const context = { sessionKey: "agent:main:one", sessionId: "s1" };
    const answer = await gateway.runtime.command("inspect", context);

    expect(answer).toContain(`scm inspect '${id}' --store sqlite --at /data/store.sqlite`);
    expect(answer).not.toContain("token");
  });

  it("is reported before the first turn without a sign of a failure", async () => {
    await using gateway = await fakeGateway();

    const answer = await gateway.runtime.command("", { sessionKey: "agent:main:one" });

    expect(answer).toBe(
      "This session has had no request since the gateway started.\nNo objects are known yet.",
    );
  });
});

describe("the sessions of a gateway", () => {
  it("stay open only while they are used, and continue as before", async () => {
    await using gateway = await fakeGateway();
    const first = await gateway.turn("go", [command("one")]);

    for (let other = 0; other < 70; other += 1)
      await gateway.turn("go", [], `agent:main:other${other}`);
    const [again] = await gateway.turn("on");

    const sent = first.at(-1)?.texts ?? [];
    expect(again?.texts.slice(0, sent.length)).toEqual(sent);
    expect(gateway.opened.filter((id) => id === gateway.opened[0])).toHaveLength(2);
    expect(gateway.warnings).toEqual([]);
  });

  it("are closed without an error for the host if the store cannot be closed", async () => {
    const close = async (): Promise<void> => await Promise.reject(new Error("no such folder"));
    await using gateway = await fakeGateway({ close });
    await gateway.turn("go");

    await gateway.runtime.close();

    expect(gateway.warnings).toEqual(["self-context-manager: no such folder"]);
  });

  it("are the same for a turn that is accepted twice", async () => {
    await using gateway = await fakeGateway();
    await gateway.turn("go", [command("one")]);

    const context = { sessionKey: "agent:main:one" };
    expect(await gateway.runtime.turnEnded(context, "run 1")).toBe("duplicate");
    expect(await gateway.runtime.turnEnded(context, "run 2")).toBe("committed");
  });

  it("are compacted for the user: what is not pinned leaves", async () => {
    await using gateway = await fakeGateway();
    const pin = { name: "pin", args: { id: "t2" } };
    await gateway.turn("go", [command("one"), command("two"), pin]);

    const compact = { sessionId: "s1", sessionKey: "agent:main:one" };
    const made = await gateway.runtime.compact(compact);
    const [next] = await gateway.turn("on");
    const again = await gateway.runtime.compact(compact);

    expect(made).toMatchObject({ ok: true, compacted: true });
    expect(shows(next, "one\n")).toBe(false);
    expect(shows(next, "two\n")).toBe(true);
    expect(shows(next, "go")).toBe(true);
    expect(again).toMatchObject({ compacted: false });
  });
});
