import { type JsonObject, staticReference } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import { executionField } from "../../src/calls/execution.ts";
import { contextTools } from "../../src/session/context-tools.ts";
import { numberedLines } from "./fake-files.ts";
import { scriptHistory } from "./script-history.ts";
import { openTestSession } from "./test-session.ts";
import { chatTexts, handlesIn, idOf, latest, storedSession, viewParts } from "./view-parts.ts";

const files = { "/work/a.ts": "let a = 1;\n", "/work/long.txt": numberedLines(20) };

describe("a context tool's call", () => {
  it("shows its report in the chat, never the text of the file (D34)", async () => {
    const { session } = await openTestSession({ files });
    const history = scriptHistory();
    history.user("go");
    const answer = await history.read(session, "a.ts");

    await history.ingest(session);

    expect((await chatTexts(session)).at(-1)).toBe(`[t1 ok] ${answer.text}`);
  });

  it("is recognised only by valid details of a context tool's result", async () => {
    const { session, store } = await openTestSession({ files });
    await session.read({ path: "a.ts" });
    await session.pin("f1");
    const id = await idOf(session, "f1");
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
    const file = staticReference(await latest(store, id));
    expect((await latest(store, "call_2")).body["file_refs"]).toEqual([file]);
  });

  it("does not apply a repeated call again when its result arrives after another change", async () => {
    const { session } = await openTestSession({ files });
    const history = scriptHistory();
    history.user("go");
    await session.read({ path: "a.ts" });
    await session.deactivate("f1");
    await history.ask("deactivate", { id: "f1" }, (callId) => session.deactivate("f1", { callId }));
    await session.activate("f1");

    await history.ingest(session);

    expect((await session.status()).activeCount).toBe(1);
  });

  it("runs with loosely typed arguments, and refuses bad ones", async () => {
    const { session } = await openTestSession({ files });
    const run = async (name: string, args: JsonObject) =>
      await contextTools.find((one) => one.name === name)?.run(session, args, "c1");

    const read = await run("read", { path: "long.txt", offset: "5", limit: 2.7 });
    const activated = await run("activate", { id: "f1", from: "3", to: 4.9 });
    const nothing = await run("activate", { id: 7 });
    const pinned = await run("pin", { id: "f1" });

    expect(read?.text).toMatch(/active, lines 5-6 of 20\.$/u);
    expect(activated?.text).toBe("f1 long.txt is already active, lines 3-6 of 20.");
    expect(nothing?.ok).toBe(false);
    expect(pinned?.ok).toBe(true);
  });
});
