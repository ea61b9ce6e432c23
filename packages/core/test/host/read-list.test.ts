import { assert, constantFrom, option, property, record, uniqueArray } from "fast-check";
import { describe, expect, test } from "vitest";

import type { Message } from "../../src/chat/message.ts";
import type { MessageCodec } from "../../src/host/message-codec.ts";
import { messageKey, readList } from "../../src/host/read-list.ts";

interface Said {
  readonly role: string;
  readonly text: string;
  readonly id?: string | undefined;
  readonly time?: number | undefined;
  readonly mark?: string;
}

/** A codec that counts what it reads. */
function counting(decode = (raw: Said): Message => ({ role: "user", content: raw.text })) {
  const identified: Said[] = [];
  const decoded: Said[] = [];
  const codec: MessageCodec<Said> = {
    fileRendering: { firstLine: "from" },
    identify(raw) {
      identified.push(raw);
      const { role, id, time, mark } = raw;
      return {
        role,
        ...(id === undefined ? {} : { key: id }),
        ...(time === undefined ? {} : { timestamp: time }),
        ...(mark === undefined ? {} : { fingerprint: mark }),
      };
    },
    decode(raw) {
      decoded.push(raw);
      return decode(raw);
    },
  };
  return { codec, identified, decoded };
}

const said = record(
  {
    role: constantFrom("user", "assistant", "note"),
    text: constantFrom("go", "go on", "stop"),
    id: option(constantFrom("a", "b"), { nil: undefined }),
    time: option(constantFrom(1, 2), { nil: undefined }),
  },
  { requiredKeys: ["role", "text"] },
);
const lists = uniqueArray(said, { maxLength: 8, comparator: "SameValue" });

describe("a list", () => {
  test("has each message of the host in order, identified once and decoded at most once", () => {
    assert(
      property(lists, (messages) => {
        const { codec, identified, decoded } = counting();

        const list = readList(messages, codec);
        const first = list.messages.map((one) => one.decode());

        expect(list.messages.map(({ raw }) => raw)).toEqual(messages);
        expect(list.messages.map(({ mark }) => mark)).toEqual(messages.map(() => "own"));
        expect(list.messages.map((one) => one.decode())).toEqual(first);
        expect(identified).toEqual(messages);
        expect(new Set(decoded).size).toBe(decoded.length);
        expect(decoded).toHaveLength(messages.length);
      }),
    );
  });

  test("shares the messages of a list that was read before", () => {
    assert(
      property(lists, lists, (host, others) => {
        const { codec, identified } = counting();
        const sent = [...host, ...others].toReversed();

        const known = readList(host, codec);
        const list = readList(sent, codec, known);

        expect(list.messages.map(({ raw }) => raw)).toEqual(sent);
        expect(list.messages.filter((one) => known.messages.includes(one))).toHaveLength(
          host.length,
        );
        expect(identified).toHaveLength(sent.length);
      }),
    );
  });

  test("has the same key for a message each time, by its id, its time or its content", () => {
    const { codec } = counting();
    const keyOf = (raw: Said): string => messageKey(raw, codec);
    const go = { role: "user", text: "go" };

    expect(keyOf({ ...go, id: "a", time: 1 })).toBe("a");
    expect(keyOf({ ...go, time: 1 })).toBe(keyOf({ ...go, text: "stop", time: 1 }));
    expect(keyOf({ ...go, time: 1 })).not.toBe(keyOf({ ...go, time: 2 }));
    expect(keyOf(go)).toBe(keyOf({ ...go }));
    expect(keyOf(go)).not.toBe(keyOf({ ...go, text: "stop" }));
    expect(keyOf({ ...go, mark: "m" })).toBe(keyOf({ ...go, text: "stop", mark: "m" }));
  });

  test("decodes nothing until a message is asked for it, if the host identifies its messages", () => {
    const { codec, decoded } = counting();
    const named = { role: "user", text: "go", time: 1 };

    readList([named, { ...named, id: "a" }, { role: "user", text: "go", mark: "m" }], codec);

    expect(decoded).toEqual([]);
  });

  test("has JSON in its messages, whatever a codec returns", () => {
    const odd = { role: "user", content: [{ type: "text", text: "go", at: () => 1 }] };
    const { codec } = counting(() => odd as unknown as Message);

    const [one] = readList([{ role: "user", text: "go" }], codec).messages;

    expect(one?.decode()).toEqual({ role: "user", content: [{ type: "text", text: "go" }] });
  });

  test("has the file rendering of its codec", () => {
    expect(readList([], counting().codec).fileRendering).toEqual({ firstLine: "from" });
  });
});

describe("a list that continues the last one", () => {
  test("is read only where it is new", () => {
    const { codec, decoded } = counting();
    const list = [{ role: "user", text: "a", time: 1 }];
    const [before] = readList(list, codec).messages;
    before?.decode();

    const next = readList([...list, { role: "user", text: "b", time: 2 }], codec).messages;

    expect(next[0]).toBe(before);
    expect(next.map((one) => one.decode())).toEqual([
      { role: "user", content: "a" },
      { role: "user", content: "b" },
    ]);
    expect(decoded.map(({ text }) => text)).toEqual(["a", "b"]);
  });

  test("is read again where a message has another identity than before", () => {
    const { codec } = counting();
    const changed = { role: "user", text: "b", time: 2 };
    const list = [{ role: "user", text: "a", time: 1 }, changed];
    const [, before] = readList(list, codec).messages;
    Object.assign(changed, { text: "c", time: 3 });

    const [, now] = readList(list, codec).messages;

    expect(now?.key).not.toBe(before?.key);
    expect(now?.decode()).toEqual({ role: "user", content: "c" });
  });

  test("is read again where a message can only be recognised by its content", () => {
    const { codec } = counting();
    const changed = { role: "user", text: "b" };
    const list = [{ role: "user", text: "a" }, changed];
    const [, before] = readList(list, codec).messages;
    Object.assign(changed, { text: "c" });

    const [, now] = readList(list, codec).messages;

    expect(now?.key).not.toBe(before?.key);
  });
});
