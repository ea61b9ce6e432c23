import { piAdapter } from "@self-context-manager/adapter-pi";
import { runsEveryForm } from "@self-context-manager/store-contract";
import { harnessContract } from "@self-context-manager/testkit";

import { piHost } from "../src/harness/pi-host.ts";
import { contractPiVersions, piVersions } from "../src/pi-versions.ts";

const cases = [
  ...contractPiVersions.map((pi) => ({ pi, settings: "defaults" as const })),
  ...(runsEveryForm("adapter-pi") ? piVersions : []).map((pi) => ({
    pi,
    settings: "specification" as const,
  })),
];

for (const { pi, settings } of cases)
  harnessContract({
    settings,
    name: `${piAdapter.harness} ${pi.version}`,
    supports: piAdapter.supports,
    openHost: piHost(pi),
  });
