import { describe, expect, test } from "vitest";
import { type SentRequests, sentRequests } from "../../src/adapters/sent-requests.ts";
import type { View } from "../../src/session/view-options.ts";

type Options = Parameters<typeof sentRequests>[0];

function requestsWith(options: Partial<Options> = {}): SentRequests<unknown> {
  return sentRequests({ breakpoints: "own", isCacheLong: false, ...options });
}

const marker = { type: "ephemeral" };
const messages = [
  { role: "user", content: "first" },
  { role: "user", content: "second" },
];
const view = {
  messages,
  boundaries: [0, 1],
  tokens: { metadata: 1, chat: 2, active: 3 },
} as unknown as View;
const payload = {
  max_tokens: 10,
  system: [{ type: "text", text: "prompt", cache_control: marker }],
  messages: [
    { role: "user", content: "first" },
    { role: "user", content: [{ type: "text", text: "second", cache_control: marker }] },
  ],
};
const bare = { max_tokens: 10, system: [{ type: "text", text: "prompt" }], messages };
const claude = { provider: "anthropic", id: "claude-opus-5", api: "anthropic-messages" };
const gpt = { provider: "openai", id: "gpt-5", api: "openai-responses" };

describe("requests to the provider", () => {
  test("get the breakpoints of the view that they contain", () => {
    const requests = requestsWith();
    requests.sends(view, messages);

    expect(JSON.stringify(requests.payload(payload)).match(/cache_control/gu)).toHaveLength(3);
  });

  test("stay unchanged with the host's breakpoints, and while the host's own messages are sent", () => {
    const host = requestsWith({ breakpoints: "host" });
    host.sends(view, messages);
    const idle = requestsWith();
    idle.sends(view, messages);
    idle.sendsOwn(undefined);

    expect([host.payload(payload), idle.payload(payload)]).toEqual([undefined, undefined]);
  });

  test("are assumed to be long-lived before the first one, if the host asks for that", () => {
    const requests = requestsWith({ isCacheLong: true });
    const before = requests.modelOptions(claude).prices;
    requests.sends(view, messages);
    requests.payload(payload);

    expect(before).toMatchObject({ write: 2, lifetime: 3_600_000 });
    expect(requests.modelOptions(claude).prices).toMatchObject({ write: 1.25, lifetime: 300_000 });
  });

  test("give the next view its prices and the owner of the breakpoints", () => {
    const own = requestsWith();
    const host = requestsWith({ breakpoints: "host" });

    expect(own.modelOptions(claude)).toMatchObject({
      model: "anthropic/claude-opus-5",
      prices: { write: 1.25 },
      breakpoints: "own",
    });
    expect(host.modelOptions(claude).breakpoints).toBe("host");
    expect(own.modelOptions({ ...claude, api: "pi-messages" }).breakpoints).toBe("host");
    expect(host.modelOptions(gpt).breakpoints).toBe("own");
  });

  test("show by their breakpoints how long an entry lives, and whether one is wanted", () => {
    const requests = requestsWith();
    requests.sends(view, messages);
    requests.payload(
      JSON.parse(JSON.stringify(payload).replaceAll('"ephemeral"', '"ephemeral","ttl":"1h"')),
    );
    const long = requests.modelOptions(claude);
    requests.payload(bare);
    const none = requests.modelOptions(claude);
    const automatic = requests.modelOptions(gpt);

    expect(long.prices).toMatchObject({ write: 2, lifetime: 3_600_000 });
    expect(none.prices).toMatchObject({ write: 1, caching: "none" });
    expect(automatic.prices).toMatchObject({ read: 0.1, caching: "automatic" });
  });

  test("extend the life of an entry when the host sends a request again", () => {
    let time = 0;
    const requests = requestsWith({ clock: { now: () => time } });
    const lifetime = (): number =>
      requests.kept(requests.modelOptions(claude)).prices.lifetime ?? 0;
    requests.sends(view, messages);
    requests.payload(payload);
    const once = lifetime();
    time = 270_000;
    requests.payload(payload);
    const again = lifetime();
    requests.sendsOwn(undefined);
    const atNextContext = lifetime();
    requests.sends(view, messages);
    requests.payload(payload);

    expect([once, again, atNextContext, lifetime()]).toEqual([300_000, 570_000, 570_000, 300_000]);
  });

  test("are shown with the usage that the last answer reported", () => {
    const requests = requestsWith();
    requests.answered({ input: 1, cacheRead: 2, cacheWrite: 3 });

    expect(requests.figures(view, requests.modelOptions(claude).prices)).toMatchObject({
      tokens: view.tokens,
      reported: { input: 1, cacheRead: 2, cacheWrite: 3 },
      prices: { source: "table" },
    });
  });

  test("are compared byte for byte with the request before", () => {
    const requests = requestsWith();
    requests.sends(view, messages);
    const first = requests.figures(view, undefined).stability;
    requests.sendsOwn(undefined);
    requests.sends(view, [...messages, { role: "user", content: "third" }]);
    const appended = requests.figures(view, undefined).stability;
    requests.sends(view, [{ role: "user", content: "changed" }, ...messages.slice(1)]);

    expect(first).toBeUndefined();
    expect(appended).toMatchObject({ messages: 2, isAppended: true });
    expect(requests.figures(view, undefined).stability).toMatchObject({ messages: 0, tokens: 0 });
  });
});
