import { expect, it } from "vitest";

import { withCacheMarks } from "../src/cache-marks.ts";
import type { SdkMessage } from "../src/sdk-messages.ts";

const short = { type: "ephemeral" };
const long = { type: "ephemeral", ttl: "1h" };

function options(cacheControl: object): { readonly providerOptions: object } {
  return { providerOptions: { anthropic: { cacheControl } } };
}

function request(...system: readonly object[]): readonly SdkMessage[] {
  const content = [{ type: "text", text: "a text" }];
  return [
    ...system.map((one) => ({ role: "system", content: "You help.", ...one })),
    ...Array.from({ length: 6 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content,
    })),
  ];
}

/** The marks of messages, by their indexes. */
function marksOf(messages: readonly SdkMessage[]): unknown {
  return Object.fromEntries(
    messages.flatMap(({ providerOptions }, index) =>
      providerOptions === undefined
        ? []
        : [[index, Object(providerOptions).anthropic.cacheControl]],
    ),
  );
}

it("marks the system prompt and the newest three places of a view", () => {
  const marked = withCacheMarks(request({}), [], [1, 3, 4, 6]);

  expect(marksOf(marked)).toEqual({ 0: short, 3: short, 4: short, 6: short });
});

it("counts the app's own marks, and takes over their lifetime", () => {
  const marked = withCacheMarks(request(options(long)), [options(long)], [1, 3, 4, 6]);

  expect(marksOf(marked)).toEqual({ 0: long, 4: long, 6: long });
});

it("leaves a request with four marks of the app as it is", () => {
  const tools = [options(short), options(short), options(short), options(short)];

  expect(withCacheMarks(request({}), tools, [1, 6])).toEqual(request({}));
});

it("keeps the other options of a message", () => {
  const [answer] = withCacheMarks(
    [
      {
        role: "assistant",
        content: [],
        providerOptions: { openai: { itemId: "a" }, anthropic: { effort: "low" } },
      },
    ],
    [],
    [0],
  );

  expect(answer).toMatchObject({
    providerOptions: { openai: { itemId: "a" }, anthropic: { effort: "low", cacheControl: short } },
  });
});

it("marks for Bedrock too, and takes over the lifetime of its own marks", () => {
  const system = { providerOptions: { bedrock: { cachePoint: { type: "default", ttl: "1h" } } } };

  const marked = withCacheMarks(request(system), [], [6]);

  expect(marked.at(6)).toMatchObject({
    providerOptions: {
      anthropic: { cacheControl: long },
      bedrock: { cachePoint: { type: "default", ttl: "1h" } },
    },
  });
});
