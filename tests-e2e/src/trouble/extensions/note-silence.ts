import { appendFileSync } from "node:fs";

/** Milliseconds between two ticks. */
const tick = 10;

/** Milliseconds from which a late tick is noted. */
const late = 20;

/**
 * Notes each time in which the process of Pi did one thing only: a line with its end and its length, both in milliseconds,
 * in the file that `SILENCE_LOG` names.
 */
// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default function noteSilence(): void {
  const path = process.env["SILENCE_LOG"];
  if (path === undefined) return;
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    const silence = now - last - tick;
    last = now;
    if (silence >= late) appendFileSync(path, `${JSON.stringify({ end: Date.now(), silence })}\n`);
  }, tick).unref();
}
