import { describe, expect, it } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import type { TurnPosition } from "../../src/chat/turn.ts";
import type { KnownMessages } from "../../src/history/known-messages.ts";
import { keysFrom, recogniseList } from "../../src/history/recognise-list.ts";
import { reconcile, type Reconciliation } from "../../src/history/reconcile.ts";
import type { MessageCodec, MessageIdentity } from "../../src/host/message-codec.ts";
import { keyName, type KnownMessage } from "../../src/host/message-identity.ts";
import { readList } from "../../src/host/read-list.ts";

/**
 * A message with only its identity: `u1` is a user message at time 1, `a2` an assistant message, `r3` the result of
 * call c3.
 */
type Name = string;

const codec: MessageCodec<Name> = {
  identify: (name) => identityOf(name),
  decode: (name): Message => ({ role: "user", content: name }),
};

function identityOf(name: Name): MessageIdentity {
  const roles: Readonly<Record<string, string>> = { u: "user", a: "assistant", s: "summary" };
  const time = Number(name.replaceAll(/\D/gu, ""));
  const [letter = ""] = name;
  if (letter === "r") return { role: "toolResult", callId: `c${time}`, timestamp: time };
  if (letter === "x") return { role: "opaque" };
  if (letter === "k") return { role: "user", key: name };
  return { role: roles[letter] ?? "opaque", timestamp: time };
}

/** The known sequence of a chat: each user message begins a turn, and each assistant message begins a step. */
function knownOf(names: readonly Name[]): readonly KnownMessage[] {
  const position = { turn: -1, step: -1 };
  const keys = keysFrom(
    names.map(identityOf).map((identity) => ({ identity, key: keyName(identity) })),
    0,
  );
  return names.map((name, index) => {
    if (name.startsWith("u") || name.startsWith("k")) {
      position.turn += 1;
      position.step = -1;
    } else if (name.startsWith("a")) {
      position.step += 1;
    }
    const place: TurnPosition | undefined = name.startsWith("s") ? undefined : { ...position };
    return { identity: identityOf(name), key: keys[index] ?? "", position: place };
  });
}

/** Compares a list with known messages of which none failed, or with others. */
function reconciled(
  names: readonly Name[],
  known: Pick<KnownMessages, "sequence" | "known"> & Partial<KnownMessages>,
  rewound = false,
): Reconciliation {
  const { messages } = readList(names, codec);
  const list = recogniseList(messages, { isDiscarded: () => false, ...known }, { rewound });
  return reconcile(list, { rewound });
}

interface Case {
  readonly rewound?: boolean;
  readonly discarded?: readonly Name[];
}

function compare(
  before: readonly Name[],
  now: readonly Name[],
  options: Case = {},
): { readonly type: string; readonly unseen: readonly Name[]; readonly to?: TurnPosition } {
  const sequence = knownOf(before);
  const discarded = new Set((options.discarded ?? []).map((name) => identityOf(name).timestamp));
  const result = reconciled(
    now,
    {
      sequence,
      known: new Map(sequence.map((known) => [known.key, known])),
      isDiscarded: ({ identity }) => discarded.has(identity.timestamp),
    },
    options.rewound,
  );
  return {
    type: result.type,
    unseen: result.unseen.map(({ index }) => now[index] ?? ""),
    ...(result.type === "rewound" ? { to: result.to } : {}),
  };
}

const turn = ["u1", "a2", "r3", "a4"];

