/**
 * Returns a text after the hunks of a unified diff were applied. Throws `RangeError` if a hunk does not fit the text.
 * The hunks as shown do not contain the line breaks at the end, so the caller compares without them.
 */
export function patched(before: string, patch: string): string {
  const old = before.split("\n");
  const made: string[] = [];
  let at = 0;
  for (const line of patch.split("\n")) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/u.exec(line);
    if (hunk !== null) {
      const start = Number(hunk[1]) - (hunk[2] === "0" ? 0 : 1);
      made.push(...old.slice(at, start));
      at = start;
      continue;
    }
    const [mark, text] = [line.slice(0, 1), line.slice(1)];
    if (mark === "+") made.push(text);
    else if (mark === " " || mark === "-") {
      if (old[at] !== text) throw new RangeError(`line ${at + 1} is ${old[at]}, not ${text}`);
      if (mark === " ") made.push(text);
      at += 1;
    }
  }
  made.push(...old.slice(at));
  return made.join("\n");
}
