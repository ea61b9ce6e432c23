import type { VersionPoint } from "../model/stored-version.ts";
import type { VersionSelector } from "../ports/object-store.ts";
import { normalTime } from "./store-rules.ts";

/** What a selector is compared with. */
export interface SelectedVersion {
  readonly version: number;
  readonly at: VersionPoint;
  readonly contentHash: string;
}

/**
 * Returns whether a selector can mean a version: it has the number or the content, or was committed at the point or before
 * it. A store that chose a version with an index compares it so, because the index may be damaged while the version is not.
 * Throws `RangeError` for an invalid time.
 */
export function meetsSelector(
  { version, at, contentHash }: SelectedVersion,
  selector: VersionSelector,
): boolean {
  if ("version" in selector) return version === selector.version;
  if ("contentHash" in selector) return contentHash === selector.contentHash;
  if ("txId" in selector) return at.tx_id <= selector.txId;
  return Date.parse(at.tx_time) <= Date.parse(normalTime(selector.txTime));
}
