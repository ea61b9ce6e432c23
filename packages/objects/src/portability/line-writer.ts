import { canonicalJson } from "../model/canonical-json.ts";
import type { JsonObject } from "../model/json.ts";
import { opaqueFields } from "../model/opaque-fields.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import { encodeChange } from "./change-encode.ts";
import { isLonger, lineJson } from "./line-json.ts";
import type { VersionKey } from "./read-in-order.ts";
import { type RecentLine, recentLines } from "./recent-lines.ts";

/** Writes versions as lines of an export, in the order of the file. */
export interface LineWriter {
  /** Returns the line of the next version, without the line's end. */
  line(stored: StoredVersion): string;
}

/** The lines with changes since a whole version may have this many times its characters. */
const mostChanges = 8;

/** Below this many characters of changes nothing is gained by writing a small version whole. */
const leastChanges = 8_192;

/**
 * Returns a writer that writes a version as its change against the last line of its object, if that line is recent and the
 * change is shorter. After many changes a version is whole again, so that a reader of one version needs few lines.
 *
 * The lines depend on the versions and their order alone, so that two stores with the same versions have the same export.
 */
export function lineWriter(): LineWriter {
  const recent = recentLines();

  return {
    line(stored) {
      const before = recent.get(stored.body.id);
      const change = before && changeLine(before, stored);
      const line = change ?? exportLine(stored);
      recent.note(stored, line.length, change === undefined ? "whole" : "change");
      return line;
    },
  };
}

/** Returns the line with the change against the last line of the object; undefined where a whole version is better. */
function changeLine(before: RecentLine, stored: StoredVersion): string | undefined {
  const { body, version } = stored;
  // Another type has other opaque fields.
  if (before.stored.body.type !== body.type || before.stored.version >= version) return undefined;
  const after = objectOf(stored);
  const hashes = new Set(Object.keys(stored.hashes));
  const change = encodeChange(objectOf(before.stored), after, opaqueFields(body), hashes);
  if (!isLonger(after, change.length)) return undefined;
  const names = `"change":${change},"from":${before.stored.version},"id":${JSON.stringify(body.id)}`;
  const line = `{${names},${pointJson(stored)}}`;
  const isHeavy = before.changes + line.length > mostChanges * before.whole + leastChanges;
  return isHeavy ? undefined : line;
}

/**
 * Returns one version as a line with the whole object, without the line's end. Keys are sorted, except in the data of
 * providers and tools: the bytes of a request depend on the order of its keys, and no hash records that order.
 */
export function exportLine(stored: StoredVersion): string {
  return `{"object":${lineJson(objectOf(stored), opaqueFields(stored.body))},${pointJson(stored)}}`;
}

/** Returns the line of a version that the store has lost. */
export function lostLine({ id, version }: VersionKey): string {
  return canonicalJson({ id, lost: true, version });
}

/** The fields of a version as its line has them. */
function objectOf({ body, hashes }: StoredVersion): JsonObject {
  return { ...body, ...hashes };
}

function pointJson({ version, at }: StoredVersion): string {
  return `"tx_id":${at.tx_id},"tx_time":${JSON.stringify(at.tx_time)},"version":${version}`;
}
