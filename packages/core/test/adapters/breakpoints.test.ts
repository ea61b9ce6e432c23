import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { askedRetention, ownBreakpoints } from "../../src/adapters/breakpoints.ts";
import type { Fields } from "../../src/adapters/payload-format.ts";
import type { ViewMessage } from "../../src/view/layout.ts";

const marker = { type: "ephemeral" };
const user = (text: string): ViewMessage => ({ role: "user", content: [{ type: "text", text }] });
const result = (toolCallId: string, text = "result"): ViewMessage => ({
  role: "toolResult",
  toolCallId,
  toolName: "read",
  isError: false,
  content: [{ type: "text", text }],
});
const asks = (...ids: readonly string[]): ViewMessage => ({
  role: "assistant",
  content: [
    { type: "thinking", thinking: "hm", thinkingSignature: "signed" },
    ...ids.map((id) => ({ type: "toolCall", id, name: "read", arguments: {} })),
  ],
  meta: {},
});

/** The end of each message of a view in the request that Pi makes of it. */
interface Converted {
  readonly payload: Fields;
  readonly ends: readonly string[];
}

/** A view as Pi's Anthropic provider sends it: consecutive results are one message, the last block is marked. */
function anthropic(view: readonly ViewMessage[], change: Fields = {}): Converted {
  const messages: { role: string; content: Fields[] }[] = [];
  const ends = view.map((message, index) => {
    const blocks = contentOf(message).map(toAnthropic);
    if (message.role === "toolResult") {
      if (view[index - 1]?.role !== "toolResult") messages.push({ role: "user", content: [] });
      const { toolCallId } = message;
      messages
        .at(-1)
        ?.content.push({ type: "tool_result", tool_use_id: toolCallId, content: blocks });
    } else {
      const role = message.role === "assistant" ? "assistant" : "user";
      messages.push({ role, content: blocks });
    }
    return `${messages.length - 1}.${(messages.at(-1)?.content.length ?? 0) - 1}`;
  });
  const last = messages.at(-1);
  const end = last?.content.at(-1);
  if (last?.role === "user" && end !== undefined) {
    last.content = [...last.content.slice(0, -1), { ...end, cache_control: marker }];
  }
  const payload = {
    model: "claude-sonnet-4-5",
    max_tokens: 100,
    system: [{ type: "text", text: "prompt", cache_control: marker }],
    tools: [{ name: "read" }, { name: "bash", cache_control: marker }],
    messages,
    ...change,
  };
  return { payload, ends };
}

function contentOf(message: ViewMessage): readonly Fields[] {
  const { content } = message.role === "opaque" ? (message.raw as Fields) : message;
  return content as readonly Fields[];
}

function toAnthropic(block: Fields): Fields {
  if (block["type"] === "toolCall")
    return { type: "tool_use", id: block["id"], name: "read", input: {} };
  if (block["type"] === "thinking") {
    return { type: "thinking", thinking: block["thinking"], signature: block["thinkingSignature"] };
  }
  return block;
}

/** The places of the markers in the messages. */
function marks(payload: unknown): readonly string[] {
  const { messages } = payload as { readonly messages: readonly { content: unknown }[] };
  return messages.flatMap(({ content }, message) =>
    (Array.isArray(content) ? content : []).flatMap((block: Fields, index) =>
      "cache_control" in block || "cachePoint" in block ? [`${message}.${index}`] : [],
    ),
  );
}

/** A request without its breakpoints; a plain text becomes a text block. */
function unmarked(payload: unknown): unknown {
  return JSON.parse(JSON.stringify(payload), (key, value: unknown) => {
    if (key === "cache_control") return undefined;
    if (key === "content" && typeof value === "string") return [{ type: "text", text: value }];
    return value;
  });
}

const view = [
  user("first"),
  asks("a", "b"),
  result("a"),
  result("b"),
  asks("c"),
  result("c"),
  user("second"),
];

