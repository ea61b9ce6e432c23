import type { ObjectId, StaticReference } from "@self-context-manager/objects";
import { calibrate, type Calibration, uncalibrated, type UsagePoint } from "../cost/calibration.ts";
import { type ClassTokens, isEqual, totalOf } from "../cost/class-tokens.ts";
import type { CostAccount } from "../cost/cost-account.ts";
import type { SentView } from "../view/view-object.ts";
import type { StatePart } from "./state-part.ts";

/** What is known of the largest prompt that a model accepts, since its provider refused one. */
export type PromptLimit = {
  /** The provider's tokens of a whole prompt, as its error named them. */
  readonly tokens?: number;
  /** The raw estimate of the messages. It is below that of the refused ones. */
  readonly estimated?: number;
};

/**
 * Set by a rewind: the next call continues from the view of call `from`, as long as `latest` is still the newest view.
 */
export type ViewBranch = {
  /** The call of the view that the next call continues; 0 if it continues none. */
  readonly from: number;
  /** The newest view at the time of the rewind. */
  readonly latest: number;
};

/** What a session stores of its calls. */
export interface StoredCalls {
  /** The id of the session's view object; undefined before the first call. */
  readonly viewId: ObjectId | undefined;
  /** The earlier view that the next call continues after a rewind; undefined otherwise. */
  readonly viewBranch: ViewBranch | undefined;
  readonly systemPrompts: ReadonlyMap<string, ObjectId>;
  readonly calibration: Calibration;
  /** The raw tokens of the view that was sent last, by class of text; empty before the first call. */
  readonly sentTokens: ClassTokens;
  /** The measurements to which the calibration is fitted, the newest last. */
  readonly usage: readonly UsagePoint[];
  /** The model that reported these measurements, as `provider/id`; undefined if the host does not name it. */
  readonly usageModel: string | undefined;
  /** The limits of models whose provider refused a prompt, by the model as `provider/id`. */
  readonly promptLimits: ReadonlyMap<string, PromptLimit>;
  /** The messages of the chat that an extension leaves out of its requests, as rows of `LeftOut`. */
  readonly leftOut: readonly string[];
  /** Whether an extension has left messages out before the session knew them. */
  readonly hasUnknown: boolean;
  /** The cost of the session's calls so far; undefined if no layout has reported figures. */
  readonly account: CostAccount | undefined;
}

/** What was sent to models, and what is known from their answers and refusals. */
export interface SentCalls extends StatePart, StoredCalls {
  /** The view of the last call, or after a rewind the earlier view that the next call continues. */
  readonly view: SentView | undefined;
  /** Whether the view that was sent last has no answer yet. */
  readonly isWaiting: boolean;
  /** The latest versions of the system prompts, if they are known. */
  readonly promptVersions: ReadonlyMap<ObjectId, StaticReference>;
  /** Notes that a view is about to be stored and sent. */
  begin(viewId: ObjectId, tokens: ClassTokens): void;
  /** Sets the view that the next call continues. `isWaiting`: whether it is the last one sent, and has no answer. */
  setView(view: SentView, options?: { readonly isWaiting?: boolean }): void;
  /** Marks the view of the last call as answered and returns it; undefined if it has an answer already. */
  answer(): SentView | undefined;
  /** Notes that the answer to the last view is unknown: the host has had other answers since. */
  missAnswer(): void;
  /** Notes the hash of the last call's request. The hash of another call, or of an answered one, is ignored. */
  notePayload(call: number, payloadHash: string): void;
  /** Continues from an earlier view after a rewind. */
  branch(view: SentView | undefined, viewBranch: ViewBranch): void;
  /** Notes that no answer to the last view is expected, so that no later usage is taken for its own. */
  endWaiting(): void;
  /** Fits the calibration to the newest measurements of a model. */
  fit(point: UsagePoint, model: string | undefined): void;
  /**
   * Sets the cost of the calls. `waits`: whether it is stored with the next other change only, as in a layout where the same
   * view again makes no version. Default: false.
   */
  setAccount(account: CostAccount, options?: { readonly waits?: boolean }): void;
  limit(model: string, limit: PromptLimit): void;
  setLeftOut(rows: readonly string[]): void;
  noteUnknown(): void;
  setSystemPrompt(origin: string, id: ObjectId): void;
  notePromptVersion(reference: StaticReference): void;
  /** Sets what a stored session has of its calls. */
  restore(stored: StoredCalls): void;
}

/** The number of answers to which the calibration is fitted. */
const usagePoints = 16;

const noCalls: StoredCalls = {
  viewId: undefined,
  viewBranch: undefined,
  systemPrompts: new Map(),
  calibration: uncalibrated,
  sentTokens: {},
  usage: [],
  usageModel: undefined,
  promptLimits: new Map(),
  leftOut: [],
  hasUnknown: false,
  account: undefined,
};

/** Returns the record of a session without calls. */
export function sentCalls(): SentCalls {
  const promptVersions = new Map<ObjectId, StaticReference>();
  const calls: { -readonly [Field in keyof SentCalls]: SentCalls[Field] } = {
    ...noCalls,
    view: undefined,
    isWaiting: false,
    promptVersions,
    isChanged: false,
    noteStored() {
      calls.isChanged = false;
    },
    begin(viewId, tokens) {
      calls.isWaiting = true;
      if (calls.viewId !== viewId || !isEqual(calls.sentTokens, tokens))
        keep({ viewId, sentTokens: tokens });
    },
    setView(next, { isWaiting = false } = {}) {
      calls.view = next;
      if (isWaiting) calls.isWaiting = totalOf(calls.sentTokens) > 0;
    },
    answer() {
      if (calls.view === undefined || calls.view.isAnswered) return undefined;
      calls.view = { ...calls.view, isAnswered: true };
      return calls.view;
    },
    missAnswer() {
      if (calls.view !== undefined) calls.view = { ...calls.view, isAnswered: true };
      calls.isWaiting = false;
    },
    notePayload(call, payloadHash) {
      const { view } = calls;
      if (view?.call === call && !view.isAnswered) calls.view = { ...view, payloadHash };
    },
    branch(next, viewBranch) {
      calls.view = next;
      keep({ viewBranch });
    },
    endWaiting() {
      calls.isWaiting = false;
    },
    fit(point, model) {
      // Each model has its own tokenizer, so counts of two models do not fit one line.
      const isSame = model === calls.usageModel;
      const usage = [...(isSame ? calls.usage : []), point].slice(-usagePoints);
      const { factor, overhead } = calls.calibration;
      const current = isSame ? calls.calibration : { factor, overhead };
      keep({ usageModel: model, usage, calibration: calibrate(usage, current) });
    },
    setAccount(account, { waits = false } = {}) {
      if (waits) Object.assign(calls, { account });
      else keep({ account });
    },
    limit(model, limit) {
      keep({ promptLimits: new Map([...calls.promptLimits, [model, limit]]) });
    },
    setLeftOut(leftOut) {
      keep({ leftOut });
    },
    noteUnknown() {
      keep({ hasUnknown: true });
    },
    setSystemPrompt(origin, id) {
      keep({ systemPrompts: new Map([...calls.systemPrompts, [origin, id]]) });
    },
    notePromptVersion(reference) {
      promptVersions.set(reference.id, reference);
    },
    restore: keep,
  };

  function keep(changed: Partial<StoredCalls>): void {
    Object.assign(calls, changed);
    calls.isChanged = true;
  }
  return calls;
}
