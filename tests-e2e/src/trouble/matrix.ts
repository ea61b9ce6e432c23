import { testScale } from "@self-context-manager/store-contract";

import { type PiVersion, piVersions } from "../pi-versions.ts";
import { type Api, apis } from "./provider.ts";

/** A release and an API. */
export interface Place {
  readonly pi: PiVersion;
  readonly api: Api;
}

/**
 * Returns the places where a scenario is played. The short run plays each at one place, in turn over all scenarios of
 * a file; the long run plays each at all places. With `releases` it is played on each of these, with one API in a short run.
 */
export function placesOf(
  position: number,
  releases?: readonly PiVersion[],
  isLong: boolean = testScale.isLong,
): readonly Place[] {
  const api = apis[position % apis.length];
  const some = releases ?? piVersions.filter((_, index) => index === position % piVersions.length);
  return (isLong ? (releases ?? piVersions) : some).flatMap((pi) =>
    apis.filter((one) => isLong || one === api).map((one) => ({ pi, api: one })),
  );
}
