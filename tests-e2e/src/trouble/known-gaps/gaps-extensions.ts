import type { KnownGaps } from "./known-gaps.ts";

const notLeftOut = "messages that a hook leaves out stay";
const sizes = "sends at most 3 % and 200 tokens more than plain Pi";

/** What is missing for a session with other extensions. */
export const gapsInExtensions: KnownGaps = {
  "the plan mode of Pi's examples before the extension": {
    [sizes]: notLeftOut,
    "names the mode as often as plain Pi": notLeftOut,
    "does not name the mode after its end": notLeftOut,
  },
  "an extension that sends only the last two prompts, before the extension": {
    [sizes]: notLeftOut,
    "leaves out the prompts that plain Pi leaves out": notLeftOut,
    "leaves out the results that plain Pi leaves out": notLeftOut,
  },
};
