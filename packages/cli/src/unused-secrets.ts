import { markIds, secretMarks } from "@self-context-manager/compose";
import type { ObjectId, ObjectStore } from "@self-context-manager/core";
import { matchedTexts } from "@self-context-manager/core/forget";

import type { CommandCall } from "./command.ts";

/** The secrets of objects that are about to go. */
export interface SecretsOf {
  /** Removes the bytes beside the store of those that no version has now. */
  removeUnused(): Promise<void>;
}

/** Looks for marks in objects that are about to be removed or forgotten as a whole. */
export async function secretsOf(
  call: CommandCall,
  store: ObjectStore,
  objects: Iterable<ObjectId>,
): Promise<SecretsOf> {
  const ids = new Set<string>();
  for (const object of objects)
    for await (const { body } of store.versions(object))
      for (const id of markIds(JSON.stringify(body))) ids.add(id);
  return {
    async removeUnused() {
      if (ids.size === 0) return;
      const place = await call.namedPlace();
      const marks = secretMarks(place, call.environment, (_, id) => ids.has(id));
      if (marks === undefined || marks.secrets.length === 0) return;
      const texts = await matchedTexts(store, (text) => marks.places(text));
      const used = new Set([...texts].flatMap(markIds));
      secretMarks(place, call.environment, (_, id) => ids.has(id) && !used.has(id))?.remove();
    },
  };
}
