import type { KnownGaps } from "./known-gaps.ts";

const lookAtDisk = "the look at the disk stands for the result";
const kept = "messages of one request are taken into the history";
const notLeftOut = "messages that a hook leaves out stay";
const sizes = "sends at most 3 % and 200 tokens more than plain Pi";

/** What is missing for a session with other extensions. */
export const gapsInExtensions: KnownGaps = {
  "a redactor of results before the extension": {
    "never stores the secret": lookAtDisk,
  },
  "a redactor of results after the extension": {
    "never stores the secret": lookAtDisk,
  },
  "a redactor of requests before the extension": {
    "never stores the secret": lookAtDisk,
  },
  "hints in the results of read": {
    "shows each hint": lookAtDisk,
  },
  "a reminder with a new time before the extension": {
    "sends each request with one reminder": kept,
  },
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
