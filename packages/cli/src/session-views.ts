import { everyLayout } from "@self-context-manager/compose";
import type { ObjectStore } from "@self-context-manager/core";
import {
  type RebuiltView,
  viewHistory,
  type ViewHistory,
} from "@self-context-manager/core/inspect";

import { CliError, UsageError } from "./cli-errors.ts";
import type { CommandCall } from "./command.ts";
import { counted } from "./format/amounts.ts";
import { visible } from "./format/terminal-text.ts";
import { findSession } from "./session-pool.ts";

/** The meaning of SESSION, for help texts. */
export const sessionNote =
  "SESSION is a session's id or its host's id, or the beginning of one of them; latest is the newest session.";

/** Opens the calls of a session, which is given by its id, its host's id, or the beginning of one. */
export async function sessionViews(
  store: ObjectStore,
  call: Pick<CommandCall, "text">,
  given: string,
): Promise<ViewHistory> {
  const { body } = await findSession(store, call, given);
  const history = await viewHistory(store, everyLayout(), body.id);
  if (history === undefined)
    throw new CliError(`the store no longer has the session ${visible(given)}`);
  if (history.count > 0) return history;
  throw new CliError(
    `session ${visible(given)} has no calls: nothing was sent to a model in it; scm list --type session lists the others`,
  );
}

/** Rebuilds a call that is given by its number. */
export async function callView(history: ViewHistory, given: string): Promise<RebuiltView> {
  const view = await history.rebuild(callNumber(given));
  if (view !== undefined) return view;
  const range = history.count === 1 ? "the only call is 1" : `the calls are 1 to ${history.count}`;
  throw new CliError(`there is no call ${given}; ${range}`);
}

function callNumber(given: string): number {
  if (/^[1-9]\d{0,14}$/u.test(given)) return Number(given);
  throw new UsageError(`${JSON.stringify(given)} is not a call; it must be a whole number above 0`);
}

/** Whether a rebuilt call differs from the sent one only because the user had something forgotten. */
export function isForgotten({ type }: RebuiltView["problems"][number]): boolean {
  return type === "forgotten";
}

/** Prints the problems of rebuilt calls and fails if there are any. What the user had forgotten is no failure. */
export function failUnverified(
  views: readonly Pick<RebuiltView, "call" | "problems">[],
  note: (text: string) => void,
): void {
  const forgotten = views.flatMap(({ problems }) => problems.filter(isForgotten));
  for (const text of new Set(forgotten.map((one) => one.text))) note(visible(text));
  const harmed = views.filter(({ problems }) => !problems.every(isForgotten));
  if (harmed.length === 0) return;
  const problems = new Set(harmed.flatMap((view) => view.problems.map(({ text }) => text)));
  for (const text of problems) note(visible(text));
  const calls = harmed.map(({ call }) => call).join(", ");
  throw new CliError(
    `call ${calls} could not be verified completely (${counted(problems.size, "problem")}, listed above); scm doctor shows what else is damaged, scm doctor --repair --from FILE takes it from a backup or an export`,
  );
}
