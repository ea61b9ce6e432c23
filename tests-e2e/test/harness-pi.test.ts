import { piAdapter } from "@self-context-manager/adapter-pi";
import { runsEveryForm } from "@self-context-manager/store-contract";
import { harnessContract } from "@self-context-manager/testkit";

import { piHost } from "../src/harness/pi-host.ts";
import { piVersions } from "../src/pi-versions.ts";

const allSettings = runsEveryForm("adapter-pi")
  ? (["defaults", "specification"] as const)
  : (["defaults"] as const);

for (const pi of piVersions)
  for (const settings of allSettings)
    harnessContract({
      settings,
      name: `${piAdapter.harness} ${pi.version}`,
      supports: piAdapter.supports,
      openHost: piHost(pi),
    });
