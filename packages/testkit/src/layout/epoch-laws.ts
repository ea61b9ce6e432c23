import {
  type ActiveObject,
  argumentsKey,
  contentParts,
  filledShare,
  isAssistantStep,
  type LayoutInput,
  type UseKey,
  type ViewEntry,
  type ViewRecord,
} from "@self-context-manager/core/layout";
import {
  defaultEpochSettings,
  type EpochSettings,
  isText,
  isToolCall,
  type Layout,
  type ViewMessage,
} from "@self-context-manager/core";
import { type EpochFigures, hasSignedThinking } from "@self-context-manager/core/host";
import assert from "node:assert/strict";

import { signatureIn } from "./bound-thinking-check.ts";
import { everyCall, everySession, type LayoutTrial } from "./layout-laws.ts";
import { markedCacheCheck } from "./marked-cache-check.ts";
import type { PlayedCall } from "./play-session.ts";
import { withoutOwnFields } from "./session-objects.ts";
import { foldedHandles, foldFaults, foldsIn } from "./fold-faults.ts";
import { summaryFaults, summaryOfTurn } from "./summary-faults.ts";
import { shownContents, withEnd } from "./shown-contents.ts";
import {
  hasOtherMessages,
  isJustified,
  isLate,
  isOtherModel,
  leftMiddles,
  totalTokens,
} from "./justified-end.ts";
import { isLeftLine, isShortened, lineOf, mostTokens, ofOtherScripts } from "./replacing-lines.ts";
import { assertDeparts } from "./departures.ts";

/**
 * The key of a law of layouts with epochs. It names the law in the doc comment of `Layout` and names the law's test.
 */
export type EpochLaw =
  | "sent-bytes-stay"
  | "cached-was-marked"
  | "an-end-is-justified"
  | "an-end-leaves-room"
  | "fresh-is-whole"
  | "free-texts-leave-behind-the-cut"
  | "fold-only-at-an-end"
  | "folded-is-named"
  | "summary-never-replaces-the-store"
  | "removed-content-is-named"
  | "departure-is-as-reported";

/** A layout with epochs, and the data that its laws need in addition. */
export interface EpochSubject {
  /** Returns the layout with some settings. All other settings have their defaults. */
  readonly make: (settings: Partial<EpochSettings>) => Layout;
  /** The settings that the layout is tested with. */
  readonly settings: EpochSettings;
  /** Counts a text's tokens, as a provider's tokenizer does. */
  readonly countTokens: (text: string) => number;
}

/** All laws of layouts with epochs, as checks over random sessions. A check throws if the layout breaks the law. */
export const epochLaws: Readonly<
  Record<EpochLaw, (subject: EpochSubject, trial: LayoutTrial) => void>
