import type { DeliberateFault } from "../deliberate-fault.ts";

/** Faults of chats, calls, costs and the ports of hosts. */
export const chatFaults: readonly DeliberateFault[] = [
  {
    file: "calls/toolcall-object.ts",
    of: "const isBeginning = to > 0 && to < whole.length && to >= lines.length - markLines;",
    becomes: "const isBeginning = to > 0 && to < whole.length;",
    breaks: "A result of which another extension has masked a part is stored unmasked.",
  },
  {
    file: "calls/toolcall-object.ts",
    of: "result.isError || result.hasFailed === true",
    becomes: "result.isError",
    breaks:
      "A command that failed is shown as one that did not, if the host passes it as a success.",
  },
  {
    file: "calls/toolcall-object.ts",
    of: "linesInResult({ ...result, wholeText: stored.content })?.to === shown.to",
    becomes: "false",
    breaks: "A fork stores a call again of which the host shows only the beginning.",
  },
  {
    file: "calls/toolcall-object.ts",
    of: '&& operation === "read" ? fileReferences(body)',
    becomes: "? fileReferences(body)",
    breaks: "A call of activate counts as a read, whose text stands for its result.",
  },
  {
    file: "calls/toolcall-object.ts",
    of: 'stored["timestamp"] === facts.result.timestamp &&',
    becomes: "",
    breaks: "A call gets the stored output of another session's call that has the same id.",
  },
  {
    file: "chat/chat-content.ts",
    of: 'if (isLast && !isSettled) return text.join("");',
    becomes: "",
    breaks:
      "The stored text of a chat is rewritten when a result arrives, instead of only growing.",
  },
  {
    file: "cost/cache-state.ts",
    of: 'if (state.model !== model) return "model-switched";',
    becomes: "",
    breaks: "After a switch of the model, the cache of the new model counts as warm.",
  },
  {
    file: "cost/calibration.ts",
    of: "(factors?.[name] ?? Math.max(1, factor))",
    becomes: "(factors?.[name] ?? factor)",
    breaks: "A factor that was measured on English lowers the estimate of other scripts.",
  },
  {
    file: "cost/calibration.ts",
    of: "Math.max(leastChange, leastShare * change.size)",
    becomes: "leastChange",
    breaks: "The factor of a class is measured by calls that bring mostly text of another class.",
  },
  {
    file: "cost/calibration.ts",
    of: "const isLess = points.length >= fewestPoints && rest < 0;",
    becomes: "const isLess = false;",
    breaks: "The estimator keeps a factor under which the overhead would be negative.",
  },
  {
    file: "cost/text-tally.ts",
    of: "unitsOf(kindsOfThree & 7) + Math.round(extra * unit)",
    becomes: "unitsOf(kindsOfThree & 7)",
    breaks: "Base64 and colour codes are counted like words, so a view exceeds the context window.",
  },
  {
    file: "cost/cost-account.ts",
    of: "const grown = Math.max(0, call.plainTokens - last.estimated) /",
    becomes: "const grown = 0 /",
    breaks:
      "The account shows no savings, because the plain host seems to have everything in the cache.",
  },
  {
    file: "cost/cost-account.ts",
    of: "if (isOwn)",
    becomes: "if (isOwn && isCold)",
    breaks: "The plain host is billed for calls that only manage the context.",
  },
  {
    file: "cost/cost-account.ts",
    of: "difference: likely.plain - likely.sent - ownPart,",
    becomes: "difference: likely.plain - likely.sent,",
    breaks: "The plain host is billed for the declarations of context tools.",
  },
  {
    file: "cost/cost-account.ts",
    of: "plain_prompt: isCold ? emptyAccount.plain_prompt : last",
    becomes: "plain_prompt: last",
    breaks: "After a pause the plain host seems to find its prompt in the cache.",
  },
  {
    file: "cost/cost-account.ts",
    of: "if (cached > 0 && cacheRead === 0) return { profile, promptTokens, sharedTokens: 0 };",
    becomes: "",
    breaks: "Text that the provider has dropped is billed to the session only.",
  },
  {
    file: "cost/cost-account.ts",
    of: "if (excess <= 0 || cost.cached === 0) return cost;",
    becomes: "if (excess !== 0) return cost;",
    breaks: "A calibration that comes late leaves the plain host too expensive.",
  },
  {
    file: "cost/estimated-cost.ts",
    of: "promptTokens >= profile.minimum;",
    becomes: "promptTokens > 0;",
    breaks: "Prompts that are too short for the cache are billed as cached.",
  },
  {
    file: "chat/content-key.ts",
    of: "if (markFields.has(name)) return [];",
    becomes: "",
    breaks: "In a host without ids, a mark for the cache makes a known message a new one.",
  },
  {
    file: "cost/media-facts.ts",
    of: "isRemote: found.isRemote && !found.hasText",
    becomes: "isRemote: found.isRemote",
    breaks: "A document whose text is in the message counts as ten pages.",
  },
  {
    file: "calls/user-object.ts",
    of: "file !== undefined && rawEstimator.media(file) > leastPart;",
    becomes: "false;",
    breaks:
      "An image of the user leaves a full view with its turn only, and nothing can bring it back.",
  },
  {
    file: "calls/user-object.ts",
    of: ": isSameJson(one, other);",
    becomes: ": false;",
    breaks: "The same image again is another object.",
  },
  {
    file: "calls/execution.ts",
    of: "contextTool === undefined ||",
    becomes: "",
    breaks: "The details of a foreign tool's result change what is active.",
  },
  {
    file: "calls/written-stand-ins.ts",
    of: 'return kind === "command" ||',
    becomes: "return",
    breaks: "A command can write an argument stub into a file.",
  },
  {
    file: "calls/own-change.ts",
    of: "if (!changed.marks.slice(start, start + length).includes(isUnknown))",
    becomes: "",
    breaks: "After an edit the model can open lines of the file that it has never read.",
  },
  {
    file: "calls/line-ends.ts",
    of: '.replaceAll("\\r\\n", "\\n")',
    becomes: "",
    breaks: "The model's own edits of files with CRLF line ends are reported as changes by others.",
  },
  {
    file: "host/marked-list.ts",
    of: "if (calls.has(callId)) all.add(raw);",
    becomes: "",
    breaks: "The result of an answer that another extension has added to one request is stored.",
  },
  {
    file: "host/file-rendering.ts",
    of: "if (!isAtLineEnd) return undefined;",
    becomes: "",
    breaks: "A result that ends within a line counts as the whole line.",
  },
  {
    file: "host/file-rendering.ts",
    of: "whole !== undefined || notice === undefined",
    becomes: "notice === undefined",
    breaks: "A file whose end looks like the host's notice loses its end.",
  },
  {
    file: "calls/replaced-texts.ts",
    of: "runs.filter(({ from, to }) => to - from >= least)",
    becomes: "runs",
    breaks: "Short removed lines of a patch become marks.",
  },
  {
    file: "calls/replaced-texts.ts",
    of: "if (!isMarked && commandFields.has(name)) return [];",
    becomes: "",
    breaks: "A command that writes a patch file loses lines of its text.",
  },
  {
    file: "calls/text-heads.ts",
    of: "isSplit ? head - 1 : head",
    becomes: "head",
    breaks: "A shown part of arguments ends with half a character.",
  },
  {
    file: "calls/listed-names.ts",
    of: "if (!isFilter(command)) return undefined;",
    becomes: "",
    breaks: "The output of a command that counts lines is searched for names.",
  },
  {
    file: "calls/listed-names.ts",
    of: 'if (first !== undefined && first !== "-") folder = place.resolve(first, folder);',
    becomes: "",
    breaks: "The names after `cd` are looked for in the wrong folder.",
  },
  {
    file: "chat/chat-body.ts",
    of: "if (!isAfter(compaction.from, archive.from)) return archive;",
    becomes: "",
    breaks: "A summary from before an archive is shown after it.",
  },
  {
    file: "chat/chat-body.ts",
    of: "messages: [...archive.messages, ...compaction.messages]",
    becomes: "messages: compaction.messages",
    breaks: "After a compaction by the user nothing names the archived chat.",
  },
  {
    file: "chat/chat-body.ts",
    of: "...defined({ compaction, archive }),",
    becomes: "...defined({ compaction }),",
    breaks: "A resumed session shows archived turns.",
  },
];
