import { type ResultFile, resultKey } from "./result-file.ts";
import { type CallText, promptText, type Quoting, type SurpriseCall } from "./session-calls.ts";
import { type LogLikelihood, SurpriseError, type SurpriseModel } from "./surprise-model.ts";
import type { SurpriseView } from "./surprise-views.ts";

/** A view of a measured call, against the plain one. */
export interface MeasuredText {
  readonly left: number;
  readonly quoting: Quoting;
  /** Surprise under this view minus surprise under the plain view, in nats per token; 0 for equal views. */
  readonly difference: number;
}

/** A measured call. */
export interface MeasuredCall {
  readonly session: string;
  readonly segment: number;
  readonly call: number;
  readonly kind: string;
  readonly plainTokens: number;
  /** The tokens of the answer, as the model counts them. */
  readonly tokens: number;
  /** Nats per token of the answer under the plain view. */
  readonly surprise: number;
  readonly views: ReadonlyMap<SurpriseView, MeasuredText>;
}

export interface MeasureProgress {
  readonly done: number;
  readonly total: number;
  /** The evaluations so far that were not in the file of results. */
  readonly evaluated: number;
}

export interface MeasureOptions {
  /** The number of calls to measure. */
  readonly calls: number;
  readonly onProgress?: (progress: MeasureProgress) => void;
  /** Ends the run after the evaluation that is under way; the calls that are complete are returned. */
  readonly signal?: AbortSignal;
}

export interface MeasuredCalls {
  readonly calls: readonly MeasuredCall[];
  /** Calls whose prompt is longer than the window of the model, by its own count. */
  readonly tooLong: number;
}

/** Measures the first calls of a sample that fit into the model's window. */
export async function measureCalls(
  model: SurpriseModel,
  sample: readonly SurpriseCall[],
  results: ResultFile,
  { calls: most, onProgress, signal }: MeasureOptions,
): Promise<MeasuredCalls> {
  const measured: MeasuredCall[] = [];
  let tooLong = 0;
  let evaluated = 0;
  const total = Math.min(most, sample.length);
  const report = (): void => onProgress?.({ done: measured.length, total, evaluated });
  report();
  const isStopped = (): boolean => signal?.aborted === true;
  const likelihood = async (
    one: SurpriseCall,
    view: string,
    text: CallText,
  ): Promise<LogLikelihood> => {
    const prompt = promptText(text);
    const key = resultKey(model.name, prompt, one.answer);
    const known = results.find(key);
    if (known !== undefined) return known;
    signal?.throwIfAborted();
    const result = await model.logLikelihood(prompt, one.answer);
    const { session, segment, call } = one;
    await results.add(key, result, { model: model.name, session, segment, call, view });
    evaluated += 1;
    report();
    return result;
  };
  for (const one of sample) {
    if (measured.length >= most || isStopped()) break;
    try {
      if (await isTooLong(model, one)) tooLong += 1;
      else measured.push(await measureCall(one, likelihood));
    } catch (error) {
      // A server says only when it is asked that a prompt is too long.
      if (error instanceof SurpriseError && error.code === "PROMPT_TOO_LONG") tooLong += 1;
      else if (!isStopped()) throw error;
    }
    report();
  }
  return { calls: measured, tooLong };
}

/** Whether one of the views does not fit. A managed view can be longer than the plain one, by its headers. */
async function isTooLong(model: SurpriseModel, one: SurpriseCall): Promise<boolean> {
  const answer = await model.tokens(one.answer);
  if (answer === undefined) return false;
  for (const text of [one.plain, ...one.views.values()]) {
    const prompt = await model.tokens(promptText(text));
    if (prompt !== undefined && prompt + answer > model.window) return true;
  }
  return false;
}

async function measureCall(
  one: SurpriseCall,
  likelihood: (one: SurpriseCall, view: string, text: CallText) => Promise<LogLikelihood>,
): Promise<MeasuredCall> {
  const plain = await likelihood(one, "append-only", one.plain);
  const views = new Map<SurpriseView, MeasuredText>();
  for (const [name, text] of one.views) {
    const { nats } = await likelihood(one, name, text);
    const { left, quoting } = text;
    views.set(name, { left, quoting, difference: (plain.nats - nats) / plain.tokens });
  }
  const { session, segment, call, kind, plainTokens } = one;
  return {
    session,
    segment,
    call,
    kind,
    plainTokens,
    tokens: plain.tokens,
    surprise: -plain.nats / plain.tokens,
    views,
  };
}
