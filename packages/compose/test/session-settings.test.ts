import {
  type ContextSession,
  type Message,
  neutralCodec,
  readList,
} from "@self-context-manager/core";
import { describe, expect, it } from "vitest";

import { openContextManager, sessionSettings } from "../src/index.ts";

describe("sessionSettings", () => {
  it("returns the defaults without options", () => {
    const { policy, layout, activateUnread, readLimits } = sessionSettings();

    expect([policy.name, layout.name, activateUnread]).toEqual([
      "recently-used",
      "epoch",
      undefined,
    ]);
    expect(readLimits).toEqual({ lines: 2_000, characters: 51_200 });
  });

  it("returns the parts that the options name", () => {
    const readLimits = { lines: 10, characters: 100 };
    const settings = sessionSettings({
      policy: { type: "window" },
      layout: "pooled",
      activateUnread: "ask",
      longTexts: Number.POSITIVE_INFINITY,
      readLimits,
    });

    expect(settings.policy.name).toBe("window");
    expect(settings.layout.name).toBe("pooled");
    expect(settings.activateUnread).toBe("ask");
    expect(settings.longTexts).toBe(Number.POSITIVE_INFINITY);
    expect(settings.readLimits).toBe(readLimits);
  });

  it.each([99, 2_000.5, Number.NaN])("refuses %d as the limit of long texts", (longTexts) => {
    const message = `longTexts is ${longTexts}; it must be a whole number from 100, or Infinity`;

    expect(() => sessionSettings({ longTexts })).toThrow(new RangeError(message));
  });

  it("refuses a name that is not known", async () => {
    const options = { store: "memory", layout: "folded" as "epoch" } as const;
    const message = 'layout is "folded"; it must be epoch or pooled';

    expect(() => sessionSettings(options)).toThrow(new RangeError(message));
    await expect(openContextManager(options)).rejects.toThrow(new RangeError(message));
  });
});

describe("a named setting", () => {
  it("ends epochs later the more careful it is", async () => {
    const ends = await Promise.all(
      (["thrifty", "default", "careful"] as const).map(async (setting) => await firstEnd(setting)),
    );

    const [thrifty = 0, usual = 0, careful = 0] = ends;
    expect(thrifty).toBeGreaterThan(20);
    expect(usual).toBeGreaterThan(thrifty + 2);
    expect(careful).toBeGreaterThan(usual + 2);
  });

  it("shows a new long output whole, unless it is thrifty", async () => {
    const output = "words of an output, and more of them. ".repeat(600);
    const shown = await Promise.all(
      (["thrifty", "default", "careful"] as const).map(
        async (setting) => await showsWhole(setting, output),
      ),
    );

    expect(shown).toEqual([false, true, true]);
  });

  it("keeps no more objects at the end of an epoch than are active", () => {
    expect(() => sessionSettings({ policy: { type: "recently-used", alive: 1 } })).not.toThrow();
  });
});

type Named = "thrifty" | "default" | "careful";

/** Returns the call with which the first epoch ends in a session of equal commands. */
async function firstEnd(setting: Named): Promise<number> {
  await using opened = await openNamed(setting);
  const messages: Message[] = [...begun];
  for (let call = 1; call <= 200; call += 1) {
    const view = await opened.session.ingestAndView(readList(messages, neutralCodec));
    if (view.epoch?.isNew === true) return call;
    messages.push(...commandOf(call, `${call} words of an output. `.repeat(200)));
  }
  return Number.POSITIVE_INFINITY;
}

/** Whether the output of a command is shown whole before the model has answered it. */
async function showsWhole(setting: Named, output: string): Promise<boolean> {
  await using opened = await openNamed(setting);
  const messages = [...begun, ...commandOf(1, output)];
  const view = await opened.session.ingestAndView(readList(messages, neutralCodec));
  return JSON.stringify(view.messages).includes(JSON.stringify(output).slice(1, -1));
}

async function openNamed(
  setting: Named,
): Promise<AsyncDisposable & { readonly session: ContextSession }> {
  const policy = { type: "recently-used", setting } as const;
  const manager = await openContextManager({ store: "memory", policy, watch: false });
  const session = await manager.openSession({ harness: "test", sessionId: setting });
  return { session, [Symbol.asyncDispose]: async () => await manager[Symbol.asyncDispose]() };
}

const begun: readonly Message[] = [{ role: "user", content: "go on", timestamp: 1 }];

/** Returns the messages of a call of a command and its result. */
function commandOf(call: number, output: string): readonly Message[] {
  const id = `call_${call}`;
  return [
    {
      role: "assistant",
      content: [{ type: "toolCall", id, name: "bash", arguments: { command: `make ${call}` } }],
      meta: {},
      timestamp: 2 * call,
    },
    {
      role: "toolResult",
      toolCallId: id,
      toolName: "bash",
      content: [{ type: "text", text: output }],
      isError: false,
      timestamp: 2 * call + 1,
    },
  ];
}
