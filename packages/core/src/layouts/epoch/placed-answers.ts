import { groupsOf, madeOnce } from "@self-context-manager/objects";
import {
  hasSignedThinking,
  hasThinkingItem,
  withoutAllThinking,
} from "../../chat/signed-thinking.ts";
import type { AssistantStep, Turn } from "../../chat/turn.ts";
import { factsOf } from "../../view/entry-groups.ts";
import type { AssistantEntry, ViewEntry } from "../../view/view-entry.ts";

/** The answers of the chat that a group of entries shows, in order; undefined for one that the chat does not have. */
export type PlacedAnswers = readonly (AssistantStep | undefined)[];

interface Known {
  /** The chat with which the answers were compared last. */
  turns: readonly Turn[];
  /** The turns of the answers there. */
  own: readonly (Turn | undefined)[];
  readonly answers: PlacedAnswers;
}

const known = new WeakMap<readonly ViewEntry[], Known>();

/** The indexes of the turns of the answers in groups. */
const turnsIn = new WeakMap<readonly ViewEntry[], readonly number[]>();

/** Finds the answers of a chat that entries show. */
export interface PlacedAnswersReader {
  /**
   * Returns the answers of a group of `groupsOf`. The list is the same object as before if the chat has the same answers,
   * so what is computed from them can be kept under it.
   */
  answersOf(this: void, group: readonly ViewEntry[]): PlacedAnswers;
  /**
   * Returns the indexes of the entries of a view whose answers meet a condition, in order. `places` returns the indexes
   * among the answers of one group.
   */
  answersWith(
    this: void,
    entries: readonly ViewEntry[],
    places: (answers: PlacedAnswers) => readonly number[],
  ): readonly number[];
  /** Returns the indexes of the entries of a view whose answers have signed thinking, in order. */
  signedIn(this: void, entries: readonly ViewEntry[]): readonly number[];
}

export function placedAnswers(
  turns: readonly Turn[],
  answerAt: (entry: AssistantEntry) => AssistantStep | undefined,
): PlacedAnswersReader {
  const answersOf = (group: readonly ViewEntry[]): PlacedAnswers => {
    const before = known.get(group);
    if (before?.turns === turns) return before.answers;
    const { answers: places } = factsOf(group);
    const entryAt = (at: number): AssistantEntry => group[places[at] ?? 0] as AssistantEntry;
    const stepAt = (at: number): AssistantStep | undefined => answerAt(entryAt(at));
    const indexes = madeOnce(turnsIn, group, () => [
      ...new Set(places.map((_, at) => entryAt(at).turn)),
    ]);
    const isWhole =
      before !== undefined && indexes.every((turn, at) => turns[turn] === before.own[at]);
    const isSame = isWhole || before?.answers.every((step, at) => step === stepAt(at)) === true;
    const answers =
      isSame && before !== undefined
        ? before.answers
        : Object.freeze(places.map((_, at) => stepAt(at)));
    if (isWhole) before.turns = turns;
    else known.set(group, { turns, own: indexes.map((turn) => turns[turn]), answers });
    return answers;
  };
  const answersWith: PlacedAnswersReader["answersWith"] = (entries, places) => {
    const found: number[] = [];
    let start = 0;
    for (const group of groupsOf(entries)) {
      const at = factsOf(group).answers;
      for (const place of places(answersOf(group))) found.push(start + (at[place] ?? 0));
      start += group.length;
    }
    return found;
  };
  return {
    answersOf,
    answersWith,
    signedIn: (entries) => answersWith(entries, (answers) => answerFacts(answers).signed),
  };
}

/** What is known of the answers of a group, whatever the settings are. Indexes are those of the list of answers. */
interface AnswerFacts {
  /** The number of answers with tool calls. */
  readonly withCalls: number;
  /** The answers with signed thinking. */
  readonly signed: readonly number[];
  /** The answers with thinking that can leave. */
  readonly thinking: readonly number[];
}

const facts = new WeakMap<PlacedAnswers, AnswerFacts>();

export function answerFacts(answers: PlacedAnswers): AnswerFacts {
  return madeOnce(facts, answers, () => ({
    withCalls: answers.filter((step) => (step?.toolcall_ids.length ?? 0) > 0).length,
    signed: [...answers.keys()].filter((at) => isWith(answers[at], hasSignedThinking)),
    thinking: [...answers.keys()].filter((at) => isWith(answers[at], hasFreeThinking)),
  }));
}

function isWith(step: AssistantStep | undefined, has: (step: AssistantStep) => boolean): boolean {
  return step !== undefined && has(step);
}

function hasFreeThinking(step: AssistantStep): boolean {
  if (hasThinkingItem(step)) return false;
  return (
    withoutAllThinking(step.assistant).length !== step.assistant.length || hasSignedThinking(step)
  );
}