> = {
  "sent-bytes-stay": (subject, trial) => {
    everyEpochCall(subject, trial, (call, epoch) => {
      const { lastMessages, output } = call;
      const cut = firstDifference(lastMessages, output.messages);
      // Sent bytes can change anywhere if other messages are left out.
      if (!hasOtherMessages(call) && !epoch.isNew) {
        assert.equal(cut, lastMessages.length, `message ${cut} changed, but no epoch ended`);
        assertThinkingIsAppended(call);
      } else if (!hasOtherMessages(call) && cut < lastMessages.length)
        assert.ok(
          hasLeft(call, epoch, cut),
          `message ${cut} changed, but nothing of it left the view`,
        );
      assert.equal(epoch.promptTokens, totalTokens(output.messages));
      const shared = totalTokens(output.messages.slice(0, cut));
      assert.ok(epoch.sharedTokens <= shared, `${epoch.sharedTokens} of ${shared} were sent`);
    });
  },
  "cached-was-marked": ({ make, settings }, trial) => {
    everySession(make(settings), trial, (calls) => {
      const check = markedCacheCheck();
      for (const call of calls) check(call);
    });
  },
  "an-end-is-justified": (subject, trial) => {
    const patient = subject.make({
      ...subject.settings,
      share: Number.POSITIVE_INFINITY,
      shareAtTurn: Number.POSITIVE_INFINITY,
      shareDeactivated: Number.POSITIVE_INFINITY,
      // The settings with which every deactivated content leaves at once have no limit for small ones.
      ...(subject.settings.deactivate === "immediate" ? { small: 0 } : {}),
      deactivate: "at-epoch-end",
      superseded: "at-epoch-end",
    });
    everyEpochCall(subject, trial, (call, epoch) => {
      if (epoch.isNew)
        assert.ok(isJustified(call, epoch, subject.settings, patient), `${epoch.endedBy}`);
    });
  },
  "an-end-leaves-room": (subject, trial) => {
    everyEpochCall(subject, trial, ({ input, output }, { isNew, endedBy }) => {
      const { budget } = input;
      if (!isNew || endedBy !== "budget" || budget === undefined) return;
      const { metadata, chat, active } = output.tokens;
      const filled = metadata + chat + active;
      if (filled <= budget * filledShare) return;
      const couldLeave = entriesThatCouldLeave(output.record, input);
      assert.deepEqual(couldLeave, [], `${filled} tokens of ${budget} are filled`);
    });
  },
  "fresh-is-whole": ({ make, settings }, trial) => {
    everyCall(make({ ...settings, freshOutputs: "whole" }), trial, ({ input, output }) => {
      if (input.budget !== undefined) return;
      const contents = shownContents(output.messages, input);
      for (const { entry, stored } of freshOutputs(input)) {
        const text = withEnd(stored.body.content ?? "");
        const isWhole = contents.some(
          (one) => one.handle === entry.handle && withEnd(one.text) === text,
        );
        assert.ok(isWhole, `${entry.handle} was never shown whole`);
      }
    });
  },
  "free-texts-leave-behind-the-cut": (subject, trial) => {
    const { settings, make } = subject;
    everyEpochCall(subject, trial, (call, { isNew, endedBy }) => {
      if (!isNew) return;
      // The same end without free texts. They make it cheaper, so without them it can come later.
      const keeping = make({
        ...settings,
        ...(endedBy === "carried" ? { share: 0, shareAtTurn: 0 } : {}),
        replacedTexts: undefined,
        otherArguments: undefined,
        earlierThinking: "stays",
      });
      const { inputFrom, last, lastMessages, output } = call;
      const others = keeping.render(inputFrom(keeping, last), last);
      const cut = firstDifference(lastMessages, others.messages);
      const changed = firstDifference(lastMessages, output.messages);
      const before = lastMessages[changed];
      // Steps that an earlier end left out are back if there is room for them without the free texts.
      const areBack = endedBy === "budget" && before !== undefined && isLeftLine(before);
      assert.ok(
        changed >= cut || areBack,
        `message ${changed} changed, but nothing left before ${cut}`,
      );
    });
  },
  "fold-only-at-an-end": (subject, trial) => {
    everyEpochCall(subject, trial, ({ last, output }, epoch) => {
      const before = new Set(foldsIn(last).map((fold) => JSON.stringify(fold)));
      const made = foldsIn(output.record).filter((fold) => !before.has(JSON.stringify(fold)));
      assert.ok(epoch.isNew || made.length === 0, "steps were folded, but no epoch ended");
    });
  },
  "folded-is-named": (subject, trial) => {
    everyEpochCall(subject, trial, ({ input, output }) => {
      const { record, messages } = output;
      for (const [index, entry] of record.entries.entries()) {
        if (entry.type !== "assistant" || entry.fold === undefined) continue;
        assert.deepEqual(foldFaults(entry, record, input), []);
        const message = messages[index];
        const [first] = message?.role === "assistant" ? message.content : [];
        assert.ok(first !== undefined && isText(first) && first.text === entry.fold.text);
      }
    });
  },
  "summary-never-replaces-the-store": (subject, trial) => {
    const layout = subject.make(subject.settings);
    everyEpochCall(subject, trial, ({ inputFrom, last, output }, epoch) => {
      const given = inputFrom(layout, last);
      const input = { ...given, epochs: { ...given.epochs, summaryOf: summaryOfTurn } };
      const { record, messages } = layout.render(input, last);
      if (!epoch.isNew) {
        assert.deepEqual(messages, output.messages, "a summary changed a view within an epoch");
        return;
      }
      assert.deepEqual(summaryFaults(record, messages, input), []);
    });
  },
  "removed-content-is-named": (subject, trial) => {
    const { countTokens } = subject;
    everyEpochCall(subject, trial, ({ input, output: { messages, record } }, epoch) => {
      for (const { header } of shownContents(messages, input)) {
        const name = header.replace(/ (lines|replaces) .*$/u, "");
        const most = 12 + ofOtherScripts(name);
        assert.ok(countTokens(name) <= most, `${name} has ${countTokens(name)} tokens`);
      }
      if (!epoch.isNew || input.compaction !== undefined || isShortened(messages, input)) return;
      const folded = foldedHandles(record, input);
      for (const key of epoch.left) {
        if (folded.has(key.split("/")[0] ?? key)) continue;
        const line = lineOf(key, messages, input);
        assert.ok(line !== undefined, `${key} has left the view without a reference line`);
        const tokens = countTokens(withoutOwnFields(line).replace(/[^\]]$/u, "$&]"));
        const most = mostTokens(line) + ofOtherScripts(line);
        assert.ok(tokens <= most, `${line} has ${tokens} tokens`);
      }
    });
  },
  "departure-is-as-reported": (subject, trial) => {
    // The defaults keep short outputs; everything that is inactive leaves with the next call if the settings say so.
    const settings = [
      subject.settings,
      { ...defaultEpochSettings, trim: subject.settings.trim },
      { ...subject.settings, deactivate: "immediate" as const },
    ];
    for (const each of settings) {
      const layout = subject.make(each);
      everyEpochCall({ ...subject, settings: each }, trial, (call, epoch) =>
        assertDeparts(layout, call, epoch, each),
      );
    }
  },
};

