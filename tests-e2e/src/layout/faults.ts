import {
  type Block,
  epochLayout,
  type EpochSettings,
  isText,
  isToolCall,
  type Layout,
  pooledLayout,
  type ViewMessage,
} from "@self-context-manager/core";
import {
  type ActiveObject,
  filledShare,
  type LayoutOutput,
} from "@self-context-manager/core/layout";
import { namedVersions, type VersionName } from "@self-context-manager/core/inspect";
import { fieldsOf, withoutSignedThinking } from "@self-context-manager/core/host";
import { type JsonObject, metadataVersion } from "@self-context-manager/objects";
import type { EpochLaw, LayoutLaw, PoolLaw } from "@self-context-manager/testkit";

/** A fault of a layout, with the law that must detect it. */
export interface LayoutFault {
  readonly law: LayoutLaw;
  readonly what: string;
  readonly layout: Layout;
}

/** Returns faults that can be planted in any layout. */
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
      what: "changes signed thinking",
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
      what: "states a wrong number of characters that are left out of arguments",
      layout: messages((all) =>
        all.map((message) =>
          withArguments(
            message,
            (text) => `${text.slice(0, 200)}\n[${text.length - 199} characters left out]`,
          ),
        ),
      ),
    },
    {
      law: "output-is-legal",
      what: "leaves out thinking of the present turn",
      layout: changed((output) => ({
        ...output,
        messages: output.messages.map((message) =>
          message.role === "assistant"
            ? { ...message, content: message.content.filter(({ type }) => type !== "thinking") }
            : message,
        ),
      })),
    },
    {
      law: "output-is-legal",
      what: "begins with an assistant message",
      layout: messages((all) => {
        const first = all.findIndex(({ role }) => role === "assistant");
        return all.slice(Math.max(0, first));
      }),
    },
    {
      law: "output-is-legal",
      what: "sets a boundary before the first message",
      layout: changed((output) => ({ ...output, boundaries: [-1] })),
    },
    {
      law: "bound-thinking-stays-valid",
      what: "treats bound thinking as free",
      layout: {
        ...sound,
        render: (input, last) => sound.render({ ...input, thinking: "free" }, last),
      },
    },
    {
      law: "left-out-is-not-shown",
      what: "shows messages that are left out",
      layout: {
        ...sound,
        render: ({ leftOut: _leftOut, ...input }, last) => sound.render(input, last),
      },
    },
    {
      law: "left-out-is-not-shown",
      what: "leaves out whole turns only",
      layout: {
        ...sound,
        render: ({ leftOut = [], ...input }, last) => {
          const turns = leftOut.filter((row) => /^\d+$/u.test(row));
          return sound.render({ ...input, leftOut: turns }, last);
        },
      },
    },
    {
      law: "newest-user-message-is-there",
      what: "forgets the last user message",
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
      law: "newest-user-message-is-there",
      what: "puts the notice on missing turns behind it",
      layout: messages((all) => [
        ...all.filter((message) => !isNoteOnTurns(message)),
        ...all.filter(isNoteOnTurns),
      ]),
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
      what: "cuts a content and reports it as whole",
      layout: messages((all) =>
        all.map((message) => mapTexts(message, (text) => text.replace(/[a-z]{4}/gu, ""))),
      ),
    },
    {
      law: "loaded-is-named",
      what: "forgets the objects that a program has loaded",
      layout: {
        ...sound,
        render: (input, last) => {
          const pool = [...input.pool].filter(([, { row }]) => row.loaded !== true);
          const active = input.active.filter(({ entry }) => entry.row.loaded !== true);
          return sound.render({ ...input, pool: new Map(pool), active }, last);
        },
      },
    },
    {
      law: "budget-holds",
      what: "exceeds the budget",
      layout: {
        ...sound,
        render: ({ budget: _budget, ...input }, last) => sound.render(input, last),
      },
    },
    {
      law: "budget-holds",
      what: "reports fewer tokens than it uses",
      layout: changed((output) => ({
        ...output,
        tokens: { ...output.tokens, chat: Math.floor(output.tokens.chat / 2) },
      })),
    },
    {
      law: "own-lines-are-known",
      what: "writes a notice that is of no known kind",
      layout: messages((all) => [
        ...all,
        { role: "user", content: [{ type: "text", text: "[something is not shown]" }] },
      ]),
    },
    {
      law: "own-lines-are-known",
      what: "shows contents without their fences",
      layout: messages((all) =>
        all.map((message) =>
          mapTexts(message, (text) => text.replace(/^.*\n(~{3,})\n([^]*)\1$/u, "$2")),
        ),
      ),
    },
    { law: "nothing-volatile", what: "adds the number of the rendering", layout: counting(sound) },
    {
      law: "rebuild-is-identical",
      what: "forgets a message when it rebuilds a view",
      layout: {
        ...sound,
        rebuild: (record, source) => sound.rebuild(record, source).slice(1),
      },
    },
    {
      law: "rebuild-is-identical",
      what: "rebuilds a view from the newest versions",
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

/** Returns a layout that rebuilds no message if a version of the newest view is missing. */
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

/** A fault of a layout with epochs, given by the function that makes the layout. */
export interface EpochFault {
  readonly law: EpochLaw;
  readonly what: string;
  readonly make: (settings: Partial<EpochSettings>) => Layout;
}

/** Faults of layouts with epochs. */
export const epochFaults: readonly EpochFault[] = [
  {
    law: "fresh-is-whole",
    what: "shows the ends of a new output",
    make: (settings) => epochLayout({ ...settings, freshOutputs: "ends" }),
  },
  {
    law: "sent-bytes-stay",
    what: "changes sent messages",
    make: changing((output) => ({
      ...output,
      messages: output.messages.map((message) =>
        mapTexts(message, (text) => `${text} (${output.messages.length})`),
      ),
    })),
  },
  {
    law: "sent-bytes-stay",
    what: "ends an epoch without reporting it",
    make: changing(({ epoch, ...output }) => ({
      ...output,
      ...(epoch === undefined ? {} : { epoch: { ...epoch, isNew: false } }),
    })),
  },
  {
    law: "sent-bytes-stay",
    what: "reports more tokens as sent than were sent",
    make: changing(({ epoch, ...output }) => ({
      ...output,
      ...(epoch === undefined ? {} : { epoch: { ...epoch, sharedTokens: epoch.sharedTokens + 1 } }),
    })),
  },
  {
    law: "sent-bytes-stay",
    what: "leaves out the thinking of each new answer",
    make: (settings) => {
      const sound = epochLayout(settings);
      return {
        ...sound,
        render: ({ epochs: { lastCall: _call, ...epochs } = {}, ...input }, last) =>
          sound.render({ ...input, epochs }, last),
      };
    },
  },
  {
    law: "an-end-is-justified",
    what: "gives up bound thinking within a turn",
    make: (settings) => {
      const sound = epochLayout(settings);
      return {
        ...sound,
        render: (input, last) => {
          const output = sound.render({ ...input, thinking: "free" }, last);
          if (output.epoch?.isNew !== true || input.thinking !== "bound") return output;
          return { ...output, messages: output.messages.map(withoutThinking) };
        },
      };
    },
  },
  {
    law: "an-end-is-justified",
    what: "ends an epoch at the first dead content",
    make: (settings) =>
      epochLayout(
        settings.share === Number.POSITIVE_INFINITY
          ? settings
          : { ...settings, share: 0, shareAtTurn: 0 },
      ),
  },
  {
    law: "an-end-is-justified",
    what: "treats a warm cache as a cold one",
    make: (settings) => {
      const sound = epochLayout(settings);
      return {
        ...sound,
        render: (input, last) => {
          const cache = { read: 0.1, write: 1.25, rewrites: "what-follows", isCold: true } as const;
          return sound.render({ ...input, epochs: { ...input.epochs, cache } }, last);
        },
      };
    },
  },
  {
    law: "cached-was-marked",
    what: "counts all unchanged text as cached",
    make: changing((output) =>
      output.epoch === undefined
        ? output
        : { ...output, epoch: { ...output.epoch, cachedTokens: output.epoch.sharedTokens } },
    ),
  },
  {
    law: "cached-was-marked",
    what: "has no boundary where the cache is read",
    make: changing(({ boundaries = [], ...output }) => ({
      ...output,
      boundaries: boundaries.slice(-1),
    })),
  },
  {
    law: "an-end-leaves-room",
    what: "fills the whole budget when the budget ends an epoch",
    make: (settings) => {
      const sound = epochLayout(settings);
      return {
        ...sound,
        render: ({ budget, ...input }, last) =>
          sound.render(
            { ...input, ...(budget === undefined ? {} : { budget: budget / filledShare }) },
            last,
          ),
      };
    },
  },
  {
    law: "free-texts-leave-behind-the-cut",
    what: "shows long arguments by their beginning everywhere when an epoch ends",
    make: (settings) =>
      settings.otherArguments === undefined
        ? epochLayout(settings)
        : changedLayout(epochLayout(settings), (output) => ({
            ...output,
            messages:
              output.epoch?.isNew === true
                ? output.messages.map((message) =>
                    withArguments(message, (text) => `${text.slice(0, 200)}\n[left out]`),
                  )
                : output.messages,
          })),
  },
  {
    law: "fold-only-at-an-end",
    what: "writes a fold again with each call",
    make: changing((output) => withFolds(output, (text) => `${text} `)),
  },
  {
    law: "folded-is-named",
    what: "counts one call more in folds",
    make: changing((output) =>
      withFolds(output, (text) => text.replace(/^\[(\d+)/u, (_, count) => `[${Number(count) + 1}`)),
    ),
  },
  {
    law: "folded-is-named",
    what: "does not end the last line of folds",
    make: changing((output) => withFolds(output, (text) => text.trimEnd())),
  },
  {
    law: "summary-never-replaces-the-store",
    what: "shows only the summary of a turn in its fold",
    make: (settings) => {
      const sound = epochLayout(settings);
      return {
        ...sound,
        render: (input, last) => {
          const output = sound.render(input, last);
          if (input.epochs?.summaryOf === undefined) return output;
          return withFolds(output, (text) => /summary: .*/u.exec(text)?.[0] ?? text);
        },
      };
    },
  },
  {
    law: "removed-content-is-named",
    what: "removes content without a reference line",
    make: changing((output) => ({
      ...output,
      messages: output.messages.map((message) =>
        mapTexts(message, (text) => text.replace(/^\[[a-z]\d+ .*\]$/u, "(gone)")),
      ),
    })),
  },
  {
    law: "removed-content-is-named",
    what: "writes long reference lines",
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
    what: "writes long headers",
    make: changing((output) => ({
      ...output,
      messages: output.messages.map((message) =>
        mapTexts(message, (text) =>
          text.replace(/^([a-z]\d+) (.*)\n(~{3,})\n/u, "$1 $2 of the file in the folder $2\n$3\n"),
        ),
      ),
    })),
  },
  {
    law: "departure-is-as-reported",
    what: "reports that short outputs leave, which stay",
    make: (settings) => ({
      ...epochLayout(settings),
      departureOf: () => ({ when: "epoch-end" }),
    }),
  },
  {
    law: "departure-is-as-reported",
    what: "does not report that calls which changed a file stay",
    make: (settings) => ({
      ...epochLayout(settings),
      departureOf: (record, handle) => epochLayout(settings).departureOf?.(record, handle, []),
    }),
  },
  {
    law: "departure-is-as-reported",
    what: "keeps short outputs although everything has to leave at once",
    make: keepingShort,
  },
  {
    law: "departure-is-as-reported",
    what: "keeps short outputs and reports that they leave at once",
    make: (settings) => ({
      ...keepingShort(settings),
      departureOf: (...asked) => epochLayout(settings).departureOf?.(...asked),
    }),
  },
];

/** Returns a layout that ends an epoch with each call, and keeps short outputs. */
function keepingShort(settings: Partial<EpochSettings>): Layout {
  const shares = { share: 0, shareAtTurn: 0, shareDeactivated: 0 };
  return epochLayout({ ...settings, ...shares, small: 20, deactivate: "at-epoch-end" });
}

/** A fault of a layout with a list of known objects, with the law that must detect it. */
export interface PoolFault {
  readonly law: PoolLaw;
  readonly what: string;
  readonly layout: Layout;
}

/** Faults of layouts with a list of known objects. */
export const poolFaults: readonly PoolFault[] = [
  {
    law: "no-former-content",
    what: "shows a file as the model got it although it has changed",
    layout: {
      ...pooledLayout,
      render: (input, last) =>
        pooledLayout.render({ ...input, active: input.active.map(asIfNewest) }, last),
    },
  },
  {
    law: "no-former-content",
    what: "does not report the newer version of a file",
    layout: changedLayout(pooledLayout, (output) => ({
      ...output,
      messages: output.messages.map((message) =>
        mapTexts(message, (text) => text.replaceAll(/ -> v\d+ /gu, " ")),
      ),
    })),
  },
  {
    law: "pool-entries-never-change",
    what: "changes the line of a changed object in place",
    layout: { ...pooledLayout, render: (input) => pooledLayout.render(input) },
  },
  {
    law: "pool-entries-never-change",
    what: "keeps only the first line of an object",
    layout: changedLayout(pooledLayout, (output) => ({
      ...output,
      messages: output.messages.map((message, index) =>
        index === 0 ? mapTexts(message, withFirstLines) : message,
      ),
    })),
  },
];

/** Returns an active object as if the version that the session may show were its newest one. */
function asIfNewest(object: ActiveObject): ActiveObject {
  return { ...object, entry: { ...object.entry, stored: metadataVersion(object.stored) } };
}

/** Returns a list without the later lines of each handle. */
function withFirstLines(text: string): string {
  const lines = text.split("\n");
  const first = (line: string): number =>
    lines.findIndex((other) => other.split(" ")[0] === line.split(" ")[0]);
  return lines.filter((line, index) => first(line) === index).join("\n");
}

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

function withoutThinking(message: ViewMessage): ViewMessage {
  if (message.role !== "assistant") return message;
  return { ...message, content: withoutSignedThinking(message.content) };
}

/** Changes the long texts in the arguments of an answer's calls. */
function withArguments(message: ViewMessage, change: (text: string) => string): ViewMessage {
  if (message.role !== "assistant") return message;
  const content = message.content.map((block) => {
    if (!isToolCall(block)) return block;
    const args = Object.entries(fieldsOf(block.arguments)).map(([name, value]) => [
      name,
      typeof value === "string" && value.length > 240 ? change(value) : value,
    ]);
    return { ...block, arguments: Object.fromEntries(args) as JsonObject };
  });
  return { ...message, content };
}

function isNoteOnTurns(message: ViewMessage): boolean {
  return textsOf(message).some((text) => /^\[turns \d+ to \d+ are not shown; /u.test(text));
}

function textsOf(message: ViewMessage): readonly string[] {
  if (message.role === "opaque" || typeof message.content === "string") return [];
  return message.content.filter(isText).map(({ text }) => text);
}

/** Changes the texts in user messages and in results, except in user messages that are plain strings. */
function mapTexts(message: ViewMessage, change: (text: string) => string): ViewMessage {
  if (message.role !== "user" && message.role !== "toolResult") return message;
  if (typeof message.content === "string") return message;
  const content = message.content.map((block) =>
    isText(block) ? { ...block, text: change(block.text) } : block,
  );
  return { ...message, content };
}

/** Changes the texts of the folds of a view, in its record and in its messages. */
function withFolds(output: LayoutOutput, change: (text: string) => string): LayoutOutput {
  const entries = output.record.entries.map((entry) =>
    entry.type === "assistant" && entry.fold !== undefined
      ? { ...entry, fold: { ...entry.fold, text: change(entry.fold.text) } }
      : entry,
  );
  const messages = output.messages.map((message, index) => {
    const entry = entries[index];
    if (entry?.type !== "assistant" || entry.fold === undefined || message.role !== "assistant")
      return message;
    const [, ...rest] = message.content;
    return { ...message, content: [{ type: "text" as const, text: entry.fold.text }, ...rest] };
  });
  return { ...output, record: { ...output.record, entries }, messages };
}
