import { describe, expect, test } from "vitest";
import { recordCall } from "../../src/adapters/record-call.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { oneCall } from "../session/script-history.ts";
import { openTestSession } from "../session/test-session.ts";

/** The paths of the known files, in order. */
async function knownFiles(session: ContextSession): Promise<readonly unknown[]> {
  const { objects } = await session.status();
  return objects.map(({ stored }) => stored.body["path"]).filter((path) => path !== undefined);
}

describe("the record of a host's tool call", () => {
  test("has every file that an edit has changed", async () => {
    const { session } = await openTestSession({ files: { "/work/a.ts": "x", "/work/b.ts": "y" } });
    const patch = "*** Begin Patch\n*** Update File: a.ts\n*** Update File: b.ts\n*** End Patch";

    await recordCall(session, { id: "call_1", name: "apply_patch", args: { patch } }, {});

    expect(await knownFiles(session)).toEqual(["/work/a.ts", "/work/b.ts"]);
  });

  test("of a write counts text that the model did not write as a change by others", async () => {
    const { session, files } = await openTestSession({ files: { "/work/a.ts": "secret" } });
    await session.read({ path: "a.ts" });
    const args = { path: "a.ts", content: "other secret" };
    const call = { id: "call_1", name: "write", args, writtenArgs: { ...args, content: "other" } };
    files.set("/work/a.ts", "other secret");

    await recordCall(session, call, {});

    const [file] = (await session.status()).objects;
    expect(file?.stored.version).toBe(2);
    expect(file?.stored.body.provenance.generator).toBe("human");
  });

  test.each(["write", "edit", "grep", "other"])("is empty for a failed %s", async (name) => {
    const { session } = await openTestSession({ files: { "/work/a.ts": "x" } });

    const call = { id: "call_1", name, args: { path: "a.ts" } };
    await recordCall(session, call, { isError: true, text: "a.ts:1: x" });

    expect(await knownFiles(session)).toEqual([]);
  });

  test("has the files that a failed command names", async () => {
    const { session } = await openTestSession({ files: { "/work/a.ts": "x" } });

    const call = { id: "call_1", name: "bash", args: { command: "tsc a.ts" } };
    await recordCall(session, call, { isError: true });

    expect(await knownFiles(session)).toEqual(["/work/a.ts"]);
  });

  test("of a failed read shows that a known file is missing", async () => {
    const { session, files } = await openTestSession({ files: { "/work/a.ts": "x" } });
    await oneCall().ingest(session);
    await session.read({ path: "a.ts" });
    files.delete("/work/a.ts");

    const call = { id: "call_9", name: "read", args: { path: "a.ts" } };
    await recordCall(session, call, { isError: true });

    const { objects } = await session.status();
    expect(objects.map(({ stored }) => stored.body["presence"])).toContain("missing");
  });

  test("of a write whose file is gone again is no error", async () => {
    const { session } = await openTestSession();

    const call = { id: "call_1", name: "write", args: { path: "a.ts", content: "x" } };
    await recordCall(session, call, {});

    expect(await knownFiles(session)).toEqual([]);
  });
});
