import { everyLayout } from "@self-context-manager/compose";
import { type ObjectStore, StoreError, type StoredMetadata } from "@self-context-manager/core";
import { viewHistory } from "@self-context-manager/core/inspect";
import { messageOf } from "@self-context-manager/objects";

import { isForgotten } from "../session-views.ts";
import { counted } from "../format/amounts.ts";
import type { Progress } from "../format/progress.ts";
import { damaged, type Finding, note, ok } from "./finding.ts";
import { objectPages } from "./object-pages.ts";

/**
 * Rebuilds the view of every call of every session, and finds sessions without calls. After a repair that has lost versions,
 * of which `lostFile` is the list, views that lack them are no damage.
 */
export async function checkSessions(
  store: ObjectStore,
  progress: Progress,
  lostFile: string | undefined,
): Promise<readonly Finding[]> {
  const problems: string[] = [];
  const incomplete: string[] = [];
  const empty: string[] = [];
  let sessions = 0;
  let calls = 0;
  let forgotten = 0;
  for await (const body of sessionsIn(store)) {
    sessions += 1;
    try {
      const history = await viewHistory(store, everyLayout(), body.id);
      if ((history?.count ?? 0) === 0) empty.push(`session ${body.id}`);
      for await (const view of history?.verify() ?? []) {
        calls += 1;
        progress.come(undefined, calls);
        const first = view.problems.find((problem) => !isForgotten(problem));
        if (first === undefined && view.problems.length > 0) forgotten += 1;
        // Without a version that is missing, the messages are others too.
        const missing = view.problems.find(({ type }) => type === "missing");
        const where = `session ${body.id}, call ${view.call}`;
        if (missing !== undefined) incomplete.push(`${where}: ${missing.text}`);
        else if (first !== undefined) problems.push(`${where}: ${first.text}`);
      }
    } catch (error) {
      if (!StoreError.is(error, "STORE_CORRUPT")) throw error;
      problems.push(`session ${body.id}: ${messageOf(error)}`);
    }
  }
  const all = `${counted(calls, "call")} of ${counted(sessions, "session")}`;
  const without = forgotten === 0 ? "" : `, ${forgotten} of them without what was forgotten since`;
  return [
    viewsFinding(all, without, problems, incomplete, lostFile),
    empty.length === 0
      ? ok("sessions", "each session has calls")
      : note("sessions", `${counted(empty.length, "session")} without a call`, empty),
  ];
}

async function* sessionsIn(store: ObjectStore): AsyncGenerator<StoredMetadata["body"]> {
  for await (const page of objectPages(store))
    for (const { body } of page) if (body.type === "session") yield body;
}

function viewsFinding(
  all: string,
  without: string,
  problems: readonly string[],
  incomplete: readonly string[],
  lostFile: string | undefined,
): Finding {
  const text = (count: number): string => `${count} of ${all} cannot be rebuilt`;
  if (problems.length === 0 && incomplete.length === 0)
    return ok("views", `${all} rebuilt${without}`);
  if (problems.length === 0)
    return note("views", `${text(incomplete.length)}, because versions are missing`, incomplete);
  if (lostFile === undefined) return damaged("views", text(problems.length), problems);
  return note(
    "views",
    `${text(problems.length + incomplete.length)}, because a repair has lost versions; ${lostFile} names them`,
    [...problems, ...incomplete],
  );
}