/** Returns the active outputs, with a text and without ranges of lines, of the calls that the model has not answered. */
function freshOutputs({ active, turns, leftOut = [] }: LayoutInput): readonly ActiveObject[] {
  const step = turns.at(-1)?.steps.at(-1);
  if (step === undefined || !isAssistantStep(step) || leftOut.length > 0) return [];
  const ids = new Set(step.toolcall_ids);
  return active.filter(
    ({ entry, stored, ranges }) =>
      ids.has(entry.id) &&
      ranges === undefined &&
      stored.body["context_tool"] !== true &&
      (stored.body.content ?? "").trim() !== "",
  );
}

/**
 * Returns the entries of a view that could have left for the budget: messages of turns before the newest, and earlier
 * contents that are not pinned. A short content stays, because its line would be about as long.
 */
function entriesThatCouldLeave(
  { entries }: ViewRecord,
  { active }: LayoutInput,
): readonly ViewEntry[] {
  const pinned = new Set(active.flatMap((one) => (one.isPinned ? [one.entry.handle] : [])));
  const asked = entries.findLastIndex(({ type }) => type === "user");
  const unsentFrom = entries.findLastIndex(({ type }) => type === "assistant") + 1;
  return entries.filter((entry, index) => {
    const isMessage = entry.type !== "object" && entry.type !== "notice" && entry.type !== "added";
    if (isMessage && index < asked) return true;
    if (index === asked || index >= unsentFrom || entry.tokens <= shortTokens) return false;
    const parts = contentParts(entry);
    return parts.length > 0 && !parts.some(({ of }) => pinned.has(of));
  });
}

/** The most tokens that an entry with a short content has. */
const shortTokens = 40;

function everyEpochCall(
  { make, settings }: EpochSubject,
  trial: LayoutTrial,
  check: (call: PlayedCall, epoch: EpochFigures) => void,
): void {
  everyCall(make(settings), trial, (call) => {
    const { epoch } = call.output;
    assert.ok(epoch, "the layout reports its epochs");
    check(call, epoch);
  });
}

/** Checks that the answer to the last view is appended with its thinking. */
function assertThinkingIsAppended({
  input,
  last,
  lastMessages,
  output,
  ...call
}: PlayedCall): void {
  const { model, lastModel } = call;
  if (last === undefined || lastMessages.length === 0 || model.head !== lastModel?.head) return;
  if (model.thinking !== lastModel.thinking) return;
  const turn = input.turns[last.turns - 1];
  const step = turn?.steps[last.steps];
  if (step === undefined || !isAssistantStep(step) || step.view !== input.epochs?.lastCall) return;
  if (step.failed === true || !hasSignedThinking(step)) return;
  const saysMore = step.assistant.some(
    (block) => isToolCall(block) || (isText(block) && block.text.trim() !== ""),
  );
  // No answer that is sent ends with its thinking.
  if (!saysMore) return;
  const answer = output.messages[lastMessages.length];
  assert.ok(answer && signatureIn(answer) !== undefined, "the newest thinking is missing");
}

function firstDifference(before: readonly ViewMessage[], now: readonly ViewMessage[]): number {
  const at = before.findIndex(
    (message, index) => JSON.stringify(message) !== JSON.stringify(now[index]),
  );
  return at === -1 ? before.length : at;
}

/** Whether the first difference is content that left the view, or a place whose result arrived late. */
function hasLeft(call: PlayedCall, epoch: EpochFigures, cut: number): boolean {
  const { last, input, output, isCompacted, lastMessages, lastBudget } = call;
  const entry = last?.entries[cut];
  if (entry?.type === "assistant" && isOtherModel(call)) return true;
  if (entry === undefined || isCompacted || isLate(entry, input)) return true;
  if ((input.budget ?? Number.POSITIVE_INFINITY) > (lastBudget ?? Number.POSITIVE_INFINITY))
    return true;
  const keys = keysIn(entry, input);
  if (epoch.endedBy === "outputs") return leftMiddles(call).some(({ index }) => index === cut);
  if (epoch.endedBy === "budget") {
    // Whole turns leave the view. Contents are shown in part, or only at the place where they were requested again.
    if (lastMessages.some(isLeftLine) || isShortened(output.messages, input)) return true;
    // All finished steps are folded before messages leave.
    if (foldsIn(output.record).length > 0) return true;
    const shown = shownContents(output.messages, input);
    if (shown.some(({ handle }) => keys.includes(handle))) return true;
  }
  const left = new Set(epoch.left);
  return keys.some((key) => left.has(key));
}

/** Returns the keys of the parts of an entry that can leave the view. */
function keysIn(entry: ViewEntry, { turns, pool }: LayoutInput): readonly UseKey[] {
  if (entry.type !== "assistant") return contentParts(entry).map(({ of }) => of);
  const step = turns[entry.turn]?.steps[entry.step];
  const ids = step !== undefined && "assistant" in step ? step.toolcall_ids : [];
  return ids.flatMap((id) => {
    const handle = pool.get(id)?.handle;
    return handle === undefined ? [] : [argumentsKey(handle)];
  });
}
