import { piAdapter } from "@self-context-manager/adapter-pi";
import { harnessContract } from "@self-context-manager/testkit";

import { piHost } from "../src/harness/pi-host.ts";
import { piVersions } from "../src/pi-versions.ts";

for (const pi of piVersions)
  for (const settings of ["defaults", "specification"] as const) {
    harnessContract({
      settings,
      name: `${piAdapter.harness} ${pi.version}`,
      supports: piAdapter.supports,
      openHost: piHost(pi),
    });
  }
