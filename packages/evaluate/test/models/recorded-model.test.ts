import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

import { openRecordedModel, type RecordedRow } from "../../src/models/recorded-model.ts";
import { fakeHost } from "./fake-host.ts";

const called = (name: string, args: object): RecordedRow => ({
  role: "assistant",
  content: [{ type: "toolCall", id: "x", name, arguments: args }],
});

const session: readonly RecordedRow[] = [
  { role: "user", content: [{ type: "text", text: "Make it." }] },
  called("Write", { file_path: "a.txt", content: "one\n" }),
  { role: "toolResult", content: [{ type: "text", text: "written" }] },
  called("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" }),
  called("shell", { command: ["bash", "-lc", "cat a.txt"] }),
  called("WebSearch", { query: "two" }),
  { role: "assistant", content: [{ type: "text", text: "It is made." }] },
];

it("gives the answers of a session in their order, with the tools of the host", async () => {
  const workspace = await mkdtemp(join(tmpdir(), "scm-models-"));
  await using model = await openRecordedModel({ session });
  const host = fakeHost({ access: model.access, workspace });

  const answer = await host.prompt("Make it.");

  expect(answer).toBe("It is made.");
  expect(host.called).toEqual(["write", "edit", "bash", "bash"]);
  expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("two\n");
  expect(model.failures).toEqual([]);
  await rm(workspace, { recursive: true });
});

it("says so when the session has no further answer", async () => {
  await using model = await openRecordedModel({ session: [], api: "openai-completions" });
  const host = fakeHost({ access: model.access, workspace: tmpdir() });

  expect(await host.prompt("And now?")).toBe("The recording ends here.");
});
