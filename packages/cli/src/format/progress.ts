import { counted } from "./amounts.ts";

/** Reports the progress of a long action, at most as often as a person can read it. */
export interface Progress extends Disposable {
  /** Reports the finished share of the whole, from 0 to 1 or undefined if unknown, and the number of things. */
  come(share: number | undefined, count: number): void;
}

export interface ProgressOutput {
  readonly write: (text: string) => void;
  /** On a terminal one line is redrawn and erased at the end; elsewhere each report is a line. */
  readonly isTerminal: boolean;
  /** What is counted; default: `version`. */
  readonly noun?: string;
  readonly now?: () => number;
}

/** Milliseconds between two reports, and before the first: a shorter action prints none. */
const pause = { lines: 2_000, drawn: 100 };

const width = 20;

const eraseLine = "\r\u001B[K";

/** Prints reports such as `importing [######--------------] 30 %, 1200 versions`. */
export function progress(
  doing: string,
  { write, isTerminal, noun = "version", now = Date.now }: ProgressOutput,
): Progress {
  const wait = isTerminal ? pause.drawn : pause.lines;
  let next = now() + wait;
  let isDrawn = false;
  return {
    come(share, done) {
      if (now() < next) return;
      next = now() + wait;
      const line = `${doing} ${progressText(share, counted(done, noun))}`;
      write(isTerminal ? `${eraseLine}${line}` : `${line}\n`);
      isDrawn = isTerminal;
    },
    [Symbol.dispose]() {
      if (isDrawn) write(eraseLine);
      isDrawn = false;
    },
  };
}

function progressText(share: number | undefined, count: string): string {
  if (share === undefined) return `${count} so far`;
  const part = Math.min(1, Math.max(0, share));
  const done = Math.floor(part * width);
  return `[${"#".repeat(done)}${"-".repeat(width - done)}] ${Math.floor(part * 100)} %, ${count}`;
}
