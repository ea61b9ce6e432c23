import { piExtension } from "@self-context-manager/adapter-pi";
import {
  openLoopbackModel,
  type Reply,
  toolCalls,
  type WireRequest,
} from "@self-context-manager/evaluate/loopback";
import { describe, expect, test } from "vitest";

import { adapterFolder, openIn, pooled } from "../src/managed-run.ts";
import { fileHandle, managedFiles, secretOf } from "../src/managed-script.ts";
import { openPiRpc } from "../src/pi-rpc.ts";
import { openPiSdk, type PiSdkSession } from "../src/pi-sdk.ts";
import { piVersions } from "../src/pi-versions.ts";
import { openPiWorkspace } from "../src/pi-workspace.ts";
import { illegalities, namedHandles, saidTo, shownHandles } from "../src/wire-rules.ts";

const text = (said: string): Reply => ({ type: "text", text: said });

const common = { extensions: [adapterFolder], environment: pooled };

/** Returns the user's prompts in a request that are among the known ones. */
const prompts = ({ messages }: WireRequest, known: readonly string[]): readonly string[] =>
  messages
    .filter(({ role }) => role === "user")
    .flatMap(({ text: said }) => (known.includes(said) ? [said] : []));

const last = (requests: readonly WireRequest[]): WireRequest => {
  const request = requests.at(-1);
  if (request === undefined) throw new Error("there is no request");
  return request;
};

const count = (request: WireRequest, part: string): number =>
  saidTo(request).split(part).length - 1;

describe.each(piVersions)("Pi $version", (pi) => {
  test("continues after kill -9 with its state, including the prompt of the killed run", async () => {
    const said = ["look", "go on", "and now"];
    await using model = await openLoopbackModel({
      script: [
        toolCalls(
          ["call_1", "read", { path: "a.txt" }],
          ["call_2", "bash", { command: "echo two" }],
        ),
        toolCalls(["call_3", "pin", { id: "t2" }]),
        (request) => toolCalls(["call_4", "deactivate", { id: fileHandle(request, "a.txt") }]),
        text("done"),
        toolCalls(["call_5", "bash", { command: "echo five" }]),
        { type: "hang", text: "I was about to" },
        text("here again"),
      ],
    });
    await using workspace = await openPiWorkspace({ model, files: managedFiles });
    await using killed = await openPiRpc({ pi, workspace, ...common });
    await killed.prompt("look");
    await killed.send({ type: "prompt", message: "go on" });
    await model.received(5);
    await killed.kill();
    await using rpc = await openPiRpc({ pi, workspace, ...common, arguments: ["-c"] });
    await rpc.prompt("and now");

    const [before, after] = [model.requests[5], last(model.requests)];
    expect(model.failures).toEqual([]);
    expect(illegalities(after)).toEqual([]);
    expect(prompts(after, said)).toEqual(said);
    expect(count(after, secretOf("a.txt"))).toBe(0);
    expect(namedHandles(after, "Pinned")).toEqual(["t2"]);
    expect(shownHandles(after)).toEqual(before === undefined ? [] : shownHandles(before));
    expect(after.messages.filter(({ role }) => role === "tool").map((one) => one.text)).toEqual(
      before?.messages.filter(({ role }) => role === "tool").map((one) => one.text),
    );
  });

  test("restores the contents of an earlier point and of an abandoned branch when the user goes there", async () => {
    await using model = await openLoopbackModel({
      script: [
        toolCalls(["call_1", "read", { path: "a.txt" }]),
        text("one"),
        (request) => toolCalls(["call_2", "deactivate", { id: fileHandle(request, "a.txt") }]),
        toolCalls(["call_3", "read", { path: "docs/b.txt" }]),
        text("two"),
        text("three"),
        text("four"),
      ],
    });
    await using workspace = await openPiWorkspace({ model, files: managedFiles });
    const factories = [piExtension({ openContext: openIn(workspace) })];
    await using sdk = await openPiSdk({ pi, workspace, factories });
    await sdk.prompt("first");
    await sdk.prompt("a wrong turn");
    const end = sdk.session.sessionManager.getLeafId() ?? "";
    await sdk.session.navigateTree(promptEntry(sdk.session, "a wrong turn"));
    await sdk.prompt("another turn");
    const back = last(model.requests);
    await sdk.session.navigateTree(end);
    await sdk.prompt("the wrong turn again");

    const known = ["first", "a wrong turn", "another turn", "the wrong turn again"];
    const returned = last(model.requests);
    const shown = (request: WireRequest): readonly number[] =>
      ["a.txt", "b.txt"].map((name) => count(request, secretOf(name)));
    expect({ failures: model.failures, errors: sdk.errors }).toEqual({ failures: [], errors: [] });
    expect([back, returned].map(illegalities)).toEqual([[], []]);
    expect(prompts(back, known)).toEqual(["first", "another turn"]);
    expect(shown(back)).toEqual([1, 0]);
    expect(prompts(returned, known)).toEqual(["first", "a wrong turn", "the wrong turn again"]);
    expect(shown(returned)).toEqual([0, 1]);
  });

  test("reports once in each of two processes that the other has the session open, and both continue", async () => {
    await using model = await openLoopbackModel({
      script: (request, index) => {
        const isAsked = request.messages.findLast(({ role }) => role !== "user")?.role !== "tool";
        const id = `call_${index}`;
        return isAsked
          ? toolCalls([id, "bash", { command: `echo ${id}` }])
          : text(`answer ${index}`);
      },
    });
    await using workspace = await openPiWorkspace({ model, files: managedFiles });
    await using first = await openPiRpc({ pi, workspace, ...common });
    await first.prompt("one");
    await using second = await openPiRpc({ pi, workspace, ...common, arguments: ["-c"] });
    await second.prompt("two of the second");
    await first.prompt("two of the first");
    await second.prompt("three of the second");
    await first.prompt("three of the first");

    const notices = [first, second].map(
      ({ events }) =>
        events.filter((line) => JSON.stringify(line).includes("has this session open too")).length,
    );
    const said = [
      "one",
      "two of the second",
      "two of the first",
      "three of the second",
      "three of the first",
    ];
    const [ofSecond, ofFirst] = [model.requests.at(-3), last(model.requests)];
    if (ofSecond === undefined) throw new Error("there are too few requests");
    expect(notices).toEqual([1, 1]);
    expect(model.failures).toEqual([]);
    expect(model.requests.flatMap(illegalities)).toEqual([]);
    expect(prompts(ofFirst, said)).toEqual(["one", "two of the first", "three of the first"]);
    expect(prompts(ofSecond, said)).toEqual(["one", "two of the second", "three of the second"]);
  });
});

const promptEntry = ({ sessionManager }: PiSdkSession, said: string): string => {
  const entry = sessionManager
    .getBranch()
    .find(
      ({ message }) => message?.role === "user" && JSON.stringify(message.content).includes(said),
    );
  if (entry === undefined) throw new Error(`no entry has the text ${said}`);
  return entry.id;
};
