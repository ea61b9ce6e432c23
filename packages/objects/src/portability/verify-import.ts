import { ImportError } from "../errors.ts";
import type { ObjectId } from "../model/object-id.ts";
import { forgottenIn } from "../model/forgotten-note.ts";
import { opaqueFields } from "../model/opaque-fields.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import { lineJson } from "./line-json.ts";
import { lineWriter } from "./line-writer.ts";
import {
  type ChangeVersion,
  type ExportLines,
  type NumberedVersion,
  readExport,
} from "./read-export.ts";
import { type ReadVersion, readInOrder } from "./read-in-order.ts";

/** The result of a successful comparison: the store contains the whole export. */
export interface VerifyReport {
  readonly objects: number;
  readonly versions: number;
}

export interface VerifyOptions {
  readonly progress?: (versions: number) => void;
  /** The `change` with which the lines were imported. Default: none. */
  readonly change?: ChangeVersion;
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
  store: Pick<ObjectStore, "get" | "versions">,
  lines: ExportLines,
  { progress, change }: VerifyOptions = {},
): Promise<VerifyReport> {
  const objects = new Set<ObjectId>();
  /** The objects with several lines. */
  const long = new Set<ObjectId>();
  const read = readInOrder(store, (id) => long.has(id));
  const checkEqual = equalVersions();
  let versions = 0;
  let part: NumberedVersion[] = [];

  async function check(): Promise<void> {
    const keys = part.map(({ stored: { body, version } }) => ({ id: body.id, version }));
    const found = await read(keys);
    for (const [index, one] of part.entries()) checkEqual(one.stored, found[index], one.number);
    versions += part.length;
    part = [];
    progress?.(versions);
  }

  for await (const one of readExport(lines, change)) {
    if (one.type !== "version") continue;
    const { id } = one.stored.body;
    if (objects.has(id)) long.add(id);
    objects.add(id);
    part.push(one);
    if (part.length >= readAtOnce) await check();
  }
  await check();
  return { objects: objects.size, versions };
}

/**
 * Returns a function that compares versions in the order of the file. It compares what both changed since the versions
 * before, which are known to be equal. The hashes of the line were computed when it was read.
 */
function equalVersions(): (
  expected: StoredVersion,
  found: ReadVersion | undefined,
  number: number,
) => void {
  const [wanted, stored] = [lineWriter(), lineWriter()];
  return (expected, found, number) => {
    if (found?.type === "unreadable") throw found.error;
    const name = `version ${expected.version} of object ${expected.body.id}`;
    if (found?.type !== "version") {
      throw new ImportError(
        "IMPORT_DIFFERS",
        `line ${number}: ${name} is not in the store; import the file, then verify again`,
      );
    }
    const isSame = wanted.line(expected) === stored.line(found.stored);
    // What the user had forgotten in the store stays so.
    if (isSame || forgottenIn(found.stored.body) !== undefined) return;
    throw new ImportError(
      "IMPORT_DIFFERS",
      `line ${number}: ${name} differs from the line in ${differences(expected, found.stored).join(", ")}; ` +
        "the store is damaged: scm doctor shows what is damaged, and scm doctor --repair --from FILE takes it from this file",
    );
  };
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
