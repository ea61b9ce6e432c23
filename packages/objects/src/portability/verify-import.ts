import { ImportError } from "../errors.ts";
import type { ObjectId } from "../model/object-id.ts";
import { opaqueFields } from "../model/opaque-fields.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import { exportLine, lineJson } from "./export-line.ts";
import { type ExportLines, type NumberedVersion, readVersions } from "./read-export.ts";

/** The result of a successful comparison: the store contains the whole export. */
export interface VerifyReport {
  readonly objects: number;
  readonly versions: number;
}

/** The number of versions that are read at the same time, to save round trips over a network. */
const readAtOnce = 16;

/**
 * Compares a store with an export. Each version of the lines is read from the store and must have the fields, hashes,
 * number and transaction of its line; the hashes of the line are computed again. Rejects with an `ImportError`:
 * `IMPORT_DIFFERS` for the first version that differs, and the codes of `importObjects` for a line that cannot be read.
 *
 * Only a few versions are in memory at once. Other versions in the store are ignored.
 */
export async function verifyImport(
  store: Pick<ObjectStore, "get">,
  lines: ExportLines,
  { progress }: { readonly progress?: (versions: number) => void } = {},
): Promise<VerifyReport> {
  const objects = new Set<ObjectId>();
  let versions = 0;
  let part: NumberedVersion[] = [];

  async function check(): Promise<void> {
    const found = await Promise.all(
      part.map(({ stored }) => store.get(stored.body.id, { version: stored.version })),
    );
    for (const [index, one] of part.entries()) checkEqual(one.stored, found[index], one.number);
    versions += part.length;
    part = [];
    progress?.(versions);
  }

  for await (const one of readVersions(lines)) {
    objects.add(one.stored.body.id);
    part.push(one);
    if (part.length >= readAtOnce) await check();
  }
  await check();
  return { objects: objects.size, versions };
}

/** Compares the lines: equal lines have equal fields and equal hashes. The hashes of the line were computed when it was read. */
function checkEqual(
  expected: StoredVersion,
  found: StoredVersion | undefined,
  number: number,
): void {
  if (found !== undefined && exportLine(found) === exportLine(expected)) return;
  const name = `version ${expected.version} of object ${expected.body.id}`;
  throw new ImportError(
    "IMPORT_DIFFERS",
    found === undefined
      ? `line ${number}: ${name} is not in the store; import the file, then verify again`
      : `line ${number}: ${name} differs from the line in ${differences(expected, found).join(", ")}; ` +
          "the store is damaged: scm doctor shows what is damaged, and scm doctor --repair --from FILE takes it from this file",
  );
}

/** Returns the names of the fields that differ. */
function differences(expected: StoredVersion, found: StoredVersion): readonly string[] {
  const one = fieldsOf(expected);
  const other = fieldsOf(found);
  const names = [...new Set([...one.keys(), ...other.keys()])];
  return names.filter((name) => one.get(name) !== other.get(name)).sort();
}

function fieldsOf({ body, hashes, at }: StoredVersion): ReadonlyMap<string, string> {
  return new Map(
    Object.entries({ ...body, ...hashes, ...at }).map(([name, value]) => [
      name,
      lineJson({ [name]: value ?? null }, opaqueFields(body)),
    ]),
  );
}
