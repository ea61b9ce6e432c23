import { counted } from "./amounts.ts";

/** Tells how far something long has come, not oftener than is good to read. */
export interface Progress {
  /** How much is done of the whole, from 0 to 1 where that is known, and how many versions. */
  come(share: number | undefined, versions: number): void;
}

/** Milliseconds between two lines; what takes less prints none. */
const pause = 2_000;

const width = 20;

/** Notes a line with a bar, such as `[######--------------] 30 %, 1200 versions`, every two seconds. */
export function progress(note: (line: string) => void, now: () => number = Date.now): Progress {
  let next = now() + pause;
  return {
    come(share, versions) {
      if (now() < next) return;
      next = now() + pause;
      note(progressLine(share, versions));
    },
  };
}

function progressLine(share: number | undefined, versions: number): string {
  const count = counted(versions, "version");
  if (share === undefined) return `${count} so far`;
  const part = Math.min(1, Math.max(0, share));
  const done = Math.floor(part * width);
  return `[${"#".repeat(done)}${"-".repeat(width - done)}] ${Math.floor(part * 100)} %, ${count}`;
}
