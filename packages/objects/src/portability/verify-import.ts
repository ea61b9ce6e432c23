import { ImportError } from "../errors.ts";
import type { ObjectId } from "../model/object-id.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import { exportLine, lineJson, readExportHeader, readLine } from "./export-line.ts";

/** What a store was found to hold of an export: all of it. */
export interface VerifyReport {
  readonly objects: number;
  readonly versions: number;
}

/** Versions read together: over a network the waits are then waited for together too. */
const readAtOnce = 16;

/**
 * Compares a store with an export: each version that the lines hold is read back whole, and must have the line's
 * fields, hashes, number and transaction; the line's hashes are computed anew. Rejects with an `ImportError`:
 * `IMPORT_DIFFERS` for the first version that does not, and as `importObjects` does for a line that cannot be read.
 *
 * Only a few versions are in memory at once. What the store holds beside them is not looked at.
 */
export async function verifyImport(
  store: Pick<ObjectStore, "get">,
  lines: AsyncIterable<string> | Iterable<string>,
  { progress }: { readonly progress?: (versions: number) => void } = {},
): Promise<VerifyReport> {
  const objects = new Set<ObjectId>();
  let versions = 0;
  let number = 0;
  let part: { readonly told: StoredVersion; readonly number: number }[] = [];

  async function check(): Promise<void> {
    const found = await Promise.all(
      part.map(({ told }) => store.get(told.body.id, { version: told.version })),
    );
    for (const [index, one] of part.entries()) checkEqual(one.told, found[index], one.number);
    versions += part.length;
    part = [];
    progress?.(versions);
  }

  for await (const line of lines) {
    number += 1;
    const text = line.trim();
    if (number === 1) {
      readExportHeader(text);
      continue;
    }
    if (text === "") continue;
    const told = readLine(text, number);
    objects.add(told.body.id);
    part.push({ told, number });
    if (part.length >= readAtOnce) await check();
  }
  await check();
  return { objects: objects.size, versions };
}

/** Equal lines have equal fields and equal hashes, and those of the line were computed when it was read. */
function checkEqual(told: StoredVersion, found: StoredVersion | undefined, number: number): void {
  if (found !== undefined && exportLine(found) === exportLine(told)) return;
  const name = `version ${told.version} of object ${told.body.id}`;
  throw new ImportError(
    "IMPORT_DIFFERS",
    found === undefined
      ? `line ${number}: ${name} is not in the store; import the file, then verify again`
      : `line ${number}: ${name} does not read back as the line has it, in ${differences(told, found).join(", ")}; ` +
          "the store is damaged: restore it from a backup, or import the file into a new one",
  );
}

/** The fields that differ, by name. */
function differences(told: StoredVersion, found: StoredVersion): readonly string[] {
  const one = fieldsOf(told);
  const other = fieldsOf(found);
  const names = [...new Set([...one.keys(), ...other.keys()])];
  return names.filter((name) => one.get(name) !== other.get(name)).sort();
}

function fieldsOf({ body, hashes, at }: StoredVersion): ReadonlyMap<string, string> {
  return new Map(
    Object.entries({ ...body, ...hashes, ...at }).map(([name, value]) => [
      name,
      lineJson({ [name]: value ?? null }),
    ]),
  );
}
