import { piAgentAdapter } from "@self-context-manager/adapter-pi";
import { runsEveryForm } from "@self-context-manager/store-contract";
import { harnessContract, type HostSettings } from "@self-context-manager/testkit";

import { agentHost, type AgentModule } from "../src/harness/agent-host.ts";

const releases: Readonly<Record<string, AgentModule>> = {
  "0.73.1": (await import("pi-agent-core-0-73")) as unknown as AgentModule,
  "0.87.1": (await import("pi-agent-core-0-87")) as unknown as AgentModule,
};

/** The settings of each release: both if the adapter has changed, otherwise one. */
const settingsOf = (version: string): readonly HostSettings[] => {
  if (runsEveryForm("adapter-pi")) return ["defaults", "specification"];
  return version === "0.73.1" ? ["specification"] : ["defaults"];
};

for (const [version, module] of Object.entries(releases))
  for (const settings of settingsOf(version)) {
    harnessContract({
      name: `${piAgentAdapter.harness} ${version}`,
      supports: piAgentAdapter.supports,
      settings,
      knownGaps: {
        "off-switch-passes-through": "an agent without managed context is made without the wrapper",
        "beginning-is-followed": "a bare agent does not report that its user went back",
      },
      openHost: agentHost(module),
    });
  }