describe("a host's messages compared with the known ones", () => {
  it("are appended if all known messages come first", () => {
    expect(compare(turn, [...turn, "u5", "a6"])).toEqual({
      type: "appended",
      unseen: ["u5", "a6"],
    });
  });

  it("contain nothing new when the host sends them again", () => {
    expect(compare(turn, turn)).toEqual({ type: "appended", unseen: [] });
  });

  it("do not rewind only because they are fewer", () => {
    expect(compare(turn, ["u1", "a2"])).toEqual({ type: "replaced", unseen: [] });
    expect(compare(turn, [])).toEqual({ type: "replaced", unseen: [] });
  });

  it("contain nothing new when missing ones return", () => {
    expect(compare(["u1", "a2"], turn).unseen).toEqual(["r3", "a4"]);
  });

  it("are replaced by a host compaction, and the new ones among them are ingested", () => {
    expect(compare(turn, ["s9", "u1", "a2", "r3", "a4", "u10"])).toEqual({
      type: "replaced",
      unseen: ["s9", "u10"],
    });
    expect(compare(turn, ["s9", "u10"])).toEqual({ type: "replaced", unseen: ["s9", "u10"] });
  });

  it("rewind when a new user message replaces others", () => {
    expect(compare([...turn, "u5", "a6"], [...turn, "u7"])).toEqual({
      type: "rewound",
      to: { turn: 0, step: 1 },
      unseen: ["u7"],
    });
  });

  it("do not rewind when known messages follow the new one", () => {
    expect(compare([...turn, "u5", "a6"], ["u1", "u9", "a2", "u5"]).type).toBe("replaced");
  });

  it("do not rewind when an assistant message replaces others", () => {
    expect(compare([...turn, "u5"], [...turn, "a9"]).type).toBe("replaced");
  });

  it("do not rewind when the host replaces a failed answer by a new attempt", () => {
    const before = ["u1", "a2"];

    expect(compare(before, ["u1", "a3"], { discarded: ["a2"] })).toEqual({
      type: "replaced",
      unseen: ["a3"],
    });
    expect(compare(before, ["u1", "u3"], { discarded: ["a2"] }).type).toBe("replaced");
  });

  it("rewind when the host reports it, with or without new messages", () => {
    const before = [...turn, "u5", "a6"];

    expect(compare(before, turn, { rewound: true })).toEqual({
      type: "rewound",
      to: { turn: 0, step: 1 },
      unseen: [],
    });
    expect(compare(before, [...turn, "u7"], { rewound: true }).to).toEqual({ turn: 0, step: 1 });
  });

  it("rewind to before the first message when the host reports it", () => {
    const start = { turn: -1, step: -1 };

    expect(compare(turn, ["u9"], { rewound: true }).to).toEqual(start);
    expect(compare(turn, [], { rewound: true }).to).toEqual(start);
  });

  it("rewind to a point before a compaction", () => {
    const sequence = knownOf(["s9", "u5", "a6"]);
    const known = new Map(
      [...knownOf([...turn, "u5", "a6"]), ...sequence.slice(0, 1)].map((one) => [one.key, one]),
    );

    const result = reconciled([...turn, "u20"], { sequence, known }, true);

    expect(result).toMatchObject({ type: "rewound", to: { turn: 0, step: 1 } });
  });

  it("rewind to right after a summary, found by the messages after it", () => {
    const chat = knownOf([...turn, "u5", "a6"]);
    const sequence = [...knownOf(["s9"]), ...chat.slice(4)];
    const known = new Map([...chat, ...sequence].map((one) => [one.key, one]));

    for (const rewound of [false, true])
      expect(reconciled(["s9", "u20"], { sequence, known }, rewound)).toMatchObject({
        type: "rewound",
        to: { turn: 0 },
      });
  });

  it("are compared by the host's keys if it has any", () => {
    const before = ["k1", "k2", "k3"];

    expect(compare(before, ["k1", "k2", "k4"])).toMatchObject({ type: "rewound", unseen: ["k4"] });
    expect(compare(before, ["k1", "k2", "k3", "k4"])).toEqual({
      type: "appended",
      unseen: ["k4"],
    });
  });

  it("are compared by content if the host has neither keys nor times", () => {
    expect(compare([], ["x one", "x two"]).unseen).toEqual(["x one", "x two"]);
    const sequence = reconciled(["x one", "x two"], { sequence: [], known: new Map() }).unseen.map(
      ({ read: { identity }, key }): KnownMessage => ({ identity, key, position: undefined }),
    );
    const known = new Map(sequence.map((one) => [one.key, one]));
    const again = reconciled(["x one", "x two", "x three"], { sequence, known });

    expect(again).toMatchObject({ type: "appended", unseen: [{ index: 2 }] });
  });

  it("are distinguished by their ordinal if role and time are equal", () => {
    expect(compare(["u1", "u1"], ["u1", "u1", "u1"])).toEqual({
      type: "appended",
      unseen: ["u1"],
    });
  });
});

describe("the keys of messages", () => {
  it("are the same from whatever index they are requested", () => {
    const words = Array.from({ length: 90 }, (_, index) => `u${index % 7}`);
    const names = readList(words, codec).messages;
    const all = keysFrom(names, 0);

    for (const from of [0, 1, 40, 57, 58, 59, 89, 90]) {
      expect(keysFrom(names, from)).toEqual(all.slice(from));
    }
    expect(new Set(all).size).toBe(90);
  });
});
