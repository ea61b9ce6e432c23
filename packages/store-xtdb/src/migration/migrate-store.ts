import { randomUUID } from "node:crypto";

import type { StoreClock } from "../documents/documents.ts";
import { emptyClock, schemaVersion } from "../documents/documents.ts";
import { firstLook } from "../first-look.ts";
import type { Document, Operation } from "../client/node-client.ts";
import { restoring } from "../writing/restore.ts";
import { type ConnectionOptions, storeParts } from "../store-parts.ts";
import { answered, DamageError, RequestFailure } from "../client/xtdb-errors.ts";
import { formerVersions } from "./former-versions.ts";

export interface MigrationOptions extends Omit<ConnectionOptions, "patience"> {
  /** Called after each part, with the number of versions that are migrated and that of all versions. */
  readonly progress?: (done: number, all: number) => void;
}

/** Number of documents that one transaction deletes, and of versions that are read at once. */
const portion = 500;

/**
 * Migrates a store of a former schema, in place, and returns the number of its versions; 0 if there is nothing to do.
 *
 * The documents of the former schema are read as of the transaction of XTDB before the migration, where they stay
 * readable. Each step is one transaction, so a migration that was interrupted continues when it is called again, and of
 * two that run at the same time each continues the work of the other. No other program can write to the store from the
 * first step on: programs of the former schema find that their next commit exists already.
 */
export async function migrateXtdbStore(options: MigrationOptions): Promise<number> {
  const parts = storeParts(options);
  return await answered(parts.client, () => migrate(parts, options));
}

async function migrate(
  parts: ReturnType<typeof storeParts>,
  { space = "scm", progress = () => undefined }: MigrationOptions,
): Promise<number> {
  const { client, names, chunks, memory } = parts;
  const restore = restoring(parts);

  /** Submits the next commit. Returns false if another one came first or the outcome is unknown; the clock shows which. */
  async function step(clock: StoreClock, operations: readonly Operation[]): Promise<boolean> {
    const nonce = randomUUID();
    const budget = client.budget();
    for (let tries = 0; ; tries += 1) {
      try {
        const { txId, held } = await client.submit(
          [
            ["match", names.commitId(clock.seq), null],
            ["put", names.commit(clock, nonce)],
            ["put", names.clock(clock)],
            ...operations,
          ],
          budget,
        );
        return held ?? (await client.isCommitted(txId, budget));
      } catch (error) {
        if (!(error instanceof RequestFailure)) throw error;
        await client.again(error, tries, budget);
        if (error.mayHaveRun) return false;
      }
    }
  }

  /** Begins the migration: from now on programs of the former schema cannot commit. */
  async function begin(clock: Document): Promise<void> {
    const former = clock[`${space}/seq`];
    if (typeof former !== "number")
      throw new DamageError(`document ${names.clockId} has no ${space}/seq`);
    const txId = await client.latestTransaction(client.budget());
    await step({ ...emptyClock, seq: former + 1, migration: { step: "clear", txId } }, []);
  }

  /** Deletes the documents that the migration writes again, so that none of them is from the former schema. */
  async function clear(clock: StoreClock, txId: number): Promise<void> {
    const budget = client.budget();
    const rows = await client.query(
      `{:find [d] :where [(or [d :${space}/listing] [d :${space}/owner])] :limit ${portion}}`,
      [],
      budget,
    );
    const seq = clock.seq + 1;
    const documentIds = new Set(rows.map(([id]) => String(id)));
    if (documentIds.size === 0)
      await step({ ...clock, seq, migration: { step: "copy", txId } }, []);
    else
      await step(
        { ...clock, seq },
        [...documentIds].map((id): Operation => ["delete", id]),
      );
  }

  for (;;) {
    const { document, schema } = await firstLook(parts, client.budget());
    if (document === undefined) return 0;
    if (schema < schemaVersion) {
      await begin(document);
      continue;
    }
    const clock = names.readClock(document);
    memory.clock = clock;
    memory.since = clock.seq;
    if (clock.migration === undefined) return clock.arrivals;
    const { txId } = clock.migration;
    if (clock.migration.step === "clear") {
      await clear(clock, txId);
      continue;
    }
    const former = await client.entity(names.clockId, client.budget(), { txId });
    const all = Number(former?.[`${space}/arrivals`] ?? 0);
    const reader = formerVersions(client, chunks, space, txId);
    for (let done = clock.arrivals; done < all;) {
      const versions = await reader.after(done, portion, client.budget());
      if (versions.length === 0)
        throw new DamageError(`the versions after the ${done}th of ${all} are missing`);
      await restore(versions, client.budget());
      done += versions.length;
      progress(done, all);
    }
    const last = names.readClock(await client.entity(names.clockId, client.budget()));
    const { migration: _, ...finished } = last;
    if (last.arrivals === all) await step({ ...finished, seq: last.seq + 1 }, []);
  }
}
