import { counted } from "./amounts.ts";

/** Tells how far something long has come, not oftener than is good to read. */
export interface Progress extends Disposable {
  /** How much is done of the whole, from 0 to 1 where that is known, and how many versions. */
  come(share: number | undefined, versions: number): void;
}

export interface ProgressOutput {
  readonly write: (text: string) => void;
  /** On a terminal one line is drawn anew, and taken away at the end; elsewhere lines follow each other. */
  readonly isTerminal: boolean;
  readonly now?: () => number;
}

/** Milliseconds between two lines, and before the first: what takes less prints none. */
const pause = { lines: 2_000, drawn: 100 };

const width = 20;

const eraseLine = "\r\u001B[K";

/** Tells of what is being done, such as `importing [######--------------] 30 %, 1200 versions`. */
export function progress(
  doing: string,
  { write, isTerminal, now = Date.now }: ProgressOutput,
): Progress {
  const wait = isTerminal ? pause.drawn : pause.lines;
  let next = now() + wait;
  let isDrawn = false;
  return {
    come(share, versions) {
      if (now() < next) return;
      next = now() + wait;
      const line = `${doing} ${progressText(share, versions)}`;
      write(isTerminal ? `${eraseLine}${line}` : `${line}\n`);
      isDrawn = isTerminal;
    },
    [Symbol.dispose]() {
      if (isDrawn) write(eraseLine);
      isDrawn = false;
    },
  };
}

function progressText(share: number | undefined, versions: number): string {
  const count = counted(versions, "version");
  if (share === undefined) return `${count} so far`;
  const part = Math.min(1, Math.max(0, share));
  const done = Math.floor(part * width);
  return `[${"#".repeat(done)}${"-".repeat(width - done)}] ${Math.floor(part * 100)} %, ${count}`;
}
