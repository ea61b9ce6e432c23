import {
  type ActiveObject,
  argumentsKey,
  calibratedEstimator,
  callsOf,
  contentParts,
  filledShare,
  handlesShown,
  isAssistantStep,
  type LayoutInput,
  leftOutOf,
  type MessagePlace,
  messageTokens,
  placesOf,
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
import { isJsonObject, type ObjectId } from "@self-context-manager/objects";
import assert from "node:assert/strict";

import { signatureIn } from "./bound-thinking-check.ts";
import { everyCall, type LayoutTrial } from "./layout-laws.ts";
import { type PlayedCall, usualCache } from "./play-session.ts";
import { withoutOwnFields } from "./session-objects.ts";
import { foldedHandles, foldFaults, foldsIn, isFoldLeftOut } from "./fold-faults.ts";
import { summaryFaults, summaryOfTurn } from "./summary-faults.ts";
import { shownContents, withEnd } from "./shown-contents.ts";

/**
 * The key of a law of layouts with epochs. It names the law in the doc comment of `Layout` and names the law's test.
 */
export type EpochLaw =
  | "sent-bytes-stay"
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
      if (epoch.isNew) assert.ok(isJustified(call, epoch, subject, patient), `${epoch.endedBy}`);
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
      assert.ok(changed >= cut, `message ${changed} changed, but nothing left before ${cut}`);
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

/** The tokens that a name of 40 columns can have in addition. The marks of a cut name and of lines are no letters. */
function ofOtherScripts(line: string): number {
  return /[^\p{ASCII}…]/u.test(line) ? 40 : 0;
}

/** Returns how many tokens the line of an object can have. Reports and ranges of lines need more than a reference. */
function mostTokens(line: string): number {
  // The report of a change names two sizes and two versions.
  if (/ changed, /u.test(line)) return 34;
  // The line of an object that does not fit says what to do.
  if (line.includes("; no room to show it, ")) return 38;
  // The mark in a message of the user says how the rest is read.
  if (line.includes(" characters not shown; ")) return 22;
  return / lines \d+-\d+ /u.test(line) ? 26 : 17;
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

function answersIn({ entries }: ViewRecord): number {
  return entries.filter(({ type }) => type === "assistant").length;
}

/** Checks that each inactive object with content in the last view has left, or stays, as the layout reported. */
function assertDeparts(
  layout: Layout,
  call: PlayedCall,
  epoch: EpochFigures,
  { deactivate }: EpochSettings,
): void {
  const { last, input, output, isCompacted } = call;
  if (last === undefined || isCompacted || isShortened(output.messages, input)) return;
  if (hasOtherMessages(call)) return;
  // With a larger budget the view is made again: what a smaller one had moved is at its place again.
  if ((input.budget ?? Number.POSITIVE_INFINITY) > (call.lastBudget ?? Number.POSITIVE_INFINITY))
    return;
  // Without an answer to the last view, no one has asked for a deactivation after it. The user can also have gone back.
  if (answersIn(output.record) <= answersIn(last)) return;
  const active = new Set(input.active.map(({ entry }) => entry.handle));
  // The result of a change of a file can leave with the version of the file that it replaces.
  const changing = new Set(
    last.entries.flatMap((entry) =>
      entry.type === "result" && entry.replaces !== undefined ? [entry.of] : [],
    ),
  );
  const newest = new Set(newestParts(output.record));
  const isSwept = epoch.isNew && epoch.endedBy !== "outputs";
  const folded = foldedHandles(output.record, input);
  for (const handle of handlesShown(last.entries)) {
    if (active.has(handle) || changing.has(handle) || newest.has(handle)) continue;
    const changes = changesOf(handle, last, input);
    const departure = layout.departureOf?.(
      last,
      handle,
      changes.map(({ place }) => place),
    );
    assert.ok(departure, `${handle} is in view, but its departure is not reported`);
    const isThere = handlesShown(output.record.entries).has(handle);
    const canStay = deactivate === "at-epoch-end" || isReport(handle, input);
    assert.ok(departure.when !== "never" || canStay, `${handle} is too short to leave at once`);
    if (departure.when === "never")
      assert.ok(
        isThere || folded.has(handle),
        `${handle} was reported to stay, but has left the view`,
      );
    else if (departure.when === "next-call" || isSwept) {
      const isRestThere = isThere || changes.some(({ id }) => hasCall(output.messages, id));
      assert.ok(
        departure.mayStay === true || !isRestThere,
        `${handle} is inactive and was reported to leave, but is in view`,
      );
      assert.ok(
        departure.mayStay !== true || isRestThere || folded.has(handle),
        `text of ${handle} was reported to stay, but is not in view`,
      );
    }
  }
}

/** Whether an object is the report of a context tool, which is never active. */
function isReport(handle: string, { pool }: LayoutInput): boolean {
  const entry = [...pool.values()].find((one) => one.handle === handle);
  return entry?.stored.body["context_tool"] === true;
}

/** Returns the handles of the long parts of the newest user message. They never leave. */
function newestParts({ entries }: ViewRecord): readonly string[] {
  const user = entries.findLast((entry) => entry.type === "user");
  return (user?.parts ?? []).map(({ of }) => of);
}

/** Returns the calls in a view that wrote or edited a file, read only from their arguments. */
function changesOf(
  handle: string,
  { entries }: ViewRecord,
  { pool, turns }: LayoutInput,
): readonly { readonly place: MessagePlace; readonly id: string }[] {
  const file = [...pool.values()].find((entry) => entry.handle === handle);
  const path = file?.stored.body["path"];
  return entries.flatMap((entry) => {
    if (entry.type !== "assistant" || path === undefined) return [];
    const { turn, step } = entry;
    const made = turns[turn]?.steps[step];
    return (made === undefined ? [] : callsOf(made)).flatMap(
      ({ id, name, arguments: args }, call) => {
        const isChange = name === "write" || name === "edit";
        return isChange && isJsonObject(args) && args["path"] === path
          ? [{ place: { turn, step, call }, id }]
          : [];
      },
    );
  });
}

function hasCall(messages: readonly ViewMessage[], id: string): boolean {
  return messages.some(
    (message) =>
      message.role === "assistant" &&
      message.content.some((block) => isToolCall(block) && block.id === id),
  );
}

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

function totalTokens(messages: readonly ViewMessage[]): number {
  const estimator = calibratedEstimator();
  return messages.reduce((sum, message) => sum + Math.ceil(messageTokens(message, estimator)), 0);
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

/** Whether the last view was made for a model whose thinking the present one does not accept. */
function isOtherModel({ model, lastModel }: PlayedCall): boolean {
  if (model.thinking !== "bound" || lastModel === undefined) return false;
  return lastModel.thinking !== "bound" || lastModel.head !== model.head;
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

/** Whether a result has arrived that the last view did not contain. */
function isLate(entry: ViewEntry, { turns, pool }: LayoutInput): boolean {
  if (entry.type !== "result" || entry.of !== undefined) return false;
  const step = turns[entry.turn]?.steps[entry.step];
  const id = step !== undefined && "assistant" in step ? step.toolcall_ids[entry.call] : undefined;
  return id !== undefined && pool.has(id);
}

function isJustified(
  call: PlayedCall,
  { endedBy, left }: EpochFigures,
  { settings }: EpochSubject,
  patient: Layout,
): boolean {
  const { input, last, lastBudget, isCompacted, inputFrom } = call;
  const mayCost = settings.deactivate === "immediate" || settings.superseded === "at-once";
  // If other messages are left out, the thinking is refused in any case.
  const isCostly = losesThinkingInTurn(call) && !hasOtherMessages(call);
  const isOwnChoice = endedBy === "carried" || endedBy === "outputs" || endedBy === "cold";
  if (isOwnChoice && !mayCost && isCostly) return false;
  switch (endedBy) {
    case "compaction":
      return isCompacted;
    case "late-result":
      return last?.entries.some((entry) => isLate(entry, input)) === true;
    case "cold":
      return isColdEnd(call, left);
    case "budget": {
      const { budget, ...rest } = inputFrom(patient, last);
      // These events change the view, whether or not the budget is sufficient.
      if (isCompacted || hasReturned(call)) return true;
      if (last?.entries.some((entry) => isLate(entry, input)) === true) return true;
      if (lastBudget !== undefined && (budget ?? Number.POSITIVE_INFINITY) > lastBudget)
        return true;
      if (isUserMessageWholeAgain(call)) return true;
      const epochs = { ...rest.epochs, cache: usualCache };
      const { tokens, epoch, record } = patient.render({ ...rest, epochs }, last);
      const grown = tokens.metadata + tokens.chat + tokens.active;
      // Without a limit the removed content returns. Then no figure shows how long the view would have grown.
      const most =
        totalTokens(call.lastMessages) +
        (call.output.epoch?.appendOnlyTokens ?? 0) +
        broughtTokens(record, last);
      const would = epoch?.isNew === true ? most * (input.calibration?.factor ?? 1) : grown;
      if (budget !== undefined && would > budget) return true;
      // An end with another reason is reported as the budget's if the newest contents then did not fit.
      return isColdEnd(call, left) || isCarriedEnd(call, settings, patient);
    }
    case "carried":
      return isCarriedEnd(call, settings, patient);
    case "outputs":
      return isOutputsEnd(call);
    case "returned":
      return hasReturned(call) || isFoldLeftOut(last, input);
    case "thinking":
      return isOtherModel(call) && call.lastMessages.some((one) => signatureIn(one) !== undefined);
    // No session of these laws asks for folded work.
    case "unfolded":
    case undefined:
      return false;
    default:
      return endedBy satisfies never;
  }
}

/** Whether the view leaves out other messages than the last one. */
function hasOtherMessages({ input, lastLeftOut }: PlayedCall): boolean {
  return lastLeftOut.join() !== (input.leftOut ?? []).join();
}

/** Whether messages that the last view left out are in the chat, and are no longer left out. */
function hasReturned({ input, lastLeftOut }: PlayedCall): boolean {
  const leftOut = leftOutOf(input.leftOut ?? []);
  return placesOf(input.turns, leftOutOf(lastLeftOut)).some((place) => !leftOut.has(place));
}

/**
 * Whether a view that follows results of tools shows less of the signed thinking than the last one, although the model
 * would have accepted it.
 */
function losesThinkingInTurn(call: PlayedCall): boolean {
  const { model, lastMessages, output } = call;
  if (model.thinking !== "bound" || isOtherModel(call)) return false;
  const answered = output.record.entries.findLastIndex(({ type }) => type === "assistant");
  if (output.record.entries.slice(answered + 1).some(({ type }) => type === "user")) return false;
  const kept = new Set(output.messages.map(signatureIn));
  return lastMessages.some((message) => {
    const signature = signatureIn(message);
    return signature !== undefined && !kept.has(signature);
  });
}

/** Whether the newest user message of the last view was shown in part, and this view shows it whole. */
function isUserMessageWholeAgain({ last, output }: PlayedCall): boolean {
  return (last?.entries ?? []).some(
    (before) =>
      before.type === "user" &&
      isInPart(before) &&
      output.record.entries.some(
        (entry) => entry.type === "user" && entry.turn === before.turn && !isInPart(entry),
      ),
  );
}

function isInPart({ head, parts = [] }: ViewEntry & { readonly type: "user" }): boolean {
  return head !== undefined || parts.some((part) => part.head !== undefined || part.gone === true);
}

/**
 * Returns the tokens of the contents that a view shows in new results. A chat that is only appended to does not show a
 * content again.
 */
function broughtTokens({ entries }: ViewRecord, last: ViewRecord | undefined): number {
  return entries.reduce((sum, entry) => {
    const isNew = entry.type === "result" && isAfter(entry, last);
    return isNew && contentParts(entry).length > 0 ? sum + entry.tokens : sum;
  }, 0);
}

/** Whether a place of the chat is after the part that a view represents. */
function isAfter(
  { turn, step }: { readonly turn: number; readonly step: number },
  last: ViewRecord | undefined,
): boolean {
  if (last === undefined) return true;
  return turn >= last.turns || (turn === last.turns - 1 && step >= last.steps);
}

function isColdEnd({ input }: PlayedCall, left: EpochFigures["left"]): boolean {
  return input.epochs?.cache?.isCold === true && left.length > 0;
}

function isCarriedEnd(call: PlayedCall, settings: EpochSettings, patient: Layout): boolean {
  const { last, inputFrom } = call;
  if (settings.superseded === "at-once" && showsReplaced(call)) return true;
  const figures = patient.render(inputFrom(patient, last), last).epoch;
  if (figures === undefined || figures.deadTokens === 0) return false;
  if (settings.deactivate === "immediate" || settings.superseded === "at-once") return true;
  const share = Math.min(settings.share, settings.shareAtTurn, settings.shareDeactivated / 2);
  return figures.carried >= share * figures.rewrite;
}

/** Whether middles of outputs left that had cost about half of what writing again what follows them costs. */
function isOutputsEnd(call: PlayedCall): boolean {
  const { input, last, output } = call;
  const { read, write, isCold } = input.epochs?.cache ?? usualCache;
  const found = leftMiddles(call);
  const [first] = found;
  if (first === undefined || last === undefined) return false;
  if (isCold) return true;
  // The answers that are in folds now were sent behind the outputs too.
  const answers = output.record.entries
    .filter(isAnswer)
    .flatMap(({ turn, step, fold }) =>
      [step, ...(fold?.steps ?? [])].map((at) => [turn, at] as const),
    );
  const carried = found.reduce((sum, { tokens, place: { turn, step } }) => {
    const behind = answers.filter(
      ([ofTurn, at]) => ofTurn > turn || (ofTurn === turn && at > step),
    );
    return sum + read * tokens * (behind.length - 1);
  }, 0);
  const written = last.entries.slice(first.index).reduce((sum, { tokens }) => sum + tokens, 0);
  const gone = found.reduce((sum, { tokens }) => sum + tokens, 0);
  // The layout estimates the tokens of a mark between the ends.
  return carried >= 0.4 * (write - read) * (written - gone);
}

function isAnswer(entry: ViewEntry): entry is ViewEntry & { readonly type: "assistant" } {
  return entry.type === "assistant";
}

type ResultEntry = ViewEntry & { readonly type: "result" };

/** A result that the last view showed whole, and this one by its ends. */
interface LeftMiddle {
  /** Index in the last view. */
  readonly index: number;
  readonly place: ResultEntry;
  /** The tokens that left. */
  readonly tokens: number;
}

function leftMiddles({ last, output }: PlayedCall): readonly LeftMiddle[] {
  const now = new Map<string, ResultEntry>();
  for (const entry of output.record.entries)
    if (entry.type === "result") now.set(placeOf(entry), entry);
  return (last?.entries ?? []).flatMap((entry, index) => {
    if (entry.type !== "result" || !hasOwn(entry, "whole")) return [];
    const later = now.get(placeOf(entry));
    if (later === undefined || !hasOwn(later, "part")) return [];
    return [{ index, place: entry, tokens: entry.tokens - later.tokens }];
  });
}

function placeOf({ turn, step, call }: ResultEntry): string {
  return `${turn}.${step}.${call}`;
}

function hasOwn({ of, shows }: ResultEntry, form: "whole" | "part"): boolean {
  return shows?.some((part) => part.of === of && part.form === form) === true;
}

/** Whether the last view shows an old version of an active object. */
function showsReplaced({ input, last }: PlayedCall): boolean {
  const newest = new Map(input.active.map(({ entry, stored }) => [entry.handle, stored.version]));
  return (
    last?.entries.some((entry) =>
      contentParts(entry).some(({ of, version }) => version < (newest.get(of) ?? version)),
    ) === true
  );
}

/**
 * Returns the text that replaces content that left the view: a reference line or an argument stub. Returns an empty
 * text if the content is shown elsewhere.
 */
function lineOf(
  key: UseKey,
  messages: readonly ViewMessage[],
  input: LayoutInput,
): string | undefined {
  const [handle = "", kind] = key.split("/");
  const id = input.handles?.get(handle);
  if (kind === "args") return stubOf(messages, id);
  const lines = messages.flatMap((message) => {
    if (message.role === "opaque" || typeof message.content === "string") return [];
    return message.content.filter(isText).map(({ text }) => text);
  });
  const line = lines.find((text) => text.startsWith(`[${handle} `) && text.endsWith("]"));
  if (line !== undefined) return line;
  const mark = markOf(handle, messages);
  if (mark !== undefined) return mark;
  const isShown = shownContents(messages, input).some((shown) => shown.handle === handle);
  return isShown || isPictured(handle, messages) ? "" : undefined;
}

/** Returns the omission mark of a long text, or the line of an image, in a user message. */
function markOf(handle: string, messages: readonly ViewMessage[]): string | undefined {
  const mark = new RegExp(
    `^\\[(?:\\d+ characters|image) not shown; activate ${handle} [^\\]\n]*\\]$`,
    "mu",
  );
  for (const message of messages) {
    if (message.role !== "user") continue;
    const { content } = message;
    const texts =
      typeof content === "string" ? [content] : content.filter(isText).map((one) => one.text);
    const [found] = texts.flatMap((text) => mark.exec(text) ?? []);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a message shows an image under the header of an object. An output without text has no fence. */
function isPictured(handle: string, messages: readonly ViewMessage[]): boolean {
  return messages.some((message) => {
    if (message.role === "opaque" || typeof message.content === "string") return false;
    const { content } = message;
    const hasHeader = content.filter(isText).some(({ text }) => text.startsWith(`${handle} `));
    return hasHeader && content.some(({ type }) => type === "image");
  });
}

const stub = /^\[\d+ characters(?:, now in [a-z]+\d+ v\d+| left out)\]$/u;

function stubOf(messages: readonly ViewMessage[], id: ObjectId | undefined): string | undefined {
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    const call = message.content.filter(isToolCall).find((one) => one.id === id);
    const found =
      call === undefined ? undefined : textsIn(call.arguments).find((t) => stub.test(t));
    if (found !== undefined) return found;
  }
  return undefined;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Whether messages had to leave the view. A notice shows it, unless not even the notice fitted. */
function isShortened(
  messages: readonly ViewMessage[],
  { budget, estimator }: LayoutInput,
): boolean {
  const tokens = messages.reduce((sum, message) => sum + messageTokens(message, estimator), 0);
  return messages.some(isLeftLine) || (budget !== undefined && budget - tokens < 50);
}

function isLeftLine(message: ViewMessage): boolean {
  if (message.role !== "user" || typeof message.content === "string") return false;
  return message.content.some(
    (block) => isText(block) && / not shown; (?:activate (?!u\d)|no room)/u.test(block.text),
  );
}
