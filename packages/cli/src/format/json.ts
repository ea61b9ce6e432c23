import type { StoredMetadata } from "@self-context-manager/core";

/** A version as JSON, in the form of an export's line. */
export function versionJson({
  body,
  hashes,
  version,
  at,
}: StoredMetadata): Readonly<Record<string, unknown>> {
  return { version, tx_id: at.tx_id, tx_time: at.tx_time, object: { ...body, ...hashes } };
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
