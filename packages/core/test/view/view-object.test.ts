import { objectId, sealObject, sha256, type StoredVersion } from "@self-context-manager/objects";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ViewMessage } from "../../src/view/layout.ts";
import { messagesHash } from "../../src/view/message-hash.ts";
import {
  sentMessages,
  sentView,
  viewBody,
  type ViewFacts,
  viewRecord,
} from "../../src/view/view-object.ts";

const facts: ViewFacts = {
  id: objectId("v"),
  sessionId: objectId("s"),
  chatId: objectId("c"),
  systemPrompts: new Map(),
  record: {
    layout: "epoch",
    entries: [
      { type: "user", turn: 0, tokens: 5 },
      { type: "assistant", turn: 0, step: 0, tokens: 7 },
      { type: "result", turn: 0, step: 0, call: 0, of: "t1", version: 1, form: "bare", tokens: 9 },
    ],
    turns: 1,
    steps: 1,
    workspace: "/work",
    memory: { epoch: 2, died: ["1@3"] },
  },
  tokens: 21,
  messagesHash: messagesHash([]),
};

const cache = { model: "a/b", used_at: 1_700_000_000_000 };

describe("a view object", () => {
  it.each([
    ["nothing more", {}],
    ["a cache", { cache }],
  ])("returns the facts that it was made from, with %s", (_what, more) => {
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

  it("rejects an object that is not a view", () => {
    const { body } = version(facts);

    expect(() => viewRecord({ ...version(facts), body: { ...body, memory: {} } })).toThrow(
      "a view does not describe its call",
    );
  });
});

it("gives equal hashes for equal messages, whatever lists were hashed before", () => {
  const all = Array.from({ length: 12 }, (_, index) => ({
    role: "user" as const,
    content: `message ${index}`,
  }));
  const expected = (messages: readonly ViewMessage[]): string => {
    const digests = messages.map((one) => sha256(JSON.stringify(one)));
    return Buffer.from(sha256(digests.join("\n")).slice(0, 32), "hex").toString("base64url");
  };
  const list = fc.tuple(fc.nat(1), fc.array(fc.constantFrom(...all), { maxLength: 8 }));

  fc.assert(
    fc.property(fc.array(list, { maxLength: 12 }), (lists) => {
      let last: readonly ViewMessage[] = [];
      for (const [goesOn, more] of lists) {
        last = goesOn === 1 ? [...last, ...more] : more;
        expect(messagesHash(last)).toBe(expected(last));
      }
    }),
  );
});

function version(made: ViewFacts): StoredVersion {
  const sealed = sealObject(viewBody(made));
  const body = JSON.parse(JSON.stringify(sealed.body)) as typeof sealed.body;
  return { body, hashes: sealed.hashes, version: 4, at: { tx_id: 1, tx_time: "" } };
}
