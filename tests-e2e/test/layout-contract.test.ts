import {
  type Block,
  isText,
  type Layout,
  type LayoutOutput,
  pooledLayout,
  type ViewMessage,
} from "@self-context-manager/core";
import { layoutContract, type LayoutLaw, layoutLaws } from "@self-context-manager/testkit";
import { describe, expect, it } from "vitest";

layoutContract({ name: "pooled", layout: pooledLayout });

/** Ways to break a layout, each with the law that must see it. */
const faults: readonly {
  readonly law: LayoutLaw;
  readonly what: string;
  readonly layout: Layout;
}[] = [
  {
    law: "output-is-legal",
    what: "drops the results of tool calls",
    layout: changed((output) => ({
      ...output,
      messages: output.messages.filter(({ role }) => role !== "toolResult"),
    })),
  },
  {
    law: "output-is-legal",
    what: "touches signed thinking",
    layout: changed((output) => ({
      ...output,
      messages: output.messages.map((message) =>
        message.role === "assistant"
          ? { ...message, content: message.content.map(withoutSignature) }
          : message,
      ),
    })),
  },
  {
    law: "output-is-legal",
    what: "begins with an assistant's message",
    layout: changed((output) => ({
      ...output,
      messages: output.messages.slice(
        Math.max(
          0,
          output.messages.findIndex(({ role }) => role === "assistant"),
        ),
      ),
    })),
  },
  {
    law: "newest-user-message-is-there",
    what: "forgets the last message of the user",
    layout: {
      name: "broken",
      render: (input) =>
        pooledLayout.render({
          ...input,
          turns: input.turns.map((turn, index) =>
            index === input.turns.length - 1 ? { ...turn, user: null } : turn,
          ),
        }),
    },
  },
  {
    law: "active-is-shown",
    what: "shows an object twice",
    layout: {
      name: "broken",
      render: (input) => {
        const output = pooledLayout.render({
          ...input,
          active: [...input.active, ...input.active],
        });
        return { ...output, shown: output.shown.slice(0, input.active.length) };
      },
    },
  },
  {
    law: "active-is-shown",
    what: "leaves an active object out",
    layout: {
      name: "broken",
      render: (input) => {
        const output = pooledLayout.render({ ...input, active: input.active.slice(1) });
        const shown = input.active.map(({ entry }) => ({ id: entry.id, as: "whole" as const }));
        return { ...output, shown };
      },
    },
  },
  {
    law: "active-is-shown",
    what: "cuts a content and calls it whole",
    layout: changed((output) => ({
      ...output,
      messages: output.messages.map((message) =>
        mapTexts(message, (text) => text.replace(/[a-z]{4}/gu, "")),
      ),
    })),
  },
  {
    law: "budget-holds",
    what: "takes more than it may",
    layout: {
      name: "broken",
      render: ({ budget: _budget, ...input }) => pooledLayout.render(input),
    },
  },
  {
    law: "budget-holds",
    what: "tells fewer tokens than it takes",
    layout: changed((output) => ({
      ...output,
      tokens: { ...output.tokens, chat: Math.floor(output.tokens.chat / 2) },
    })),
  },
  { law: "nothing-volatile", what: "counts its renderings", layout: counting() },
  {
    law: "rebuild-is-identical",
    what: "records the first version of every object",
    layout: recording((name) => `${name.slice(0, name.lastIndexOf("@"))}@1`),
  },
  {
    law: "rebuild-is-identical",
    what: "does not record how much room there was",
    layout: {
      ...pooledLayout,
      rebuild: ({ memory, ...record }, source) => {
        const { budget: _budget, ...rest } = memory;
        return pooledLayout.rebuild({ ...record, memory: rest }, source);
      },
    },
  },
];

/** The pooled layout with other names of versions in its record. */
function recording(change: (name: string) => string): Layout {
  return {
    ...pooledLayout,
    rebuild: (record, source) => {
      const pool = (record.memory["pool"] as readonly string[]).map(change);
      return pooledLayout.rebuild({ ...record, memory: { ...record.memory, pool } }, source);
    },
  };
}

describe("a broken layout is seen", () => {
  it.each(faults)("by $law where it $what", ({ law, layout }) => {
    const trial = { numRuns: 300, seed: 7 };

    expect(() => layoutLaws[law](pooledLayout, trial)).not.toThrow();
    expect(() => layoutLaws[law](layout, trial)).toThrow(/Property failed/u);
  });

  it("by every law", () => {
    expect(new Set(faults.map(({ law }) => law))).toEqual(new Set(Object.keys(layoutLaws)));
  });
});

function changed(change: (output: LayoutOutput) => LayoutOutput): Layout {
  return { name: "broken", render: (input) => change(pooledLayout.render(input)) };
}

function counting(): Layout {
  let count = 0;
  return changed((output) => {
    count += 1;
    return {
      ...output,
      messages: [...output.messages, { role: "user", content: `rendering ${count}` }],
    };
  });
}

function withoutSignature(block: Block): Block {
  if (block.type !== "thinking") return block;
  const { thinkingSignature: _signature, ...rest } = block;
  return { ...rest, type: "thinking" };
}

function mapTexts(message: ViewMessage, change: (text: string) => string): ViewMessage {
  if (message.role !== "user" || typeof message.content === "string") return message;
  return {
    ...message,
    content: message.content.map((block) =>
      isText(block) ? { ...block, text: change(block.text) } : block,
    ),
  };
}
