import type {
  ObjectStore,
  StoredMetadata,
  StoredVersion,
  VersionSelector,
} from "@self-context-manager/core";

import { CliError } from "./cli-errors.ts";
import type { CommandCall } from "./command.ts";
import { findTarget } from "./find-target.ts";
import { nextCommand } from "./next-command.ts";
import { type GivenVersion, givenVersion } from "./version-selector.ts";

/** The version that a command's TARGET and `--as-of` mean, with its content. */
export async function storedVersionOf(
  store: ObjectStore,
  call: CommandCall,
): Promise<StoredVersion> {
  const asOf = call.text("as-of");
  const given = asOf === undefined ? undefined : givenVersion(asOf);
  const head = await findTarget(store, call, call.arguments[0] ?? "");
  const selector = given === undefined ? undefined : await selectorOf(store, head, given);
  const stored = await store.get(head.body.id, selector);
  if (stored === undefined) throw await noSuchVersion(store, call, head, asOf ?? "");
  return stored;
}

async function selectorOf(
  store: ObjectStore,
  { body: { id } }: StoredMetadata,
  given: GivenVersion,
): Promise<VersionSelector> {
  if (!("contentHashStart" in given)) return given;
  const start = given.contentHashStart;
  const versions = await store.history(id);
  const found = versions.filter(({ hashes }) => hashes.content_hash.startsWith(start));
  const hashes = [...new Set(found.map(({ hashes: { content_hash: hash } }) => hash))];
  if (hashes.length > 1) {
    throw new CliError(
      `${start} is the beginning of several content hashes of object ${id}; give more of it:\n${hashes.map((hash) => `  ${hash}`).join("\n")}`,
    );
  }
  return { contentHash: hashes[0] ?? start };
}

async function noSuchVersion(
  store: ObjectStore,
  call: CommandCall,
  { body, version }: StoredMetadata,
  asOf: string,
): Promise<CliError> {
  const versions = version === 1 ? "version 1 only" : `versions 1 to ${version}`;
  const first = await store.get(body.id, { version: 1 });
  const since = first === undefined ? "" : `, from ${first.at.tx_time} (tx:${first.at.tx_id}) on`;
  return new CliError(
    `object ${body.id} has ${versions}${since}, and none for --as-of ${asOf}; see ${nextCommand(call, "history", body.id)}`,
  );
}
