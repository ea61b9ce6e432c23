import type { ContextSession, View } from "@self-context-manager/core";
import {
  type HostSettings,
  markedMessages,
  type ModelReply,
  type ModelRequest,
  scriptedCodec,
} from "@self-context-manager/testkit";
import assert from "node:assert/strict";

import { type ScriptedHost, scriptedHost, type ScriptedHostOptions } from "./scripted-host.ts";

/** Tests a law with hosts of these options. Throws if the law is broken. */
type ScriptedLaw = (options: ScriptedHostOptions, settings: HostSettings) => Promise<void>;

/**
 * Laws of `connect` that need more than a host shows: the views that the requests were made of, and the figures as numbers.
 * The adapters for Pi and for the AI SDK, which place breakpoints too, test the places in the forms of their providers.
 */
export const scriptedLaws: Readonly<Record<string, ScriptedLaw>> = {
  "a request has the breakpoints of its view": async (options, settings) => {
    const views: View[] = [];
    const openedAs = (session: ContextSession): ContextSession => ({
      ...session,
      ingestAndView: async (...given) => {
        const view = await session.ingestAndView(...given);
        views.push(view);
        return view;
      },
    });
    await using driven = await openDriven({ ...options, openedAs }, settings);

    for (let turn = 0; turn < 20; turn += 1) await driven.host.prompt(`prompt ${turn}`);

    const placed = driven.host.payloads().map(markedMessages);
    // A layout that names no places leaves the harness's own breakpoint, at the end.
    const named = views.map(({ boundaries, messages }) => boundaries ?? [messages.length - 1]);
    assert.deepEqual(placed, named);
    assert.ok(settings === "pooled" || named.some(({ length }) => length > 2), "several places");
  },
  "the figures agree with the requests": async (options, settings) => {
    await using driven = await openDriven(options, settings);
    const { host, tokens } = driven;

    await host.prompt("one");
    await host.restart();
    await host.prompt("two");
    host.setBroken(true);
    await host.prompt("while broken");
    host.setBroken(false);
    await host.prompt("three");

    const { account, reported } = await host.figures();
    // Two requests had the harness's own messages.
    const managed = [...tokens.slice(0, 4), ...tokens.slice(6)];
    const sum = managed.reduce((all, one) => all + one, 0);
    assert.equal(tokens.length, 8);
    assert.equal(account?.estimated.calls, managed.length, "calls");
    assert.equal(account.reported.calls, managed.length, "calls with a report");
    assert.equal(account.reported.input, sum, "reported tokens");
    assert.equal(account.billed.units, sum, "billed tokens");
    assert.equal(reported?.input, managed.at(-1), "tokens of the last request");
  },
};

/** Faults by the law that each breaks. */
export const scriptedLawFaults: Readonly<
  Record<string, Readonly<Record<string, ScriptedHostOptions>>>
> = {
  "a request has the breakpoints of its view": {
    "sends the request as it was": {
      breaking: (adapter) => ({ sends: (payload) => void adapter.sends(payload) }),
    },
  },
  "the figures agree with the requests": {
    "does not pass the tokens of an answer": { breaking: () => ({ answered: () => undefined }) },
    "passes the tokens of another request": {
      breaking: (adapter) => ({ answered: (tokens) => adapter.answered(tokens + 1) }),
    },
    "reads no usage": {
      codec: {
        ...scriptedCodec,
        decode: (message) => {
          if (message.kind !== "model") return scriptedCodec.decode(message);
          const { tokens: _, ...answer } = message;
          return scriptedCodec.decode(answer);
        },
      },
    },
  },
};

/** A host whose model calls a tool once in each run. */
interface Driven extends AsyncDisposable {
  readonly host: ScriptedHost;
  /** The tokens of each request, as the provider has reported them. */
  readonly tokens: readonly number[];
}

async function openDriven(options: ScriptedHostOptions, settings: HostSettings): Promise<Driven> {
  const tokens: number[] = [];
  const model = (request: ModelRequest): ModelReply => {
    tokens.push(JSON.stringify(request).length);
    const run = Math.floor(tokens.length / 2);
    const call = { id: `show_${run}`, name: "show", arguments: { path: `${run}.txt` } };
    const calls = tokens.length % 2 === 1 ? [call] : [];
    return { text: calls.length === 0 ? "done" : "", calls, tokens: tokens.at(-1) ?? 0 };
  };
  const host = await scriptedHost(options)({
    model,
    files: Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`${index}.txt`, `line ${index}\n`.repeat(400)]),
    ),
    adapter: "managed",
    brokenStore: false,
    compactsEagerly: false,
    settings,
    thinking: "free",
  });
  return { host, tokens, [Symbol.asyncDispose]: async () => await host[Symbol.asyncDispose]() };
}
