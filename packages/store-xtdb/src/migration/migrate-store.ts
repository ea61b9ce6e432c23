import type { StoredVersion } from "@self-context-manager/objects";
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

/** Returns versions without those of the last transaction, of which some may be missing. */
function wholeTransactions(versions: readonly StoredVersion[]): readonly StoredVersion[] {
  const last = versions.at(-1)?.at.tx_id;
  return versions.slice(0, versions.findLastIndex(({ at }) => at.tx_id !== last) + 1);
}

async function migrate(
  parts: ReturnType<typeof storeParts>,
  { space = "scm", progress = () => undefined }: MigrationOptions,
): Promise<number> {
  const { client, names, chunks, memory } = parts;
  // Former imports can have nicknames that two objects have for a while.
  const restore = restoring(parts, { checksNames: false });

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

  /** Gives the nicknames to the objects that had them in the former schema, and removes the mark of the migration. */
  async function finish(all: number, txId: number): Promise<void> {
    const last = names.readClock(await client.entity(names.clockId, client.budget()));
    if (last.arrivals !== all) return;
    const seq = last.seq + 1;
    const owners = `{:find [d o] :where [[d :${names.attribute("owner")} o]]}`;
    const [before, now] = await Promise.all([
      client.query(owners, [], client.budget(), { txId }),
      client.query(owners, [], client.budget()),
    ]);
    const wanted = new Map(before.map(([id, owner]) => [String(id), String(owner)]));
    const present = new Map(now.map(([id, owner]) => [String(id), String(owner)]));
    const operations: Operation[] = [];
    for (const [id, owner] of wanted)
      if (present.get(id) !== owner)
        operations.push(["put", { "xt/id": id, [names.attribute("owner")]: owner }]);
    for (const id of present.keys()) if (!wanted.has(id)) operations.push(["delete", id]);
    if (operations.length > 0) {
      await step({ ...last, seq }, operations.slice(0, portion));
      return;
    }
    const { migration: _, ...finished } = last;
    await step({ ...finished, seq }, []);
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
    for (let done = clock.arrivals, size = portion; done < all;) {
      const read = await reader.after(done, size, client.budget());
      if (read.length === 0)
        throw new DamageError(`the versions after the ${done}th of ${all} are missing`);
      const versions = done + read.length < all ? wholeTransactions(read) : read;
      size = versions.length === 0 ? size * 2 : portion;
      if (versions.length === 0) continue;
      await restore(versions, client.budget());
      done += versions.length;
      progress(done, all);
    }
    await finish(all, txId);
  }
}
