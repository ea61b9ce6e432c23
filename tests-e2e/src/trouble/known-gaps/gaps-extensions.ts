import type { KnownGaps } from "./known-gaps.ts";

const lookAtDisk = "the look at the disk stands for the result";
const kept = "messages of one request are taken into the history";
const notLeftOut = "messages that a hook leaves out stay";
const sizes = "sends at most 3 % and 200 tokens more than plain Pi";

/** What is missing for a session with other extensions. */
export const gapsInExtensions: KnownGaps = {
  "a redactor of results before the extension": {
    "never sends the secret with the extension": lookAtDisk,
    "shows the masked text": lookAtDisk,
    "never stores the secret": lookAtDisk,
  },
  "a redactor of results after the extension": {
    "never sends the secret with the extension": lookAtDisk,
    "shows the masked text": lookAtDisk,
    "never stores the secret": lookAtDisk,
  },
  "a redactor of requests before the extension": {
    "never sends the secret with the extension": lookAtDisk,
    "shows the masked text": lookAtDisk,
    "never stores the secret": lookAtDisk,
  },
  "tools of another machine": {
    "never sends the local content": lookAtDisk,
    "never stores the local content": lookAtDisk,
    "shows the remote content of each read": lookAtDisk,
  },
  "a gate in front of private files": {
    "never sends a private content with the extension":
      "activate opens a file that the host did not read",
    "never stores a private content": "activate opens a file that the host did not read",
  },
  "hints in the results of read": {
    "shows each hint": lookAtDisk,
  },
  "a reminder with a new time before the extension": {
    "sends each request with one reminder": kept,
  },
  "a reminder with a fixed time before the extension": {
    "sends each request with one reminder": kept,
    "sends the reminder with its newest wording, as the last message": kept,
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