describe("breakpoints for Anthropic", () => {
  test("are at the ends that the view names, and the tools lose theirs", () => {
    const { payload, ends } = anthropic(view);

    const own = ownBreakpoints(payload, view, [3, 5, 6]);

    expect(marks(own)).toEqual([ends[3], ends[5], ends[6]]);
    expect(own?.["system"]).toEqual(payload["system"]);
    expect(own?.["tools"]).toEqual([{ name: "read" }, { name: "bash" }]);
    expect(unmarked(own)).toEqual(unmarked(payload));
  });

  test("do not change the request that they are made from", () => {
    const { payload } = anthropic(view);
    const before = structuredClone(payload);

    ownBreakpoints(payload, view, [3, 5, 6]);

    expect(payload).toEqual(before);
  });

  test("keep the lifetime that the host asks for", () => {
    const long = { type: "ephemeral", ttl: "1h" };
    const { payload } = anthropic(view, {
      system: [{ type: "text", text: "p", cache_control: long }],
    });
    const messages = JSON.parse(
      JSON.stringify(payload["messages"]).replaceAll('"ephemeral"', '"ephemeral","ttl":"1h"'),
    ) as unknown;

    const own = ownBreakpoints({ ...payload, messages }, view, [3, 6]);

    expect(JSON.stringify(own).match(/"ttl":"1h"/gu)).toHaveLength(3);
    expect(askedRetention({ ...payload, messages })).toBe("long");
    expect(askedRetention(anthropic(view).payload)).toBe("short");
  });

  test("keep only the last of a subscription's two system breakpoints", () => {
    const system = ["You are", "prompt"].map((text) => ({
      type: "text",
      text,
      cache_control: marker,
    }));
    const { payload } = anthropic(view, { system });

    expect(ownBreakpoints(payload, view, [3, 5, 6])?.["system"]).toEqual([
      { type: "text", text: "You are" },
      system[1],
    ]);
  });

  test("keep the tools' breakpoint if there is no system prompt", () => {
    const { payload } = anthropic(view, { system: undefined });

    const own = ownBreakpoints(payload, view, [2, 3, 5, 6]);

    expect(own?.["tools"]).toEqual(payload["tools"]);
    expect(marks(own)).toHaveLength(3);
  });

  test("end where the host's last one does, which may be after the view", () => {
    const { payload, ends } = anthropic(view);
    const messages = payload["messages"] as readonly Fields[];
    const added = {
      role: "system",
      content: [{ type: "text", text: "update", cache_control: marker }],
    };
    const stripped = JSON.parse(JSON.stringify(messages), (key, value: unknown) =>
      key === "cache_control" ? undefined : value,
    ) as readonly Fields[];

    const own = ownBreakpoints({ ...payload, messages: [...stripped, added] }, view, [3, 6]);

    expect(marks(own)).toEqual([ends[3], `${messages.length}.0`]);
  });

  test("are after the blocks that a provider's adapter appends to a result", () => {
    const shown = [user("look"), asks("a"), result("a"), asks("b"), result("b")];
    const { payload } = anthropic(shown);
    const messages = structuredClone(payload["messages"]) as { content: Fields[] }[];
    messages[2]?.content.push({ type: "text", text: "pictures of the result" });

    expect(marks(ownBreakpoints({ ...payload, messages }, shown, [2, 4]))).toEqual(["2.1", "4.0"]);
  });

  test("distinguish equal texts and ids by their order", () => {
    const twice = [
      user("go on"),
      asks("a"),
      result("a"),
      user("go on"),
      asks("a"),
      result("a"),
      user("go on"),
    ];
    const { payload, ends } = anthropic(twice);

    expect(marks(ownBreakpoints(payload, twice, [2, 3, 6]))).toEqual([ends[2], ends[3], ends[6]]);
  });

  test("are not on a text that the request has more often than the view", () => {
    const shown = [user("go on"), asks("a"), result("a"), user("end")];
    const { payload, ends } = anthropic(shown);
    const messages = [
      { role: "user", content: [{ type: "text", text: "go on" }] },
      ...(payload["messages"] as readonly Fields[]),
    ];

    expect(ends[3]).toBe("3.0");
    expect(marks(ownBreakpoints({ ...payload, messages }, shown, [0, 3]))).toEqual(["4.0"]);
  });

  test("recognise a result by its id as the provider's adapter writes it", () => {
    const odd = [user("look"), asks("call|1"), result("call|1"), user("next")];
    const { payload } = anthropic(odd);
    const wire = JSON.parse(JSON.stringify(payload).replaceAll("call|1", "call_1")) as Fields;

    expect(marks(ownBreakpoints(wire, odd, [2, 3]))).toEqual(["2.0", "3.0"]);
  });

  test("are after a message of the host's own kind, of which a part that it sends is found", () => {
    const content = [{ type: "text", text: "a note" }];
    const note: ViewMessage = { role: "opaque", kind: "custom", raw: { content } };
    const shown = [user("look"), asks("a"), result("a"), note, asks("b"), result("b")];
    const { payload, ends } = anthropic(shown);

    expect(marks(ownBreakpoints(payload, shown, [3, 5]))).toEqual([ends[3], ends[5]]);
  });

  test("turn a plain text into a block", () => {
    const plain = [user("first"), asks("a"), result("a"), user("second")];
    const { payload } = anthropic(plain);
    const messages = structuredClone(payload["messages"]) as { content: unknown }[];
    messages.splice(0, 1, { role: "user", content: "first" } as never);

    const own = ownBreakpoints({ ...payload, messages }, plain, [0, 3]);

    expect(own?.["messages"]).toEqual([
      { role: "user", content: [{ type: "text", text: "first", cache_control: marker }] },
      ...messages.slice(1),
    ]);
  });
});

