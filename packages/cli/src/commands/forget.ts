import { type KnownMarks, secretMarks } from "@self-context-manager/compose";
import type { ObjectStore } from "@self-context-manager/core";
import {
  forget,
  type ForgetPlan,
  type ForgetTarget,
  planForget,
  type PlanOptions,
} from "@self-context-manager/core/forget";
import { StoreError } from "@self-context-manager/objects";

import { CliError, UsageError } from "../cli-errors.ts";
import {
  type Command,
  type CommandCall,
  jsonOption,
  targetNote,
  targetOptions,
} from "../command.ts";
import { elsewhere } from "../forget/elsewhere.ts";
import { asJson, shown, versionsOf } from "../forget/forget-list.ts";
import { targetOf } from "../forget/forget-target.ts";
import { type InputLines, linesOf } from "../forget/input-lines.ts";
import { counted } from "../format/amounts.ts";
import { secretsOf } from "../unused-secrets.ts";

/** Different texts that are forgotten without a look at their list. */
const mostTexts = 50;

export const forgetCommand: Command = {
  name: "forget",
  summary: "remove texts, objects, sessions or a workspace for good, after a list of what will go",
  arguments: "[TARGET...]",
  argumentCount: { least: 0, most: 100 },
  options: {
    matching: {
      value: "REGEX",
      help: "every text that this regular expression of JavaScript fits, in every field of every version",
    },
    secrets: { help: "everything that looks like a credential, and was stored before or as it is" },
    literal: {
      value: "TEXT",
      help: "this text, wherever it is; - reads it from standard input, so that the shell does not keep it",
    },
    workspace: {
      value: "FOLDER",
      help: "the sessions of this folder with what only they have, and the files and notes in it",
    },
    reason: { value: "TEXT", help: "why, for the marks that remain; default: by the user" },
    yes: { help: "forget without a question" },
    many: { help: `with --yes: also if more than ${mostTexts} different texts match` },
    ...targetOptions,
    ...jsonOption,
  },
  notes: `${targetNote}
TARGET can have a version behind an @: a.txt@3 is forgotten in this version only. A session is forgotten with what
only it has. Of an object or a version, copies of its content in other objects go too.

What goes is listed first: which objects and versions, which sessions show them, and which files outside of the store
still have it. Then a question follows, or --yes. Of a text remains a mark, [forgotten: DATE, REASON], and of an object
a tombstone. The text is then in no version, index, log or free page of the store, and if a host sends it again, it is
stored as the mark. Running sessions show the mark from their next call on. Exports, backups and the files of the host
are not changed. It cannot be undone.`,
  async run(call) {
    const { reason, note } = noteOf(call);
    await using input = linesOf(call);
    await using store = await call.openStore({ patient: true });
    const { key } = await store.privacy();
    const given = await targetOf(store, call, input);
    const marks = await knownMarks(call, given);
    const target = withMarks(given, marks);
    const options: PlanOptions = { ...note, key };
    const plan = await planned(call, store, target, options);
    const left = await elsewhere(call, store, plan, target);
    const onlyMarks = plan.objects.length === 0 ? (marks?.secrets.length ?? 0) : 0;
    const isEmpty = plan.objects.length + onlyMarks === 0;
    if (!call.isSet("json")) await call.print(shown(call, plan, left, onlyMarks));
    if (call.isSet("yes")) checkAmount(call, plan);
    const isAgreed = !isEmpty && (call.isSet("yes") || (await agreed(call, input)));
    if (isAgreed || (isEmpty && call.isSet("yes"))) {
      const parts = [...(target.objects ?? []), ...(target.parts ?? [])];
      const secrets = await secretsOf(call, store, parts);
      await forget(store, plan, target, options);
      marks?.remove();
      await secrets.removeUnused();
      await clearIndex(store, call);
    }
    if (call.isSet("json")) await call.print(asJson(plan, left, isAgreed, reason));
    else if (isAgreed) await call.print(`${doneText(plan, target, onlyMarks)}\n`);
    else if (!isEmpty) call.note("Nothing was changed. Add --yes to forget this.");
  },
};

async function planned(
  call: CommandCall,
  store: ObjectStore,
  target: ForgetTarget,
  options: PlanOptions,
): Promise<ForgetPlan> {
  using progress = call.progress("looking through the store", "object");
  return await planForget(store, target, {
    ...options,
    progress: (count) => progress.come(undefined, count),
  });
}

/** Refuses what nobody has looked at: a pattern that fits many different texts. */
function checkAmount(call: CommandCall, { texts }: ForgetPlan): void {
  if (texts.length <= mostTexts || call.isSet("many")) return;
  throw new CliError(
    `${counted(texts.length, "different text")} match, more than ${mostTexts}; look at the list without --yes, and add --many if all of them are meant`,
  );
}

function doneText(plan: ForgetPlan, { matches }: ForgetTarget, onlyMarks: number): string {
  if (onlyMarks > 0)
    return `Forgotten: the bytes of ${counted(onlyMarks, "secret")} beside the store.`;
  const what = `${counted(versionsOf(plan), "version")} of ${counted(plan.objects.length, "object")}`;
  const again =
    matches === undefined ? "" : " The store was searched again, and no version has a match.";
  return `Forgotten: ${what}.${again}`;
}

function noteOf(call: CommandCall): {
  readonly reason: string;
  readonly note: { at: string; reason: string };
} {
  const reason = call.text("reason") ?? "by the user";
  if (!/^[^\p{Cc}[\]]{1,80}$/u.test(reason))
    throw new UsageError("--reason is one line of at most 80 characters, without square brackets");
  return { reason, note: { at: new Date().toISOString(), reason } };
}

/** Returns the secrets beside the store that are meant, of which the store has only marks. */
async function knownMarks(
  call: CommandCall,
  { matches }: ForgetTarget,
): Promise<KnownMarks | undefined> {
  if (matches === undefined) return undefined;
  const isMeant = (secret: string): boolean => [...matches(secret)].length > 0;
  return secretMarks(await call.namedPlace(), call.environment, isMeant);
}

function withMarks(target: ForgetTarget, marks: KnownMarks | undefined): ForgetTarget {
  const { matches } = target;
  if (marks === undefined || matches === undefined || marks.secrets.length === 0) return target;
  return {
    ...target,
    texts: [...(target.texts ?? []), ...marks.secrets],
    *matches(text) {
      yield* matches(text);
      yield* marks.places(text);
    },
  };
}

async function agreed(call: CommandCall, input: InputLines): Promise<boolean> {
  if (!call.canAsk || call.isSet("json")) return false;
  call.note("This cannot be undone. Type yes to forget it:");
  return ["y", "yes"].includes((await input.next()).trim().toLowerCase());
}

/** The words of forgotten texts must not stay in the index. It is made again when somebody searches. */
async function clearIndex(store: ObjectStore, call: CommandCall): Promise<void> {
  try {
    await using documents = await call.openDocuments(store);
    await documents.search.clear();
  } catch (cause) {
    if (!(cause instanceof Error) || StoreError.is(cause)) throw cause;
    throw new CliError(
      `the store has forgotten it, and the search index could not be cleared (${cause.message}); repeat the command, or delete the index beside the store`,
      { cause },
    );
  }
}
