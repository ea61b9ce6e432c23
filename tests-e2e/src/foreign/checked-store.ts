import {
  type ObjectBody,
  type ObjectId,
  type ObjectStore,
  presenceOf,
} from "@self-context-manager/objects";

import { tokensIn } from "./foreign-text.ts";
import { pathOf } from "./object-names.ts";
import type { SeenTexts } from "./seen-texts.ts";

export interface StoreCheck {
  readonly seen: SeenTexts;
  /** Whether the session shows only text of files that a tool of the host has shown. */
  readonly isAsking: boolean;
  readonly report: (problem: string) => void;
}

/**
 * Returns a store that checks what is stored: texts that the model may see, and texts of files of which a result showed
 * lines or that the model wrote. A known file also gets versions from the disk.
 */
export function checkedStore(
  store: ObjectStore,
  { seen, isAsking, report }: StoreCheck,
): ObjectStore {
  const wasPresent = new Set<ObjectId>();

  function check(body: ObjectBody): void {
    const isFile = body.type === "file" || body.type === "note";
    const isKnown = wasPresent.has(body.id);
    if (isFile && presenceOf(body) === "present") wasPresent.add(body.id);
    if (!isAsking || (isFile && isKnown)) return;
    const texts = isFile ? seen.fileTexts(pathOf(body)).map(({ text }) => text) : [];
    if (body.content !== null && texts.includes(body.content)) return;
    const unseen = [...tokensIn(JSON.stringify(body))].filter((token) => !seen.tokens.has(token));
    if (unseen.length > 0) report(`a ${body.type} is stored with ${unseen.join(" ")}`);
  }

  return {
    ...store,
    commit: async (writes, options) => {
      for (const { object } of writes) check(object.body);
      return await store.commit(writes, options);
    },
  };
}
