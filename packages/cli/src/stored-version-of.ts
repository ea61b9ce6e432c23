import type { ObjectStore, StoredMetadata, StoredVersion } from "@self-context-manager/core";

import { CliError } from "./cli-errors.ts";
import type { CommandCall } from "./command.ts";
import { findTarget } from "./find-target.ts";
import { versionSelector } from "./version-selector.ts";

/** The version that a command's TARGET and `--as-of` mean, with its content. */
export async function storedVersionOf(
  store: ObjectStore,
  call: CommandCall,
): Promise<StoredVersion> {
  const asOf = call.text("as-of");
  const selector = asOf === undefined ? undefined : versionSelector(asOf);
  const head = await findTarget(store, call, call.arguments[0] ?? "");
  const stored = await store.get(head.body.id, selector);
  if (stored === undefined) throw noSuchVersion(head, asOf ?? "");
  return stored;
}

function noSuchVersion({ body, version }: StoredMetadata, asOf: string): CliError {
  const versions = version === 1 ? "version 1 only" : `versions 1 to ${version}`;
  return new CliError(
    `object ${body.id} has ${versions}, and none for --as-of ${asOf}; see scm history ${body.id}`,
  );
}
