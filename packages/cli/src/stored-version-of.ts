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

/** The version that TARGET and `--as-of` mean, with its content. */
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
  if (!("hashStart" in given)) return given;
  const start = given.hashStart;
  const versions = await store.history(id);
  const startOf = (hashOf: (one: StoredMetadata) => string): readonly string[] => [
    ...new Set(versions.map(hashOf).filter((hash) => hash.startsWith(start))),
  ];
  const contents = startOf(({ hashes }) => hashes.content_hash);
  const objects = startOf(({ hashes }) => hashes.object_hash);
  const found = [...contents, ...objects];
  if (found.length > 1) {
    throw new CliError(
      `${start} is the beginning of several hashes of object ${id}; give more digits:\n${found.map((hash) => `  ${hash}`).join("\n")}`,
    );
  }
  const whole = versions.find(({ hashes }) => hashes.object_hash === objects[0]);
  return whole === undefined ? { contentHash: contents[0] ?? start } : { version: whole.version };
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
    `object ${body.id} has ${versions}${since}, and none matches --as-of ${asOf}; see ${nextCommand(call, "history", body.id)}`,
  );
}