describe("a request stays unchanged", () => {
  test("if the host marks nothing: caching is off, or the provider finds the cache by itself", () => {
    const { payload } = anthropic(view);

    expect(ownBreakpoints(unmarked(payload), view, [3, 6])).toBeUndefined();
    expect(askedRetention(unmarked(payload))).toBeUndefined();
  });

  test("if it is not of this view, such as a request for a summary", () => {
    const { payload } = anthropic([user("summarise the conversation")]);

    expect(ownBreakpoints(payload, view, [3, 5, 6])).toBeUndefined();
  });

  test("if its format is not known", () => {
    for (const payload of [
      undefined,
      "text",
      [],
      {},
      { messages: "none" },
      { contents: [] },
      { input: [] },
    ])
      expect(ownBreakpoints(payload, view, [3, 6])).toBeUndefined();
  });

  test("if the view names no end", () => {
    expect(ownBreakpoints(anthropic(view).payload, view, [])).toBeUndefined();
    expect(ownBreakpoints(anthropic(view).payload, view, [1, 99])).toBeUndefined();
  });
});

describe("breakpoints for chat completions with Anthropic's markers", () => {
  test("are on texts, including the system prompt", () => {
    const shown = [user("first"), asks("a", "b"), result("a"), result("b"), user("second")];
    const payload = {
      model: "anthropic/claude-opus-4.5",
      tools: [{ type: "function", cache_control: marker }],
      messages: [
        { role: "system", content: [{ type: "text", text: "prompt", cache_control: marker }] },
        { role: "user", content: "first" },
        { role: "assistant", tool_calls: [] },
        { role: "tool", tool_call_id: "a", content: "result" },
        { role: "tool", tool_call_id: "b", content: "result" },
        { role: "user", content: [{ type: "text", text: "second", cache_control: marker }] },
      ],
    };

    const own = ownBreakpoints(payload, shown, [3, 4]);

    expect(marks(own)).toEqual(["0.0", "4.0", "5.0"]);
    expect(own?.["tools"]).toEqual([{ type: "function" }]);
    expect(unmarked(own)).toEqual(unmarked(payload));
  });
});

describe("breakpoints for Bedrock", () => {
  test("are separate blocks after the content that they end", () => {
    const cachePoint = { type: "default", ttl: "1h" };
    const shown = [user("first"), asks("a", "b"), result("a"), result("b"), user("second")];
    const results = ["a", "b"].map((toolUseId) => ({
      toolResult: { toolUseId, content: [{ text: "r" }] },
    }));
    const payload = {
      modelId: "us.anthropic.claude-opus-4-5",
      system: [{ text: "prompt" }, { cachePoint }],
      messages: [
        { role: "user", content: [{ text: "first" }] },
        {
          role: "assistant",
          content: [{ toolUse: { toolUseId: "a" } }, { toolUse: { toolUseId: "b" } }],
        },
        { role: "user", content: results },
        { role: "user", content: [{ text: "second" }, { cachePoint }] },
      ],
    };

    expect(ownBreakpoints(payload, shown, [3, 4])).toEqual({
      ...payload,
      messages: payload.messages.with(2, {
        role: "user",
        content: [...results, { cachePoint }],
      } as never),
    });
  });
});

describe("on random views", () => {
  const word = fc.constantFrom("go on", "yes", "look at a.txt", "naïve \u{1F600}");
  const step = fc.oneof(
    word.map((text) => [user(text)]),
    fc
      .array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 4 })
      .map((ids) => [asks(...ids), ...ids.map((id) => result(id))]),
  );
  const views = fc.array(step, { minLength: 1, maxLength: 12 }).map((steps) => steps.flat());

  test("sets at most four breakpoints, at requested ends, and changes nothing else", () => {
    fc.assert(
      fc.property(views, fc.infiniteStream(fc.nat(60)), (shown, stream) => {
        const asked = [...stream.take(3)].filter((index) => index < shown.length);
        const boundaries = [...new Set([...asked, shown.length - 1])].toSorted((a, b) => a - b);
        const { payload, ends } = anthropic(shown);
        const own = ownBreakpoints(payload, shown, boundaries) ?? payload;

        const wanted = boundaries.map((index) => ends[index]);
        const found = marks(own);
        for (const place of found) expect(wanted).toContain(place);
        expect(JSON.stringify(own).split('"cache_control"').length - 1).toBeLessThanOrEqual(4);
        expect(found.at(-1)).toBe(marks(payload).at(-1));
        expect(unmarked(own)).toEqual(unmarked(payload));
      }),
    );
  });

  test("finds an end where the request that ended there had its last breakpoint", () => {
    fc.assert(
      fc.property(views, fc.nat(60), (steps, at) => {
        const shown = [...steps, user("the newest")];
        const ends = shown.flatMap(({ role }, index) => {
          const isEnd = role !== "assistant" && shown[index + 1]?.role !== "toolResult";
          return isEnd ? [index] : [];
        });
        const end = ends[at % ends.length] ?? 0;
        const former = marks(anthropic(shown.slice(0, end + 1)).payload).at(-1);

        const own = ownBreakpoints(anthropic(shown).payload, shown, [end, shown.length - 1]);

        expect(marks(own)).toContain(former);
      }),
    );
  });
});
