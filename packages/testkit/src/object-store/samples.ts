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

/** A small object with the given fields. */
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

/** Opens a store in a place of its own, and clears both away. */
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
    assert.ok(StoreError.is(error), `a StoreError with ${code} was wanted; got ${String(error)}`);
    assert.equal(error.code, code);
    return true;
  });
}

/** A text that two versions share only where all that they hold is equal. */
export function fingerprint(stored: StoredVersion | undefined): string {
  if (stored === undefined) return "undefined";
  const { body, hashes, version, at } = stored;
  return canonicalJson({ body, hashes: { ...hashes }, version, at });
}

/** All versions that a store tells of, in its order, whole. */
export async function allVersions(store: ObjectStore): Promise<readonly StoredVersion[]> {
  const { versions } = await store.changesSince();
  const whole: StoredVersion[] = [];
  for (const { body, version } of versions) {
    const stored = await store.get(body.id, { version });
    assert.ok(stored, `version ${version} of ${body.id} is told of but not there`);
    whole.push(stored);
  }
  return whole;
}

export async function collect(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const collected: string[] = [];
  for await (const line of lines) collected.push(line);
  return collected;
}
