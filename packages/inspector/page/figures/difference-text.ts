import { percent } from "../text/format.ts";

/** How far an estimate is from the provider's count, as a sentence. */
export function differenceText(estimated: number, reported: number): string {
  if (reported === 0) return "The provider reported no tokens.";
  const share = estimated / reported - 1;
  if (Math.abs(share) < 0.0005) return "Our estimate equals the provider's count.";
  const side = share > 0 ? "above" : "below";
  return `Our estimate is ${percent(Math.abs(share))} ${side} the provider's count.`;
}
