import type { MeteredAnswer } from "../model/metered-answer.ts";
import type { ModelAccess } from "../model/model-access.ts";
import type { CallRecord, RunEnd } from "../model/run-record.ts";
import type { MeterClock } from "./clock.ts";
import { requestFile } from "./request-file.ts";
import { type ChainedText, chainText, unchainText } from "./text-chain.ts";
import { type WaitTime, waitTime } from "./wait-time.ts";

/** Why a run gets no more answers. `closed`: it was disposed of. */
export type StopReason = Extract<RunEnd, "call-limit" | "time-limit" | "budget"> | "closed";

export interface RunOptions {
  readonly access: ModelAccess;
  /** The file that requests are added to, as JSON lines. Absent: they are kept in memory only. */
  readonly file?: string;
  /** Model calls after which the run is stopped with `call-limit`. Absent: no limit. */
  readonly callLimit?: number;
}

/** The calls of one run as they begin and end. */
export interface RunLedger {
  readonly calls: readonly CallRecord[];
  readonly answers: readonly MeteredAnswer[];
  readonly wait: WaitTime;
  readonly stopped: StopReason | undefined;
  /** Requests that were answered with an error because the run is stopped. */
  refused: number;
  /** Aborted when the run is stopped. */
  readonly stopSignal: AbortSignal;
  step: number;
  /** Milliseconds since the run began, without waits. */
  elapsed(): number;
  /** Begins a call before its request is sent. Returns undefined, and stops the run, if the run has its last call. */
  begin(body: string): StartedCall | undefined;
  body(number: number): string;
  stop(reason: StopReason): void;
}

/** A call whose request may be sent. */
export interface StartedCall {
  readonly number: number;
  readonly step: number;
  end(call: CallRecord, answer: MeteredAnswer): void;
}

/** Opens the ledger of a run. */
export function runLedger(
  { file, callLimit = Infinity }: RunOptions,
  clock: MeterClock,
): RunLedger {
  const kept = requestFile(file);
  const began = clock.now();
  const wait = waitTime(() => clock.now());
  const stopping = new AbortController();
  const bodies: ChainedText[] = [];
  const ended: { readonly call: CallRecord; readonly answer: MeteredAnswer }[] = [];
  let lastBody = "";
  let stopped: StopReason | undefined;
  let step = 0;
  let reader = { number: 0, body: "" };

  const stop = (reason: StopReason): void => {
    stopped ??= reason;
    stopping.abort();
  };

  return {
    get calls() {
      return ended.map(({ call }) => call);
    },
    get answers() {
      return ended.map(({ answer }) => answer);
    },
    wait,
    get stopped() {
      return stopped;
    },
    refused: 0,
    stopSignal: stopping.signal,
    get step() {
      return step;
    },
    set step(next) {
      step = next;
    },
    elapsed: () => clock.now() - began - wait.ms,
    begin: (body) => {
      if (bodies.length >= callLimit) {
        stop("call-limit");
        return undefined;
      }
      const chained = chainText(lastBody, body);
      bodies.push(chained);
      lastBody = body;
      const number = bodies.length;
      const ofStep = step;
      kept.writeRequest({ number, step: ofStep, ...chained });
      return {
        number,
        step: ofStep,
        end: (call, answer) => {
          const place = ended.findLastIndex((other) => other.call.number < number);
          ended.splice(place + 1, 0, { call, answer });
          kept.writeAnswer({ number, answer, call });
        },
      };
    },
    body: (number) => {
      if (bodies[number - 1] === undefined) throw new RangeError(`there is no call ${number}`);
      // Reading forwards continues from the last text.
      if (number < reader.number) reader = { number: 0, body: "" };
      for (const chained of bodies.slice(reader.number, number))
        reader = { number: reader.number + 1, body: unchainText(reader.body, chained) };
      return reader.body;
    },
    stop,
  };
}
