import { type ContextSession, readList } from "@self-context-manager/core";

import { type CompactionAnswer, compactionAnswer, compactionKind } from "./compaction.ts";
import { isOwnCompaction } from "./own-summary.ts";
import type { BeforeCompactEvent, PiApi } from "./pi-api.ts";
import { piCodec } from "./pi-codec.ts";
import { statusKey } from "./pi-notices.ts";
import { compactedStatus, type PiSession, type PiSessions } from "./pi-sessions.ts";
import { ownSummaries, replacedMessages } from "./replaced-messages.ts";
import { hasReplaced } from "./request-hooks.ts";
import { summarizeAgain } from "./summarized-again.ts";

/** The hooks by which Pi shortens its list. */
export function compactionHooks(pi: PiApi, sessions: PiSessions): void {
  const { tools } = sessions;

  pi.on("session_before_compact", async (event, context) => {
    const kind = compactionKind(event, context);
    const session = sessions.at(context);
    const { connection } = session;
    if (kind === "manual") return connection.isOn ? summarizeAgain(event, context) : undefined;
    return await connection.attempt(async (opened) => {
      if (!tools.canActivate()) return undefined;
      // Pi also sees an overflow in an answer that the provider cut, which has no error.
      if (kind === "overflow") await connection.refused();
      return { compaction: await answerTo(event, session, opened) };
    });
  });

  pi.on("session_compact", ({ compactionEntry }, context) => {
    const session = sessions.at(context);
    const isTheirs = session.connection.isOn && !isOwnCompaction(compactionEntry);
    if (!isTheirs || !tools.canActivate()) return;
    session.isCompacted = true;
    context.ui.setStatus(statusKey, compactedStatus);
  });
}

/**
 * Answers an automatic compaction. Pi removes the messages from its list and does not send them again. Those that an earlier
 * failure skipped are ingested now.
 */
async function answerTo(
  event: BeforeCompactEvent,
  { connection }: PiSession,
  opened: ContextSession,
): Promise<CompactionAnswer> {
  const { preparation, branchEntries = [] } = event;
  const { messagesToSummarize = [], turnPrefixMessages = [] } = preparation;
  const leaving = [...messagesToSummarize, ...turnPrefixMessages];
  const replaced = replacedMessages(branchEntries);
  const list = readList([...replaced, ...leaving], piCodec);
  const isWhole = await hasReplaced(connection, opened, list, replaced);
  const signals = { summaries: () => ownSummaries(branchEntries) };
  if (!connection.isRewound && leaving.length > 0)
    await opened.ingest(isWhole ? readList(leaving, piCodec, list) : list, signals);
  // Without a turn, the answer is a header and a line for each turn; an empty chat has none.
  const { ok, text } = await opened.activate("chat");
  const turns = ok ? text.split("\n").slice(1) : [];
  return compactionAnswer(event, await opened.status(), opened.workspace, turns);
}
