import type { ObjectBody, ObjectMetadata } from "@self-context-manager/objects";

const steps = ["", "k", "M", "G", "T"];

/** A count with at most three digits and a letter: 812, 1.2k, 34k, 5.6M. */
export function shortCount(count: number): string {
  let value = count;
  let step = 0;
  // 999.5 would be written as 1000.
  while (value >= 999.5 && step < steps.length - 1) {
    value /= 1000;
    step += 1;
  }
  const digits = step > 0 && value < 9.95 ? value.toFixed(1) : value.toFixed(0);
  return `${digits}${steps[step]}`;
}

/** A number with its noun: 1 version, 2 versions. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The size of an object: characters, or bytes (B) of a file whose text is not known. */
export function sizeOf(body: ObjectBody | ObjectMetadata): string {
  const { size, char_count: characters } = body;
  if (typeof size === "number") return `${shortCount(size)}B`;
  return typeof characters === "number" ? shortCount(characters) : "-";
}

/** A transaction's time to the second, UTC. */
export function shortTime(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)}Z`;
}
