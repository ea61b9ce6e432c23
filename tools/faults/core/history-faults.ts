import type { DeliberateFault } from "../deliberate-fault.ts";

/** Faults of the history of a chat. */
export const historyFaults: readonly DeliberateFault[] = [
  {
    file: "history/ingest-messages.ts",
    of: "answer?.index !== signals.answerAt",
    becomes: "signals.answerAt > 1e6",
    breaks: "After missed requests a later answer counts as the answer to the last view.",
  },
  {
    file: "history/ingest-messages.ts",
    of: "if (isArchived) freeSummarised(scope);",
    becomes: "",
    breaks: "A fork with an archived chat shows the contents of archived turns.",
  },
  {
    file: "history/add-to-chat.ts",
    of: "if (answered !== undefined) {",
    becomes: "if (answered === null) {",
    breaks: "A result that is reported twice is shown again as a message of the user.",
  },
  {
    file: "history/align-names.ts",
    of: "if (waits && !isBehindNew) return places;",
    becomes: "if (places.length > 0) return places;",
    breaks: "In a host without ids, a prompt with words that were said before is lost.",
  },
  {
    file: "history/align-names.ts",
    of: "&& chat[place]?.isReplaced !== true",
    becomes: "",
    breaks:
      "In a host without ids, a prompt with the words of one that a summary replaced is lost.",
  },
  {
    file: "history/align-names.ts",
    of: 'const isAnswer = first?.role === "assistant" && isOnce(first.name, names);',
    becomes: "const isAnswer = first === undefined;",
    breaks: "In a host without ids, abandoned prompts stay after it went back to an old answer.",
  },
  {
    file: "history/align-names.ts",
    of: "if (length > 0 && length >= found.length) found = { start, length };",
    becomes: "void start;",
    breaks: "In a host without ids, a list that lost its beginning is ingested again.",
  },
  {
    file: "history/known-keys.ts",
    of: "isWhole || (isBehindSummary && isOlder) ? shared : []",
    becomes: "[]",
    breaks: "In a host without ids, a list that begins again loses the chat before it.",
  },
  {
    file: "history/known-keys.ts",
    of: "const isHidden = begin > 0 && all.every((place) => place === undefined);",
    becomes: "const isHidden = begin < -1;",
    breaks: "A host without ids goes back to within the results of an answer, and nobody sees it.",
  },
  {
    file: "history/known-keys.ts",
    of: "isBeginning &&= index < newest && isOutside;",
    becomes: "isBeginning &&= isOutside;",
    breaks: "A prompt with the words of a summary is taken for the summary.",
  },
  {
    file: "history/rewind.ts",
    of: 'const from = (before[next] ?? state.chat.known.get(messages[next]?.key ?? ""))?.position;',
    becomes: 'const from = state.chat.known.get(messages[next]?.key ?? "")?.position;',
    breaks: "In a host without ids, messages that a summary replaced come back.",
  },
  {
    file: "history/rewind.ts",
    of: "if (point === undefined || lacksCalls(scope, point, turns)) {",
    becomes: "if (true) {",
    breaks: "Going back keeps the pins of the branch that was left.",
  },
  {
    file: "history/rewind.ts",
    of: "if (!isAfter(compaction.from, from ?? afterEnd(state.chat.turns))) return;",
    becomes: "return;",
    breaks: "After going back, messages that the host still sends are missing behind the summary.",
  },
  {
    file: "history/rewind.ts",
    of: "from ?? afterEnd(state.chat.turns)",
    becomes: "from ?? compaction.from",
    breaks: "After going back in a host without ids, a summary hides the new prompt.",
  },
  {
    file: "history/rewind.ts",
    of: "const archive = point?.chat.archive;",
    becomes: 'const archive = undefined as ChatState["archive"];',
    breaks: "A user who returns from before an archive gets the archived turns again.",
  },
  {
    file: "history/rewind.ts",
    of: "state.unfolded.cut(turns.length);",
    becomes: "",
    breaks: "A new turn that replaces one that the user wanted whole is never folded.",
  },
  {
    file: "history/branch-point.ts",
    of: "return some.slice(0, length).every((id, index) => id === others[index]);",
    becomes: "return length >= 0;",
    breaks:
      "A host without ids that goes back gets the sets of an abandoned branch with the same words.",
  },
  {
    file: "history/branch-point.ts",
    of: "{ txId: next.at.tx_id - 1 }",
    becomes: "{ txId: next.at.tx_id }",
    breaks: "Going back brings the active objects of the abandoned branch along.",
  },
  {
    file: "history/shared-calls.ts",
    of: "&& (await isSameResult(scope, object, call, rendering))",
    becomes: "&& isSameResult.length > 0",
    breaks: "A session is given the output of another session whose call has the same id.",
  },
  {
    file: "history/shared-calls.ts",
    of: "|| !continues(other, own, call, place)",
    becomes: "|| own.length === 0",
    breaks: "Two chats that have only a call's id and output in common share its object.",
  },
  {
    file: "history/shared-calls.ts",
    of: "if (chats.size === mostChats) return shared;",
    becomes: "",
    breaks: "A session whose first call many others made reads the chats of all of them.",
  },
  {
    file: "history/foreign-handles.ts",
    of: 'skipAll(scope.state, execution.report ?? "", named);',
    becomes: "void execution;",
    breaks: "After a resume on another store, old handles name new objects.",
  },
  {
    file: "history/foreign-handles.ts",
    of: "for (const text of textsOf(message, toolFacts)) skipAll(scope.state, text, mentioned);",
    becomes: "void message;",
    breaks: "After a resume on another store, handles in the model's texts name new objects.",
  },
  {
    file: "history/foreign-handles.ts",
    of: "(?=[a-z]\\\\d{1,4}\\\\b)",
    becomes: "(?=[a-su-z]\\\\d{1,4}\\\\b)",
    breaks: "After a resume on another store, old handles name other tool calls.",
  },
  {
    file: "history/foreign-handles.ts",
    of: " && !messages.some(isHostSummary)",
    becomes: "",
    breaks: "After a fork of a compacted session, old handles name other objects.",
  },
  {
    file: "history/foreign-handles.ts",
    of: " || chats.some((id) => !ids.has(id))",
    becomes: "",
    breaks:
      "A session from another store is not recognised by the summaries of the context manager.",
  },
  {
    file: "history/foreign-handles.ts",
    of: "return !touched.some((id) => ids.has(id));",
    becomes: "return true;",
    breaks: "A fork counts as a session from another store.",
  },
  {
    file: "history/recognise-list.ts",
    of: "keys.push(ordinal === 0 ? name : `${name} #${ordinal}`)",
    becomes: "keys.push(name)",
    breaks: "Of two messages of one millisecond the second is lost.",
  },
  {
    file: "history/record-write.ts",
    of: "facts.size <= largeFile",
    becomes: "facts.size > 0",
    breaks: "A log of many megabytes is read as a whole after an edit of one line.",
  },
  {
    file: "history/record-write.ts",
    of: "longestText(args) > facts.size / 4",
    becomes: "longestText(args) > facts.size",
    breaks: "A large text that the model wrote itself is not stored as its own.",
  },
  {
    file: "history/reconcile.ts",
    of: 'if (speaker?.identity.role !== "user" || isContinued) return undefined;',
    becomes: "",
    breaks: "An answer that the host repeats cuts the chat.",
  },
  {
    file: "history/rewind-target.ts",
    of: "if (messages.some(({ key }) => known.get(key)?.position !== undefined)) return undefined;",
    becomes: "return undefined;",
    breaks: "Going back to right behind a summary keeps what was said after it.",
  },
  {
    file: "history/replaced-beginning.ts",
    of: "return newest > 0 && isNew(0) && !isKnown ? beginning(list, 1, undefined) : undefined;",
    becomes: "return newest > 0 && isNew(0) ? beginning(list, 1, undefined) : undefined;",
    breaks:
      "A list that has lost its beginning, and repeats words of the chat, replaces the whole chat.",
  },
  {
    file: "history/paired-calls.ts",
    of: "return answer.find((call) => call.hostId === hostId && !call.hasResult);",
    becomes: "return answer.findLast((call) => call.hostId === hostId && !call.hasResult);",
    breaks: "The results of calls with the same id are in reverse order.",
  },
  {
    file: "history/paired-calls.ts",
    of: "const id = uniqueId(block.id, (one) => used.has(one) || chat.sentIds.has(one));",
    becomes: "const id = uniqueId(block.id, (one) => used.has(one));",
    breaks: "A call is sent with the id of an earlier call of the chat.",
  },
  {
    file: "history/stage-toolcalls.ts",
    of: "if (hasBlocks || (hasText && !isContextTool))",
    becomes: "if (hasBlocks || hasText)",
    breaks: "Reports of the context tools take room as active contents.",
  },
  {
    file: "history/recognize-reads.ts",
    of: "if (!hasContentOf(indexed.stored, file)) continue;",
    becomes: "",
    breaks: "A result shows a later text of the file than the tool read.",
  },
  {
    file: "history/file-index.ts",
    of: "if (earlier === undefined) {",
    becomes: "if (Number.isNaN(after)) {",
    breaks: "Two sessions that read a new file at once make two objects of it.",
  },
  {
    file: "history/execution-of-result.ts",
    of: "const { context_tool: isContextTool, report, context_operation: made } = stored.body;",
    becomes:
      "const { context_tool: isContextTool, short_summary: report, context_operation: made } = stored.body;",
    breaks: "A fork does not know what the context tools of the session before it did.",
  },
  {
    file: "history/user-objects.ts",
    of: "const id = known(part) ?? ids.next();",
    becomes: "const id = ids.next();",
    breaks: "The same paste again is another object.",
  },
  {
    file: "history/user-objects.ts",
    of: "writes.push({ object, expect: 0 });",
    becomes: "",
    breaks: "A paste has a handle, and no object in the store.",
  },
  {
    file: "history/listed-files.ts",
    of: ".slice(0, Math.max(0, mostListed - listed.names))",
    becomes: "",
    breaks: "A turn makes all files of a project known.",
  },
  {
    file: "history/adopt-archive.ts",
    of: "if (names.every((one, index) => one === own[index])) return archive;",
    becomes: "return archive;",
    breaks: "A fork from before an archive lacks the turns that the other session archived.",
  },
];
