import { testScale } from "@self-context-manager/store-contract";

import { type PiVersion, piVersions } from "../pi-versions.ts";
import { type Api, apis } from "./provider.ts";

/** A release and an API. */
export interface Place {
  readonly pi: PiVersion;
  readonly api: Api;
}

const places: readonly Place[] = piVersions.flatMap((pi) => apis.map((api) => ({ pi, api })));

/**
 * Returns the places where a scenario is played. The short run plays each at one place, in turn over all scenarios of
 * a file; the long run plays each at all places.
 */
export function placesOf(position: number, isLong: boolean = testScale.isLong): readonly Place[] {
  if (isLong) return places;
  const pi = piVersions[position % piVersions.length];
  const api = apis[position % apis.length];
  return places.filter((place) => place.pi === pi && place.api === api);
}
