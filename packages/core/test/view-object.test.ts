import { describe, expect, it } from "vitest";

import { emptyAccount } from "../src/cost/cost-account.ts";
import { sha256 } from "../src/objects/hashes.ts";
import { objectId } from "../src/objects/object-id.ts";
import { sealObject } from "../src/objects/sealed-object.ts";
import type { StoredVersion } from "../src/objects/stored-version.ts";
import {
  sentMessages,
  sentView,
  viewBody,
  type ViewFacts,
  viewRecord,
} from "../src/views/view-object.ts";

const facts: ViewFacts = {
  id: objectId("v"),
  sessionId: objectId("s"),
  chatId: objectId("c"),
  systemPrompts: new Map(),
  record: {
    layout: "epoch",
    entries: [
      { is: "user", turn: 0, tokens: 5 },
      { is: "assistant", turn: 0, step: 0, tokens: 7 },
      { is: "result", turn: 0, step: 0, call: 0, of: "t1", version: 1, as: "bare", tokens: 9 },
    ],
    turns: 1,
    steps: 1,
    workspace: "/work",
    memory: { epoch: 2, died: ["1@3"] },
  },
  tokens: 21,
  messagesHash: sha256("messages"),
};

const cache = { model: "a/b", used_at: 1_700_000_000_000, prompt_tokens: 21, breakpoints: [1, 2] };
const account = {
  ...emptyAccount,
  estimated: { calls: 3, cached: 4, fresh: 5, units: 6 },
  append_only: { cached: 7, fresh: 8, units: 9 },
  reported: { calls: 1, input: 2, cache_read: 3, cache_write: 4 },
  append_only_prompt: 10,
};

describe("a view object", () => {
  it.each([
    ["nothing more", {}],
    ["a cache", { cache }],
    ["an account", { account }],
    ["both", { cache, account }],
    ["what was reported", { cache: { ...cache, reported: { cache_read: 1, cache_write: 2 } } }],
  ])("gives back what it was made from, with %s", (_what, more) => {
    const stored = version({ ...facts, ...more });

    expect(viewRecord(stored)).toEqual(facts.record);
    expect(sentMessages(stored)).toMatchObject({ tokens: 21, messagesHash: facts.messagesHash });
    expect(sentView(stored, true)).toEqual({
      id: "v",
      call: 4,
      record: facts.record,
      tokens: 21,
      isAnswered: true,
      ...more,
    });
  });

  it("rejects what is no view", () => {
    const { body } = version(facts);

    expect(() => viewRecord({ ...version(facts), body: { ...body, memory: {} } })).toThrow(
      "a view says nothing of its call",
    );
  });
});

function version(made: ViewFacts): StoredVersion {
  const sealed = sealObject(viewBody(made));
  const body = JSON.parse(JSON.stringify(sealed.body)) as typeof sealed.body;
  return { body, hashes: sealed.hashes, version: 4, at: { tx_id: 1, tx_time: "" } };
}
