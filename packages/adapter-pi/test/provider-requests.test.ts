import type { View } from "@self-context-manager/core";
import { describe, expect, test } from "vitest";

import { providerRequests } from "../src/provider-requests.ts";

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
    const requests = providerRequests();
    requests.sends(view, messages);

    expect(JSON.stringify(requests.payload(payload)).match(/cache_control/gu)).toHaveLength(3);
  });

  test("stay unchanged with the host's breakpoints, and while the host's own messages are sent", () => {
    const host = providerRequests("host");
    host.sends(view, messages);
    const idle = providerRequests();
    idle.sends(view, messages);
    idle.sendsNothing();

    expect([host.payload(payload), idle.payload(payload)]).toEqual([undefined, undefined]);
  });

  test("are assumed to be long-lived before the first one, if Pi asks for that", () => {
    const requests = providerRequests("own", Date.now, true);
    const before = requests.viewOptions(claude).prices;
    requests.sends(view, messages);
    requests.payload(payload);

    expect(before).toMatchObject({ write: 2, lifetime: 3_600_000 });
    expect(requests.viewOptions(claude).prices).toMatchObject({ write: 1.25, lifetime: 300_000 });
  });

  test("give the next view its prices and the owner of the breakpoints", () => {
    const own = providerRequests();
    const host = providerRequests("host");

    expect(own.viewOptions(claude)).toMatchObject({
      model: "anthropic/claude-opus-5",
      prices: { write: 1.25 },
      breakpoints: "own",
    });
    expect(host.viewOptions(claude).breakpoints).toBe("host");
    expect(own.viewOptions({ ...claude, api: "pi-messages" }).breakpoints).toBe("host");
    expect(host.viewOptions(gpt).breakpoints).toBe("own");
    expect(own.viewOptions(undefined)).toEqual({});
  });

  test("show by their breakpoints how long an entry lives, and whether one is wanted", () => {
    const requests = providerRequests();
    requests.sends(view, messages);
    requests.payload(
      JSON.parse(JSON.stringify(payload).replaceAll('"ephemeral"', '"ephemeral","ttl":"1h"')),
    );
    const long = requests.viewOptions(claude);
    requests.payload(bare);
    const none = requests.viewOptions(claude);
    const automatic = requests.viewOptions(gpt);

    expect(long.prices).toMatchObject({ write: 2, lifetime: 3_600_000 });
    expect(none.prices).toMatchObject({ write: 1, caching: "none" });
    expect(automatic.prices).toMatchObject({ read: 0.1, caching: "automatic" });
  });

  test("extend the life of an entry when Pi sends a request again", () => {
    let time = 0;
    const requests = providerRequests("own", () => time);
    const lifetime = (): number => requests.viewOptions(claude).prices?.lifetime ?? 0;
    requests.sends(view, messages);
    requests.payload(payload);
    const once = lifetime();
    time = 270_000;
    requests.payload(payload);
    const again = lifetime();
    requests.sendsNothing();
    const atNextContext = lifetime();
    requests.sends(view, messages);
    requests.payload(payload);

    expect([once, again, atNextContext, lifetime()]).toEqual([300_000, 570_000, 570_000, 300_000]);
  });

  test("are shown with the usage that the last answer reported", () => {
    const requests = providerRequests();
    requests.answered({ role: "assistant", usage: { input: 1, cacheRead: 2, cacheWrite: 3 } });
    requests.answered({ role: "assistant", usage: {} });
    requests.answered({ role: "user", usage: { input: 9 } });

    expect(requests.figures(view, claude)).toMatchObject({
      tokens: view.tokens,
      reported: { input: 1, cacheRead: 2, cacheWrite: 3 },
      prices: { source: "table" },
    });
  });

  test("are compared byte for byte with the request before", () => {
    const requests = providerRequests();
    requests.sends(view, messages);
    const first = requests.figures(view, claude).stability;
    requests.sendsNothing();
    requests.sends(view, [...messages, { role: "user", content: "third" }]);
    const appended = requests.figures(view, claude).stability;
    requests.sends(view, [{ role: "user", content: "changed" }, ...messages.slice(1)]);

    expect(first).toBeUndefined();
    expect(appended).toMatchObject({ messages: 2, isAppended: true });
    expect(requests.figures(view, claude).stability).toMatchObject({ messages: 0, tokens: 0 });
  });
});
