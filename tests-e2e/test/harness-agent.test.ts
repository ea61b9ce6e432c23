import { piAgentAdapter } from "@self-context-manager/adapter-pi";
import { harnessContract } from "@self-context-manager/testkit";

import { agentHost, type AgentModule } from "../src/harness/agent-host.ts";

const releases: Readonly<Record<string, AgentModule>> = {
  "0.73.1": (await import("pi-agent-core-0-73")) as unknown as AgentModule,
  "0.87.1": (await import("pi-agent-core-0-87")) as unknown as AgentModule,
};

for (const [version, module] of Object.entries(releases))
  for (const settings of ["defaults", "specification"] as const) {
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
