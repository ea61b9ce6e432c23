import {
  canonicalJson,
  type DynamicReference,
  type JsonObject,
  type ObjectBody,
  objectId,
  type ObjectStore,
  type SealedObject,
  sealObject,
  StoreError,
  type StoredVersion,
} from "@self-context-manager/objects";
import assert from "node:assert/strict";

import type { CreatePlace, StorePlace } from "./store-place.ts";

/** Returns a small object with the given fields. */
export function sample(id: string, fields: JsonObject = {}): SealedObject {
  return sealObject(sampleBody(id, fields));
}

export function sampleBody(id: string, fields: JsonObject = {}): ObjectBody {
  return {
    type: "note",
    content: "",
    locked: false,
    provenance: { origin: "a test", generator: "tool" },
    ...fields,
    id: objectId(id),
  };
}

export function dynamic(id: string, part: { readonly field?: string } = {}): DynamicReference {
  return { ref: "dynamic", id: objectId(id), ...part };
}

/** Runs a function with a store in a new place. Disposes of both afterwards. */
export async function inStore(
  createPlace: CreatePlace,
  run: (store: ObjectStore, place: StorePlace) => Promise<void>,
): Promise<void> {
  await using place = await createPlace();
  await using store = await place.open();
  await run(store, place);
}

export async function rejectsWith(code: string, promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(StoreError.is(error), `a StoreError with ${code} was expected, not ${String(error)}`);
    assert.equal(error.code, code);
    return true;
  });
}

/** Returns a text that two versions share only if all their data is equal. */
export function fingerprint(stored: StoredVersion | undefined): string {
  if (stored === undefined) return "undefined";
  const { body, hashes, version, at } = stored;
  return canonicalJson({ body, hashes: { ...hashes }, version, at });
}

/** Returns all versions that a store reports, with all fields, in the store's order. */
export async function allVersions(store: ObjectStore): Promise<readonly StoredVersion[]> {
  const { versions } = await store.changesSince();
  const whole: StoredVersion[] = [];
  for (const { body, version } of versions) {
    const stored = await store.get(body.id, { version });
    assert.ok(stored, `version ${version} of ${body.id} is reported but cannot be read`);
    whole.push(stored);
  }
  return whole;
}

/** Returns the versions that a store reads in order. */
export async function collectVersions(
  versions: AsyncIterable<StoredVersion>,
): Promise<readonly StoredVersion[]> {
  const collected: StoredVersion[] = [];
  for await (const stored of versions) collected.push(stored);
  return collected;
}

export async function collect(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const collected: string[] = [];
  for await (const line of lines) collected.push(line);
  return collected;
}
