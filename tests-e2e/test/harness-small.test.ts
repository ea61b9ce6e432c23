import { codecContract, harnessContract } from "@self-context-manager/testkit";

import { smallHarnessAdapter } from "../src/small/small-adapter.ts";
import { encodeSmall, smallCodec } from "../src/small/small-codec.ts";
import { smallHost } from "../src/small/small-host.ts";

const answer = { role: "model", text: "an answer with a thought", calls: [] } as const;
const result = { role: "tool", callId: "call_9", tool: "pin", text: "ok", failed: false } as const;

codecContract({
  name: "of the small harness",
  codec: smallCodec,
  encode: encodeSmall,
  images: false,
  samples: [{ role: "model", text: "half", calls: [], error: "it broke off" }],
  signed: {
    message: { ...answer, reasoning: { text: "a thought", signature: "c2lnbmVk" } },
    thinking: "a thought",
    signature: "c2lnbmVk",
  },
  detailed: { message: { ...result, extra: { effects: [] } }, details: { effects: [] } },
});

for (const settings of ["defaults", "specification"] as const)
  harnessContract({
    name: smallHarnessAdapter.harness,
    supports: smallHarnessAdapter.supports,
    settings,
    openHost: smallHost,
  });
