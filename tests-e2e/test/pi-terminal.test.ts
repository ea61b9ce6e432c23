import {
  openLoopbackModel,
  toolCalls,
  type WireRequest,
} from "@self-context-manager/evaluate/loopback";
import { describe, expect, test } from "vitest";

import { adapterFolder, pooled } from "../src/managed-run.ts";
import { fileHandle, managedFiles, secretOf } from "../src/managed-script.ts";
import { hasTerminal, key, openPiTerminal } from "../src/pi-terminal.ts";
import { piVersions } from "../src/pi-versions.ts";
import { openPiWorkspace } from "../src/pi-workspace.ts";
import { illegalities, saidTo } from "../src/wire-rules.ts";

const prompts = ["look", "a wrong turn", "another turn", "in the clone", "after the reload", "new"];
const said = ({ messages }: WireRequest): readonly string[] =>
  messages.filter(({ role, text }) => role === "user" && prompts.includes(text)).map((m) => m.text);

const shown = (request: WireRequest): number => saidTo(request).split(secretOf("a.txt")).length - 1;

/** A machine without a terminal cannot run these tests. */
describe.skipIf(!hasTerminal)("a user at the terminal", () => {
  test.each(piVersions)(
    "goes back with /tree and continues with /clone, /reload and /new, on Pi $version",
    async (pi) => {
      await using model = await openLoopbackModel({
        script: (request, index) => {
          if (index === 0) return toolCalls(["call_1", "read", { path: "a.txt" }]);
          if (index === 2)
            return toolCalls(["call_2", "deactivate", { id: fileHandle(request, "a.txt") }]);
          return { type: "text", text: `answer ${index}` };
        },
      });
      await using workspace = await openPiWorkspace({ model, files: managedFiles });
      await using terminal = openPiTerminal({
        pi,
        workspace,
        extensions: [adapterFolder],
        environment: pooled,
      });
      const type = async (line: string, answer: string): Promise<void> => {
        terminal.press(line);
        terminal.press(key.enter);
        await terminal.shows(answer);
      };

      // The extension's status line appears when the session has begun.
      await terminal.shows("ctx 0/0 active");
      await type("look", "answer 1");
      await type("a wrong turn", "answer 3");
      await type("/tree", "Session Tree");
      await terminal.moveUpTo("user: a wrong turn");
      terminal.press(key.enter);
      await terminal.shows("Summarize branch?");
      terminal.press(key.enter);
      await terminal.shows("Navigated to selected point");
      terminal.press(key.clearLine);
      await type("another turn", "answer 4");
      await type("/clone", "Cloned to new session");
      await type("in the clone", "answer 5");
      await type("/reload", "Reloaded");
      await type("after the reload", "answer 6");
      await type("/new", "New session started");
      await type("new", "answer 7");

      expect(model.failures).toEqual([]);
      expect(model.requests.flatMap(illegalities)).toEqual([]);
      expect(model.requests.map(said)).toEqual([
        ["look"],
        ["look"],
        ["look", "a wrong turn"],
        ["look", "a wrong turn"],
        ["look", "another turn"],
        ["look", "another turn", "in the clone"],
        ["look", "another turn", "in the clone", "after the reload"],
        ["new"],
      ]);
      expect(model.requests.map(shown)).toEqual([0, 1, 1, 0, 1, 1, 1, 0]);
    },
  );

  test.each(piVersions)("completes verbs and handles of /context on Pi $version", async (pi) => {
    await using model = await openLoopbackModel({
      script: [
        toolCalls(["call_1", "read", { path: "a.txt" }]),
        toolCalls(["call_2", "pin", { id: "a.txt" }]),
        { type: "text", text: "that is all" },
      ],
    });
    await using workspace = await openPiWorkspace({ model, files: managedFiles });
    await using terminal = openPiTerminal({
      pi,
      workspace,
      extensions: [adapterFolder],
      environment: pooled,
    });

    await terminal.shows("ctx 0/0 active");
    terminal.press("look");
    terminal.press(key.enter);
    await terminal.shows("that is all");
    await terminal.type("/context sh");
    await terminal.shows("print an object");
    terminal.press(key.tab);
    await terminal.shows("/context show");
    await terminal.type("a.t");
    await terminal.shows("pinned  a.txt");
    terminal.press(key.tab);
    await terminal.shows("/context show f1");
    terminal.press(key.enter);
    await terminal.shows(secretOf("a.txt"));
    await terminal.type("/context");
    terminal.press(key.enter);
    // The calls of `read` and `pin` only report what they did to the file.
    await terminal.shows("1 of 1 known objects are active.");

    expect(model.failures).toEqual([]);
  });
});
