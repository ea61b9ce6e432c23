import {
  type Block,
  epochLayout,
  type EpochSettings,
  isText,
  type Layout,
  type LayoutOutput,
  namedVersions,
  type VersionName,
  type ViewMessage,
} from "@self-context-manager/core";
import type { EpochLaw, LayoutLaw } from "@self-context-manager/testkit";

/** A way to break a layout, with the law that must see it. */
export interface LayoutFault {
  readonly law: LayoutLaw;
  readonly what: string;
  readonly layout: Layout;
}

/** Ways to break any layout. */
export function layoutFaults(sound: Layout): readonly LayoutFault[] {
  const changed = (change: (output: LayoutOutput) => LayoutOutput): Layout =>
    changedLayout(sound, change);
  const messages = (change: (messages: readonly ViewMessage[]) => readonly ViewMessage[]): Layout =>
    changed((output) => ({ ...output, messages: change(output.messages) }));
  return [
    {
      law: "output-is-legal",
      what: "drops the results of tool calls",
      layout: messages((all) => all.filter(({ role }) => role !== "toolResult")),
    },
    {
      law: "output-is-legal",
      what: "touches signed thinking",
      layout: messages((all) =>
        all.map((message) =>
          message.role === "assistant"
            ? { ...message, content: message.content.map(withoutSignature) }
            : message,
        ),
      ),
    },
    {
      law: "output-is-legal",
      what: "begins with an assistant's message",
      layout: messages((all) => {
        const first = all.findIndex(({ role }) => role === "assistant");
        return all.slice(Math.max(0, first));
      }),
    },
    {
      law: "output-is-legal",
      what: "breaks the cache before the first message",
      layout: changed((output) => ({ ...output, boundaries: [-1] })),
    },
    {
      law: "newest-user-message-is-there",
      what: "forgets the last message of the user",
      layout: {
        ...sound,
        render: (input, last) => {
          const turns = input.turns.map((turn, index) =>
            index === input.turns.length - 1 ? { ...turn, user: null } : turn,
          );
          return sound.render({ ...input, turns }, last);
        },
      },
    },
    {
      law: "active-is-shown",
      what: "shows an object twice",
      layout: messages((all) => {
        const shown = all.findLast((message) => textsOf(message).some((text) => /~~~/u.test(text)));
        return shown === undefined || shown.role === "opaque"
          ? all
          : [...all, { role: "user", content: shown.content }];
      }),
    },
    {
      law: "active-is-shown",
      what: "leaves an active object out",
      layout: {
        ...sound,
        render: (input, last) => {
          const output = sound.render({ ...input, active: input.active.slice(1) }, last);
          const shown = input.active.map(({ entry }) => ({ id: entry.id, form: "whole" as const }));
          return { ...output, shown };
        },
      },
    },
    {
      law: "active-is-shown",
      what: "cuts a content and calls it whole",
      layout: messages((all) =>
        all.map((message) => mapTexts(message, (text) => text.replace(/[a-z]{4}/gu, ""))),
      ),
    },
    {
      law: "budget-holds",
      what: "takes more than it may",
      layout: {
        ...sound,
        render: ({ budget: _budget, ...input }, last) => sound.render(input, last),
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
    { law: "nothing-volatile", what: "counts its renderings", layout: counting(sound) },
    {
      law: "rebuild-is-identical",
      what: "forgets a message when it makes a view again",
      layout: {
        ...sound,
        rebuild: (record, source) => sound.rebuild(record, source).slice(1),
      },
    },
    {
      law: "rebuild-is-identical",
      what: "makes a view again from the newest versions",
      layout: {
        ...sound,
        rebuild: (record, source) =>
          sound.rebuild(record, {
            ...source,
            object: (handle, version) =>
              source.object(handle, version + 1) ?? source.object(handle, version),
          }),
      },
    },
    {
      law: "rebuild-is-identical",
      what: "names fewer versions than it renders",
      layout: {
        ...sound,
        describe: (record) => sound.describe(record).map((entry) => ({ ...entry, versions: [] })),
      },
    },
    {
      law: "lost-versions-are-left-out",
      what: "needs every version for every message",
      layout: needingAll(sound),
    },
    {
      law: "lost-versions-are-left-out",
      what: "keeps lost versions in the record",
      layout: { ...sound, without: (record) => record },
    },
  ];
}

/** Renders no message again if a version of the newest view is missing. */
function needingAll(sound: Layout): Layout {
  let names: readonly VersionName[] = [];
  return {
    ...sound,
    render(input, last) {
      const output = sound.render(input, last);
      names = [...namedVersions(sound.describe(output.record)).values()];
      return output;
    },
    rebuild(record, source) {
      for (const { handle, version } of names) {
        if (source.object(handle, version) === undefined)
          throw new RangeError(`${handle} version ${version} is lost`);
      }
      return sound.rebuild(record, source);
    },
  };
}

/** A way to break a layout with epochs, by how it is made. */
export interface EpochFault {
  readonly law: EpochLaw;
  readonly what: string;
  readonly make: (settings: Partial<EpochSettings>) => Layout;
}

/** Ways to break a layout with epochs. */
export const epochFaults: readonly EpochFault[] = [
  {
    law: "sent-bytes-stay",
    what: "writes again what was sent",
    make: changing((output) => ({
      ...output,
      messages: output.messages.map((message) =>
        mapTexts(message, (text) => `${text} (${output.messages.length})`),
      ),
    })),
  },
  {
    law: "sent-bytes-stay",
    what: "ends an epoch and does not say so",
    make: changing(({ epoch, ...output }) => ({
      ...output,
      ...(epoch === undefined ? {} : { epoch: { ...epoch, isNew: false } }),
    })),
  },
  {
    law: "sent-bytes-stay",
    what: "takes more for sent than was",
    make: changing(({ epoch, ...output }) => ({
      ...output,
      ...(epoch === undefined ? {} : { epoch: { ...epoch, sharedTokens: epoch.sharedTokens + 1 } }),
    })),
  },
  {
    law: "an-end-is-justified",
    what: "ends an epoch as soon as something is dead",
    make: (settings) =>
      epochLayout(
        settings.share === Number.POSITIVE_INFINITY
          ? settings
          : { ...settings, share: 0, shareAtTurn: 0 },
      ),
  },
  {
    law: "an-end-is-justified",
    what: "takes a warm cache for a cold one",
    make: (settings) => {
      const sound = epochLayout(settings);
      return {
        ...sound,
        render: (input, last) => {
          const cache = { read: 0.1, write: 1.25, rewrites: "what-follows", isCold: true } as const;
          return sound.render({ ...input, cache }, last);
        },
      };
    },
  },
  {
    law: "removed-content-is-named",
    what: "leaves no word of what has left",
    make: changing((output) => ({
      ...output,
      messages: output.messages.map((message) =>
        mapTexts(message, (text) => text.replace(/^\[[a-z]\d+ .*\]$/u, "(gone)")),
      ),
    })),
  },
  {
    law: "removed-content-is-named",
    what: "says so at length",
    make: changing((output) => ({
      ...output,
      messages: output.messages.map((message) =>
        mapTexts(message, (text) =>
          text.replace(
            /^(\[[a-z]\d+ .*)\]$/u,
            "$1, which is no longer shown, and can be shown again with activate]",
          ),
        ),
      ),
    })),
  },
  {
    law: "removed-content-is-named",
    what: "heads contents with all it knows",
    make: changing((output) => ({
      ...output,
      messages: output.messages.map((message) =>
        mapTexts(message, (text) =>
          text.replace(/^([a-z]\d+) (.*)\n(~{3,})\n/u, "$1 $2 of the file in the folder $2\n$3\n"),
        ),
      ),
    })),
  },
];

function changing(
  change: (output: LayoutOutput) => LayoutOutput,
): (settings: Partial<EpochSettings>) => Layout {
  return (settings) => changedLayout(epochLayout(settings), change);
}

function changedLayout(sound: Layout, change: (output: LayoutOutput) => LayoutOutput): Layout {
  return { ...sound, render: (input, last) => change(sound.render(input, last)) };
}

function counting(sound: Layout): Layout {
  let count = 0;
  return changedLayout(sound, (output) => {
    count += 1;
    const messages = [...output.messages, { role: "user", content: `rendering ${count}` } as const];
    return { ...output, messages };
  });
}

function withoutSignature(block: Block): Block {
  if (block.type !== "thinking") return block;
  const { thinkingSignature: _signature, ...rest } = block;
  return { ...rest, type: "thinking" };
}

function textsOf(message: ViewMessage): readonly string[] {
  if (message.role === "opaque" || typeof message.content === "string") return [];
  return message.content.filter(isText).map(({ text }) => text);
}

/** Changes what stands in messages of the user's and in results, but for what the user said as a plain text. */
function mapTexts(message: ViewMessage, change: (text: string) => string): ViewMessage {
  if (message.role !== "user" && message.role !== "toolResult") return message;
  if (typeof message.content === "string") return message;
  const content = message.content.map((block) =>
    isText(block) ? { ...block, text: change(block.text) } : block,
  );
  return { ...message, content };
}
