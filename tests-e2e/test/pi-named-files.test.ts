import { piExtension } from "@self-context-manager/adapter-pi";
import { openLoopbackModel, toolCalls } from "@self-context-manager/evaluate/loopback";
import { describe, expect, test } from "vitest";

import { openIn } from "../src/managed-run.ts";
import { openPiSdk } from "../src/pi-sdk.ts";
import { piVersions } from "../src/pi-versions.ts";
import { openPiWorkspace } from "../src/pi-workspace.ts";

// The output is that of Pi's own `ls`. named-files.test.ts of the adapter tests outputs of all tools.
describe.each(piVersions)("Pi $version", (pi) => {
  test("the files that ls lists and that write makes are in the list of known objects", async () => {
    await using model = await openLoopbackModel({
      script: [
        toolCalls(["call_ls", "ls", { path: "." }]),
        toolCalls(["call_write", "write", { path: "new.md", content: "# new\n" }]),
        { type: "text", text: "done" },
      ],
    });
    const files = { "a.txt": "one\n", "docs/b.txt": "two\n", "with space.txt": "three\n" };
    await using workspace = await openPiWorkspace({ model, files });
    const factories = [piExtension({ openContext: openIn(workspace) })];
    await using sdk = await openPiSdk({ pi, workspace, factories });
    sdk.session.setActiveToolsByName([...sdk.session.getActiveToolNames(), "ls"]);

    await sdk.prompt("look around");

    const pools = model.requests.map(({ messages }) => {
      const pool = messages.find(({ text }) => text.startsWith("Known objects"));
      return (pool?.text.split("\n") ?? []).filter((line) => line.startsWith("f"));
    });
    expect({ errors: sdk.errors, failures: model.failures }).toEqual({ errors: [], failures: [] });
    expect(pools[1]).toEqual(["f1 a.txt text unread 4B", "f2 with space.txt text unread 6B"]);
    expect(pools[2]).toEqual([...(pools[1] ?? []), "f3 new.md markdown 6"]);
  });

  test.each([
    ["ask", "f1 a.txt was not read in this session; call read with its path to see it."],
    ["read", "the text of a"],
  ])(
    "activate of a file that bash has listed, with SCM_ACTIVATE_UNREAD=%s",
    async (way, answer) => {
      await using model = await openLoopbackModel({
        script: [
          toolCalls(["call_ls", "bash", { command: "ls" }]),
          toolCalls(["call_activate", "activate", { id: "a.txt" }]),
          { type: "text", text: "done" },
        ],
      });
      const files = { "a.txt": "the text of a\n", "docs/b.txt": "two\n" };
      await using workspace = await openPiWorkspace({ model, files });
      const environment = { SCM_ACTIVATE_UNREAD: way };
      const factories = [piExtension({ openContext: openIn(workspace, environment) })];
      await using sdk = await openPiSdk({ pi, workspace, factories });

      await sdk.prompt("look around");

      const [, second, third] = model.requests;
      const textOf = (request: typeof second, id: string): string =>
        request?.messages.find(({ toolCallId }) => toolCallId === id)?.text ?? "";
      expect({ errors: sdk.errors, failures: model.failures }).toEqual({
        errors: [],
        failures: [],
      });
      // The request after the listing has the output and nothing more, and the next one repeats it.
      expect(textOf(second, "call_ls")).toContain("a.txt");
      expect(second?.messages.map((one) => one.text).join("\n")).not.toContain("unread");
      expect(third?.messages.slice(0, second?.messages.length)).toEqual(second?.messages);
      expect(textOf(third, "call_activate")).toContain(answer);
      expect(third?.messages.some((one) => one.text.includes("the text of a"))).toBe(
        way === "read",
      );
    },
  );

  test.each([
    ["ask", "f1 docs/budget.md was not read in this session; call read with its path to see it."],
    ["read", "a million"],
  ])(
    "activate of a section of a note that only the disk has, with SCM_ACTIVATE_UNREAD=%s",
    async (way, answer) => {
      await using model = await openLoopbackModel({
        script: [
          toolCalls(["call_activate", "activate", { id: "[[budget#Costs]]" }]),
          { type: "text", text: "done" },
        ],
      });
      const files = {
        "docs/plan.md": "[[budget#Costs]]\n",
        "docs/budget.md": "# Budget\n\n## Costs\n\na million\n",
        "node_modules/x/budget.md": "another\n",
      };
      await using workspace = await openPiWorkspace({ model, files });
      const environment = { SCM_ACTIVATE_UNREAD: way };
      const factories = [piExtension({ openContext: openIn(workspace, environment) })];
      await using sdk = await openPiSdk({ pi, workspace, factories });

      await sdk.prompt("what does it cost");

      const texts = model.requests.at(-1)?.messages.map(({ text }) => text) ?? [];
      expect({ errors: sdk.errors, failures: model.failures }).toEqual({
        errors: [],
        failures: [],
      });
      expect(texts.join("\n")).toContain(answer);
      expect(texts.join("\n").includes("a million")).toBe(way === "read");
    },
  );
});
