import { sealObject } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import { openTestSession } from "./test-session.ts";
import { latest, promptId, storedSession } from "./view-parts.ts";

describe("system prompts (D55)", () => {
  it("are two locked objects to which the session refers, with a version for each change", async () => {
    const { session, store } = await openTestSession();
    await session.recordSystemPrompt("host", "You are a coding agent.");
    await session.recordSystemPrompt("own", "# Objects");
    await session.recordSystemPrompt("host", "You are a coding agent.");
    await session.recordSystemPrompt("host", "You are a coding agent. Be brief.");

    const body = await storedSession(store, session);
    const [host, own] = [
      await promptId(store, session, "host"),
      await promptId(store, session, "own"),
    ];

    expect(await latest(store, host)).toMatchObject({
      version: 2,
      body: { type: "system_prompt", locked: true, content: "You are a coding agent. Be brief." },
    });
    expect(body["active_set"]).toEqual([(await session.status()).chatId, host, own]);
    expect((await session.nextView()).messages).toEqual([]);
  });

  it("are kept as well-formed text whatever the host sends", async () => {
    const { session, store } = await openTestSession();

    const sent = await session.recordSystemPrompt("host", "Be \ud800 good.");

    expect(sent).toBe("Be \ufffd good.");
    expect(await session.recordSystemPrompt("host", "Be \ud800 good.")).toBe(sent);
    const id = await promptId(store, session, "host");
    expect((await latest(store, id)).body.content).toBe("Be \ufffd good.");
  });

  it("keep a nickname from the user", async () => {
    const { session, store } = await openTestSession();
    await session.recordSystemPrompt("host", "Be good.");
    const id = await promptId(store, session, "host");
    const { body } = await latest(store, id);
    await store.commit([{ object: sealObject({ ...body, nickname: "the prompt" }) }]);

    await session.recordSystemPrompt("host", "Be better.");

    expect((await latest(store, id)).body.nickname).toBe("the prompt");
  });
});
