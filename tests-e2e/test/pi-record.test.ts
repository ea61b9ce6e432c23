import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { executionField, toJson } from "@self-context-manager/core";
import { describe, expect, test } from "vitest";

import { comparable } from "../src/harness/pi-record.ts";
import { openLoopbackModel } from "../src/loopback-model.ts";
import { adapterFolder, pooled } from "../src/managed-run.ts";
import { managedFiles } from "../src/managed-script.ts";
import { openPiRpc } from "../src/pi-rpc.ts";
import { piVersions } from "../src/pi-versions.ts";
import type { PiVersion } from "../src/pi-versions.ts";
import { openPiWorkspace } from "../src/pi-workspace.ts";

const passThrough = fileURLToPath(new URL("../src/pass-through-extension.ts", import.meta.url));

const call = (id: string, name: string, args: Readonly<Record<string, unknown>>) =>
  ({ type: "tool-calls", calls: [{ id, name, arguments: args }] }) as const;

/** Calls every tool whose results are recorded, but no tool that only a managed session offers. */
const script = [
  call("call_1", "read", { path: "a.txt", limit: 1 }),
  call("call_2", "read", { path: "p.png" }),
  call("call_3", "read", { path: "missing.txt" }),
  call("call_4", "bash", { command: "cat docs/b.txt; exit 3" }),
  call("call_5", "write", { path: "n.md", content: "a note\n" }),
  call("call_6", "edit", { path: "n.md", edits: [{ oldText: "a note", newText: "one note" }] }),
  call("call_7", "ls", { path: "docs" }),
  call("call_8", "nothing", {}),
  { type: "text", text: "Done." },
] as const;

interface HostRecord {
  /** Pi's own list of messages. */
  readonly messages: readonly unknown[];
  /** The lines of the session file. */
  readonly session: readonly unknown[];
}

/** Runs the script with an extension. Returns Pi's record of the session. */
const recordWith = async (pi: PiVersion, extension: string): Promise<HostRecord> => {
  await using model = await openLoopbackModel({ script });
  await using workspace = await openPiWorkspace({ model, files: managedFiles });
  await using rpc = await openPiRpc({
    pi,
    workspace,
    extensions: [extension],
    environment: pooled,
    arguments: ["--tools", `read,bash,edit,write,ls,${own.join(",")}`],
  });
  await rpc.prompt("do all of it");
  const { data } = await rpc.send({ type: "get_messages" });
  const exit = await rpc.close();
  expect(model.failures).toEqual([]);
  const lines = (await readFile(exit.sessionFile ?? "", "utf8")).trimEnd().split("\n");
  const { messages } = data as { messages: readonly unknown[] };
  return {
    messages: messages.map((message) => comparable(toJson(message), workspace.workFolder)),
    session: lines.map((line) => comparable(toJson(JSON.parse(line)), workspace.workFolder)),
  };
};

const own = ["activate", "deactivate", "pin", "unpin"];

/** Returns a record without the data that the extension adds to the results of reads. */
const withoutExecution = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutExecution);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value)
    .filter(([name]) => name !== executionField)
    .map(([name, one]) => [name, withoutExecution(one)] as const)
    .filter(([name, one]) => !(name === "details" && isEmpty(one)));
  return Object.fromEntries(fields);
};

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0);

describe.each(piVersions)("the record of a managed session in Pi $version", (pi) => {
  test("equals the record with an extension that only observes, except for the details of reads", async () => {
    const [managed, plain] = await Promise.all([
      recordWith(pi, adapterFolder),
      recordWith(pi, passThrough),
    ]);

    expect(JSON.stringify(managed.session)).toContain(executionField);
    expect(withoutExecution(managed.messages)).toEqual(withoutExecution(plain.messages));
    expect(withoutExecution(managed.session)).toEqual(withoutExecution(plain.session));
  });
});
