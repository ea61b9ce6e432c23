import type { JsonObject, StaticReference } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import { executionField } from "../../src/calls/execution.ts";
import { contextTools } from "../../src/session/context-tools.ts";
import { scriptHistory } from "./script-history.ts";
import { openTestSession } from "./test-session.ts";
import { handlesIn, latest, storedSession, viewParts } from "./view-parts.ts";

const files = { "/work/a.ts": "let a = 1;\n", "/work/b.md": "# b\n", "/work/logo.png": null };

describe("a context tool's call", () => {
  it("is stored with the report of its steps and the file that it read, never with the text (D34)", async () => {
    const { session, store } = await openTestSession({ files });
    const history = scriptHistory();
    history.user("go");
    const answer = await history.ask(
      "read",
      { path: "a.ts" },
      async (callId) => await session.read({ path: "a.ts" }, { callId }),
    );
    await history.ingest(session);

    const { body } = await latest(store, "call_1");
    const [reference] = body["file_refs"] as readonly StaticReference[];
    const file = await latest(store, reference?.id ?? "");

    expect(body.content).toBe(answer.text);
    expect(JSON.stringify(body)).not.toContain("let a");
    expect(reference).toMatchObject({ tx_id: file.at.tx_id, ...file.hashes });
    expect((await viewParts(session)).chat.at(-1)).toMatchObject({
      content: [{ type: "text", text: `[t1 ok] ${answer.text}` }],
    });
  });

  it("is recognised only by valid details of a context tool's result", async () => {
    const { session, store } = await openTestSession({ files });
    await session.read({ path: "a.ts" });
    await session.pin("f1");
    const [object] = (await session.status()).objects;
    const id = object?.stored.body.id ?? "";
    const told = (effects: readonly JsonObject[]): JsonObject => ({
      [executionField]: { report: "done", effects },
    });
    const history = scriptHistory();
    history.user("go");
    history.call("search", {}, "OUT", { details: told([{ op: "deactivate", id }]) });
    const strange = { op: "activate", id, range: { from: 0, to: "x", turn: 9 }, file: { id } };
    history.call("activate", {}, "done", { details: told([strange, { op: "remove", id }]) });

    await history.ingest(session);

    expect(await handlesIn(session, "pinned")).toEqual(["f1"]);
    expect((await viewParts(session)).activeTexts.join()).toContain("OUT");
    const { activations } = await storedSession(store, session);
    expect(activations).toMatchObject({ [id]: { turn: 0, call: 1 } });
    expect((await latest(store, "call_2")).body["file_refs"]).toBeUndefined();
  });

  it("runs with loosely typed arguments, and refuses bad ones", async () => {
    const { session } = await openTestSession({ files });
    const tool = (name: string) => {
      const found = contextTools.find((one) => one.name === name);
      if (found === undefined) throw new Error(`no tool ${name}`);
      return found;
    };

    const read = await tool("read").run(session, { path: "a.ts", offset: "1", limit: 1.7 }, "c1");
    const nothing = await tool("activate").run(session, { id: 7 }, "c2");
    const pinned = await tool("pin").run(session, { id: "f1" }, "c3");

    expect(read.text).toBe("f1 a.ts: indexed, version 1; joined the pool; active, 1 lines.");
    expect(nothing.ok).toBe(false);
    expect(pinned.ok).toBe(true);
  });
});
