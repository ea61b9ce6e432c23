import type { ObjectStore, StoredMetadata, StoredVersion } from "@self-context-manager/core";
import {
  selectVersion,
  versionedName,
  type VersionSelector,
  type WrittenVersion,
} from "@self-context-manager/objects";

import { CliError, UsageError } from "./cli-errors.ts";
import type { CommandCall } from "./command.ts";
import { findTarget } from "./find-target.ts";
import { visible } from "./format/terminal-text.ts";
import { nextCommand } from "./next-command.ts";
import { givenVersion } from "./version-selector.ts";

/** The version that TARGET and `--as-of` mean, with its content. TARGET can have the version itself: `a.txt@3`. */
export async function storedVersionOf(
  store: ObjectStore,
  call: CommandCall,
): Promise<StoredVersion> {
  const { head, given } = await headOf(store, call);
  const selector =
    given === undefined ? undefined : await selectorOf(store, head, given.version, given.text);
  const stored = await store.get(head.body.id, selector);
  if (stored === undefined) throw await noSuchVersion(store, call, head, given?.where ?? "");
  return stored;
}

interface Given {
  readonly version: WrittenVersion;
  readonly text: string;
  /** The version with the option that gave it, for messages. */
  readonly where: string;
}

/** Finds the object and the version. A target that is an exact name counts as this name, also with an `@` in it. */
async function headOf(
  store: ObjectStore,
  call: CommandCall,
): Promise<{ readonly head: StoredMetadata; readonly given: Given | undefined }> {
  const asOf = call.text("as-of");
  const given =
    asOf === undefined
      ? undefined
      : { version: givenVersion(asOf), text: asOf, where: `--as-of ${asOf}` };
  const target = call.arguments[0] ?? "";
  const named = versionedName(target);
  try {
    return { head: await findTarget(store, call, target), given };
  } catch (error) {
    if (named === undefined || !(error instanceof CliError)) throw error;
    const head = await findTarget(store, call, named.name);
    if (given === undefined) return { head, given: { ...named, where: named.text } };
    throw new UsageError(
      `${visible(target)} names version ${named.text}, and --as-of ${given.text} another; give one of them`,
    );
  }
}

async function selectorOf(
  store: ObjectStore,
  { body: { id } }: StoredMetadata,
  version: WrittenVersion,
  text: string,
): Promise<VersionSelector> {
  const selected = await selectVersion(store, id, version);
  if (selected.type === "one") return selected.selector;
  const hashes = selected.hashes.map((hash) => `  ${hash}`).join("\n");
  throw new CliError(
    `${text} is the beginning of several hashes of object ${id}; give more digits:\n${hashes}`,
  );
}

async function noSuchVersion(
  store: ObjectStore,
  call: CommandCall,
  { body, version }: StoredMetadata,
  asOf: string,
): Promise<CliError> {
  const versions = version === 1 ? "only version 1" : `versions 1 to ${version}`;
  const first = await store.get(body.id, { version: 1 });
  const since = first === undefined ? "" : `, since ${first.at.tx_time} (tx:${first.at.tx_id})`;
  return new CliError(
    `object ${body.id} has ${versions}${since}, and none matches ${asOf}; see ${nextCommand(call, "history", body.id)}`,
  );
}
