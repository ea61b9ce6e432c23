import { sealObject } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import { openTestSession } from "./test-session.ts";
import { latest, storedSession } from "./view-parts.ts";

describe("system prompts (D55)", () => {
  it("are two locked objects to which the session refers, with a version for each change", async () => {
    const { session, store } = await openTestSession();
    await session.recordSystemPrompt("host", "You are a coding agent.");
    await session.recordSystemPrompt("own", "# Context objects");
    await session.recordSystemPrompt("host", "You are a coding agent.");
    await session.recordSystemPrompt("host", "You are a coding agent. Be brief.");

    const body = await storedSession(store, session);
    const prompts = body["system_prompt_refs"] as Readonly<
      Record<string, { readonly ref: string; readonly id: string }>
    >;
    const host = await latest(store, prompts["host"]?.id ?? "");

    expect(Object.keys(prompts)).toEqual(["host", "own"]);
    expect(host).toMatchObject({
      version: 2,
      body: { type: "system_prompt", locked: true, content: "You are a coding agent. Be brief." },
    });
    expect(body["active_set"]).toEqual([
      (await session.status()).chatId,
      prompts["host"]?.id,
      prompts["own"]?.id,
    ]);
    expect((await session.view()).messages).toEqual([]);
  });

  it("are kept as well-formed text whatever the host sends", async () => {
    const { session, store } = await openTestSession();

    await session.recordSystemPrompt("host", "Be \ud800 good.");

    const prompts = (await storedSession(store, session))["system_prompt_refs"] as {
      readonly host: { readonly id: string };
    };
    expect((await latest(store, prompts.host.id)).body.content).toBe("Be \ufffd good.");
  });

  it("keep a nickname from the user", async () => {
    const { session, store } = await openTestSession();
    await session.recordSystemPrompt("host", "Be good.");
    const prompts = (await storedSession(store, session))["system_prompt_refs"] as {
      readonly host: { readonly id: string };
    };
    const { body } = await latest(store, prompts.host.id);
    await store.commit([{ object: sealObject({ ...body, nickname: "the prompt" }) }]);

    await session.recordSystemPrompt("host", "Be better.");

    expect((await latest(store, prompts.host.id)).body.nickname).toBe("the prompt");
  });
});
