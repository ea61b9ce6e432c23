import type { DeliberateFault } from "./deliberate-fault.ts";

/** Faults that the tests in `packages/adapter-openclaw/test` must find. */
export const adapterOpenClawFaults: readonly DeliberateFault[] = [
  {
    file: "call-ids.ts",
    of: "call.hasResult = true;",
    becomes: "",
    breaks: "Two calls with one id of the host get each other's results.",
  },
  {
    file: "call-ids.ts",
    of: "for (const [own, id] of Object.entries(fieldsOf(given))) hostIds.set(own, id);",
    becomes: "",
    breaks: "A call gets another id in the request when the host no longer has its answer.",
  },
  {
    file: "compaction.ts",
    of: "await deactivateAll(session);",
    becomes: "",
    breaks: "A compaction for the user leaves all contents active.",
  },
  {
    file: "current-turns.ts",
    of: "if (isRepeated(message, turn)) return;",
    becomes: "",
    breaks: "A prompt is in the turn once for each attempt.",
  },
  {
    file: "current-turns.ts",
    of: '(key === undefined || one["idempotencyKey"] === key) &&',
    becomes: "key === undefined &&",
    breaks: "A prompt is in the turn again after an answer that the host has refused.",
  },
  {
    file: "current-turns.ts",
    of: "|| replaces(one, time)",
    becomes: "",
    breaks: "A summary of the host counts as a user who went back.",
  },
  {
    file: "current-turns.ts",
    of: 'return role === "custom" ? role : timestamp;',
    becomes: "return role;",
    breaks: "Each request identifies the messages before the turn once more.",
  },
  {
    file: "current-turns.ts",
    of: "turns.set(place, newer);",
    becomes: "",
    breaks: "What the user went back before stays in the new turn.",
  },
  {
    file: "current-turns.ts",
    of: "return withoutOrphans(rest);",
    becomes: "return rest;",
    breaks: "A result stays whose call the host has removed.",
  },
  {
    file: "current-turns.ts",
    of: ".slice(-mostMessages)",
    becomes: "",
    breaks: "The messages of a session that is never assembled need more and more memory.",
  },
  {
    file: "earlier-messages.ts",
    of: "await recordReads(messages.slice(known), connection);",
    becomes: "",
    breaks: "A file that was read before the installation is shown twice when it is read again.",
  },
  {
    file: "gateway-sessions.ts",
    of: "(mostOpen, close)",
    becomes: "(Number.POSITIVE_INFINITY, close)",
    breaks: "A gateway keeps all sessions of its life open.",
  },
  {
    file: "openclaw-runtime.ts",
    of: "turn.isRewound ||= transcripts.isRewound(name, earlier);",
    becomes: "",
    breaks: "The session does not follow a user who goes back to the beginning.",
  },
  {
    file: "openclaw-runtime.ts",
    of: 'if (turn.committed === key) return "duplicate";',
    becomes: "",
    breaks: "A turn that is reported twice counts twice.",
  },
  {
    file: "openclaw-runtime.ts",
    of: "wholes.returned(toolCallId, text);",
    becomes: "",
    breaks: "Only the beginning of a long result is stored.",
  },
  {
    file: "openclaw-runtime.ts",
    of: ".map((message) => wholes.listed(name, message))",
    becomes: "",
    breaks: "Only the beginning of a long result is stored if the store did not work in its turn.",
  },
  {
    file: "gateway-sessions.ts",
    of: "turn.isMended = !turn.isWhole && outcome.isComplete;",
    becomes: "",
    breaks: "A session stays on its history only after one request with other texts.",
  },
  {
    file: "text-swaps.ts",
    of: "plan.isSeen = true;",
    becomes: "",
    breaks:
      "A prompt that the transcript has in other words counts as a host without text transforms.",
  },
  {
    file: "openclaw-runtime.ts",
    of: "answerWith(answer.text, content, turn.isWhole)",
    becomes: "answerWith(answer.text, content, false)",
    breaks: "An activated content is shown twice, in its place and in the result.",
  },
  {
    file: "openclaw-messages.ts",
    of: "answerSaid(block.text)",
    becomes: "block.text",
    breaks: "The beginning of an activated content is shown twice.",
  },
  {
    file: "plugin-settings.ts",
    of: "return { ...others, ...Object.fromEntries(given) };",
    becomes: "return { ...Object.fromEntries(given), ...others };",
    breaks: "The environment counts more than the settings of the plugin.",
  },
  {
    file: "request-check.ts",
    of: "if (missed > 0)",
    becomes: "if (missed < 0)",
    breaks: "The user is not notified that texts of a view do not reach the provider.",
  },
  {
    file: "request-check.ts",
    of: "if (run !== last) added = undefined;",
    becomes: "",
    breaks: "A run with more tools than the last one counts as trouble.",
  },
  {
    file: "request-check.ts",
    of: "if (more > allowance)",
    becomes: "if (more < 0)",
    breaks: "A request that has more than its view is not noticed.",
  },
  {
    file: "session-places.ts",
    of: "...(revision === undefined ? [] : [revision])",
    becomes: "",
    breaks: "A session has the objects of before its reset.",
  },
  {
    file: "split-messages.ts",
    of: "if (!history.some(canBeJoined))",
    becomes: "if (history.length === 0)",
    breaks: "The transcript is read for each request.",
  },
  {
    file: "split-messages.ts",
    of: 'const step = message.role === "assistant" ? 1 : -1;',
    becomes: "const step = 1;",
    breaks: "Joined prompts stay joined for the session.",
  },
  {
    file: "text-swaps.ts",
    of: "beginsWith(from, left) ? to",
    becomes: "text === from ? to",
    breaks: "A result is sent as the host has cut it, although the view shows all of it.",
  },
  {
    file: "text-swaps.ts",
    of: "if (!isNext && last?.run === now && last.to === text && last.from !== text) return text;",
    becomes: "",
    breaks:
      "A text that was replaced counts as a later one of the host if a transform is applied twice.",
  },
  {
    file: "text-swaps.ts",
    of: "return found.length === 1 ? found[0]?.[0] : undefined;",
    becomes: "return found[0]?.[0];",
    breaks: "A request of one session gets the texts of another one.",
  },
  {
    file: "text-swaps.ts",
    of: "forget: (run) => void plans.delete(run)",
    becomes: "forget: () => undefined",
    breaks: "Texts are replaced after the end of their run.",
  },
  {
    file: "turn-view.ts",
    of: "if (before === undefined || !takesText || !isOwnMessage(message)) messages.push(message);",
    becomes: "if (before === undefined || !isOwnMessage(message)) messages.push(message);",
    breaks: "An answer of the model gets a text that it does not have.",
  },
  {
    file: "turn-view.ts",
    of: "(isSwapped ? after[index] : undefined) ?? text",
    becomes: "after[index] ?? text",
    breaks: "A stand-in is sent beside the rest of the text that it stands for.",
  },
  {
    file: "turn-view.ts",
    of: 'if (message.role === "assistant") return message;',
    becomes: "",
    breaks:
      "The prefix of a long session changes when OpenClaw no longer hands a folded answer over.",
  },
];
