import type { ObjectStore, StoredMetadata } from "@self-context-manager/core";
import { type ForgetPlan, type ForgetTarget, formsOf } from "@self-context-manager/core/forget";

import type { CommandCall } from "../command.ts";
import { copiesBeside, filesWith } from "../host-files.ts";

/** What this command does not change. */
export interface Elsewhere {
  readonly files: readonly string[];
  readonly copies: readonly string[];
}

/** Looks for what has the forgotten texts outside of the store. */
export async function elsewhere(
  call: CommandCall,
  store: ObjectStore,
  plan: ForgetPlan,
  { matches }: ForgetTarget,
): Promise<Elsewhere> {
  const place = await call.namedPlace();
  const forms = plan.texts.flatMap(formsOf);
  const hasText = (text: string): boolean =>
    forms.some((form) => text.includes(form)) ||
    (matches !== undefined && [...matches(text)].length > 0);
  // A text can be in files of which the store has no version with it.
  const objects =
    matches === undefined
      ? [...plan.objects.map(({ stored }) => stored), ...plan.sessions]
      : [...(await newest(store, "file")), ...(await newest(store, "session"))];
  return {
    files: await filesWith(matches === undefined ? () => true : hasText, objects, call.environment),
    copies: place.store === "sqlite" ? await copiesBeside(place.at) : [],
  };
}

/** Files and sessions of which the files outside of the store are looked at. */
const mostLookedAt = 1_000;

async function newest(store: ObjectStore, type: string): Promise<readonly StoredMetadata[]> {
  return (await store.find({ where: { type }, newestFirst: true, limit: mostLookedAt })).items;
}
