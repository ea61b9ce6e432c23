import type { TextMask } from "@self-context-manager/objects";
import {
  type KnownMarks,
  marksOf,
  type SecretBook,
  secretMask,
  type SecretsSetting,
} from "@self-context-manager/secrets";

import { randomBytes } from "node:crypto";

import { type Environment } from "./environment.ts";
import { secretsSettings } from "./kinds.ts";
import { inMemory, searchPath, type StorePlace } from "./search-path.ts";
import { secretFiles, secretId } from "./secret-files.ts";
import { known } from "./session-settings.ts";

export interface StoreMaskOptions {
  readonly secrets?: SecretsSetting | undefined;
  /** The path of the files beside a store that the caller has opened. */
  readonly secretsAt?: string | undefined;
}

/**
 * Returns what replaces secrets in the texts of a store; undefined if nothing does. `place`: how the store was opened;
 * undefined for one that the caller has opened, of which it is not known where its files are.
 */
export function storeMask(
  place: StorePlace | undefined,
  { secrets, secretsAt }: StoreMaskOptions,
): TextMask | undefined {
  const hasPlace = place !== undefined || secretsAt !== undefined;
  const setting =
    secrets === undefined
      ? hasPlace
        ? "mask"
        : "off"
      : known("secrets", secretsSettings, secrets);
  const path = secretsAt ?? (place === undefined ? undefined : secretsPath(place));
  // Without files, no text of an earlier process can have a mark.
  if (path === undefined) return setting === "off" ? undefined : secretMask(memoryBook(), setting);
  return secretMask(secretFiles(path, setting === "mask"), setting);
}

/** Returns secrets of which a store has only marks; undefined for a store without such files. `isMeant`: which of them. */
export function secretMarks(
  place: StorePlace,
  environment: Environment,
  isMeant: (secret: string, id: string) => boolean,
): KnownMarks | undefined {
  const path = secretsPath(place, environment);
  return path === undefined ? undefined : marksOf(secretFiles(path, false), isMeant);
}

/**
 * The path of the files of secrets of a store, without their endings; undefined for a store in memory. They are beside the
 * store, or beside its search index.
 */
export function secretsPath(place: StorePlace, environment?: Environment): string | undefined {
  const search = searchPath(place, environment);
  if (search === inMemory) return undefined;
  return search.slice(0, -".search".length);
}

/** A book that ends with the process. */
function memoryBook(): SecretBook {
  const key = randomBytes(32);
  const secrets = new Map<string, string>();
  return {
    get isBegun() {
      return secrets.size > 0;
    },
    idOf: (secret) => secretId(key, secret),
    secrets: () => secrets.values(),
    secretOf: (id) => secrets.get(id),
    keep(fresh) {
      for (const [id, secret] of fresh) secrets.set(id, secret);
    },
    remove(ids) {
      for (const id of ids) secrets.delete(id);
    },
  };
}
