import { migrateXtdb, type MigrateXtdbOptions } from "@self-context-manager/compose";

import type { CommandCall } from "../command.ts";
import { counted } from "../format/amounts.ts";
import { visible } from "../format/object-name.ts";

/** Brings a store in XTDB to the schema of this version. */
export async function runXtdbMigration(
  call: CommandCall,
  store: Omit<MigrateXtdbOptions, "progress">,
): Promise<void> {
  using progress = call.progress("migrating");
  const versions = await migrateXtdb({
    ...store,
    progress: (done, all) => progress.come(done / all, done),
  });
  progress[Symbol.dispose]();
  call.note(
    versions === 0
      ? `there is no store in XTDB at ${visible(store.at)}`
      : `the store at ${visible(store.at)} has the schema of this version, with ${counted(versions, "version")}`,
  );
}
