import { defined } from "@self-context-manager/objects";

import type { EvaluationHost } from "../model/host.ts";
import { openAiSdkHost } from "./ai-sdk-host.ts";
import { hostError } from "./host-error.ts";
import { openOpenClawHost } from "./openclaw-host.ts";
import { openPiHost } from "./pi-host.ts";

export interface OpenHostOptions {
  /** The program or the package folder of the host. Default: the installed one. */
  readonly path?: string;
  /** The thinking level of a reasoning model. Default: the host's. */
  readonly thinking?: string;
}

/** Finds a host by its name. Rejects with `EvaluateError` and `EVALUATE_HOST` if it is not there. */
export async function openHost(
  name: EvaluationHost["name"],
  { path, thinking }: OpenHostOptions = {},
): Promise<EvaluationHost> {
  switch (name) {
    case "pi":
      return openPiHost(defined({ cli: path, thinking }));
    case "ai-sdk":
      if (path !== undefined || thinking !== undefined)
        throw hostError("the host ai-sdk has neither a path nor a thinking level; leave them out");
      return await openAiSdkHost();
    case "openclaw":
      return openOpenClawHost(defined({ cli: path, thinking }));
  }
}
