import {
  databaseDamage,
  indexDamage,
  repairStore,
  type StorePlace,
} from "@self-context-manager/compose";
import { type ObjectStore, StoreError } from "@self-context-manager/core";
import { defined, messageOf } from "@self-context-manager/objects";

import { resolve } from "node:path";

import { CliError, IncompleteError, UsageError } from "../cli-errors.ts";
import { type Command, type CommandCall, jsonOption } from "../command.ts";
import { checkFiles, lostFileOf } from "../doctor/check-files.ts";
import { checkDocuments, checkSearch } from "../doctor/check-indexes.ts";
import { checkSessions } from "../doctor/check-sessions.ts";
import { checkVersions } from "../doctor/check-versions.ts";
import { damaged, type Finding, note, ok, unchecked } from "../doctor/finding.ts";
import { counted } from "../format/amounts.ts";
import { jsonText } from "../format/json.ts";
import { visible } from "../format/terminal-text.ts";
import { nextCommand } from "../next-command.ts";
import { readLines } from "../read-lines.ts";

export const doctorCommand: Command = {
  name: "doctor",
  summary: "check the whole store, and repair a damaged one",
  arguments: "",
  argumentCount: { least: 0, most: 0 },
  options: {
    repair: { help: "make a store of all that is sound, and move the damaged one aside" },
    from: {
      value: "FILE",
      help: "with --repair: take versions that the store has lost from this backup or export",
    },
    ...jsonOption,
  },
  notes: `One line for each check: the database, the hashes of every version, missing versions, references, the
derived indexes, the views of all calls, files and permissions. Nothing is changed. note: nothing is
damaged, but you should know it. The exit code is 0 for a sound store, 1 for a damaged one, and 2 if a
check could not be made.
With --repair no agent may have the store open. The repair works on a copy. What cannot be saved is named
in a file of JSON Lines beside the store, and the damaged store stays beside it under a name with the time.`,
  async run(call) {
    const place = await call.namedPlace();
    if (call.isSet("repair")) return await runRepair(call, place);
    if (call.text("from") !== undefined) throw new UsageError("--from needs --repair");
    const findings: Finding[] = [];
    const isJson = call.isSet("json");
    for await (const finding of checkStore(call, place)) {
      findings.push(finding);
      if (!isJson) await call.print(findingText(finding));
    }
    if (isJson) await call.print(jsonText(findings));
    const bad = findings.filter(({ state }) => state === "damaged");
    if (bad.length > 0) {
      throw new CliError(
        `the store is damaged (${bad.map(({ check }) => check).join(", ")}); ${helpFor(call, place, findings)}`,
      );
    }
    if (findings.some(({ state }) => state === "unchecked"))
      throw new IncompleteError("not everything could be checked, as said above");
  },
};

/** The commands that help with a damaged store. */
function helpFor(call: CommandCall, { store }: StorePlace, findings: readonly Finding[]): string {
  if (store === "xtdb") {
    const isOpened = findings.some(({ check, state }) => check === "opening" && state === "ok");
    if (!isOpened) return "scm restore makes a store of a backup";
    const kept = `${nextCommand(call, "export", "FILE")} keeps what is sound`;
    return `${kept}, and scm import makes a new store of it, also beside the versions of a backup that scm restore has taken there`;
  }
  const repair = nextCommand(call, "doctor", "--repair");
  return `${repair} keeps what is sound, and takes the rest from a backup or an export that --from names`;
}

async function runRepair(call: CommandCall, place: StorePlace): Promise<void> {
  const from = call.text("from");
  using progress = call.progress("repairing");
  const report = await repairStore(place, {
    ...defined({ from: from === undefined ? undefined : resolve(call.folder, from) }),
    lines: readLines,
    progress: (versions) => progress.come(undefined, versions),
  });
  progress[Symbol.dispose]();
  const { versions, taken, lost, lostFile, movedTo } = report;
  if (call.isSet("json")) {
    const files = { lost_file: lostFile ?? null, moved_to: movedTo };
    await call.print(jsonText({ versions, taken, lost, ...files }));
    return;
  }
  const source = from === undefined ? "" : `, ${taken} of them from ${from}`;
  await call.print(
    visible(`the repaired store has ${counted(versions, "version")}${source}`).concat("\n"),
  );
  if (lostFile !== undefined)
    call.note(`${counted(lost, "version")} could not be saved; ${visible(lostFile)} names them`);
  call.note(`the damaged store is ${visible(movedTo)}`);
}

/** Makes all checks. A check that fails for another reason than damage is one that could not be made. */
async function* checkStore(call: CommandCall, place: StorePlace): AsyncGenerator<Finding> {
  yield ok("program", `Node ${process.versions.node}, a store of the kind ${place.store}`);
  let store: ObjectStore | undefined;
  try {
    store = await call.openStore({ patient: true });
    yield ok("opening", call.storePlace());
  } catch (error) {
    yield failed("opening", error);
  }
  try {
    yield* guarded("database", async () => {
      const damage = await databaseDamage(place);
      if (damage === undefined)
        return [note("database", "its own check is made where the node keeps its data")];
      return [
        damage.length === 0
          ? ok("database", "its own check found nothing")
          : damaged("database", "its own check found damage", damage),
      ];
    });
    if (store === undefined && place.store === "xtdb") {
      yield unchecked("versions", "they can be read only in a store that can be opened");
      return;
    }
    using versions = call.progress("checking");
    yield* guarded("versions", async () => await checkVersions(place, store, versions));
    versions[Symbol.dispose]();
    yield* guarded("indexes", async () => {
      const damage = await indexDamage(place, store);
      const versions = place.store === "xtdb" ? "list and the latest versions" : "latest versions";
      return [
        damage.length === 0
          ? ok("indexes", `they match the ${versions}`)
          : damaged("indexes", `they do not match the ${versions}`, damage),
      ];
    });
    if (store === undefined) return;
    const open = store;
    yield* guarded("documents", async () => [await checkDocuments(open)]);
    yield* guarded("search", async () => [await checkSearch(place)]);
    using calls = call.progress("rebuilding", "call");
    yield* guarded("views", async () => await checkSessions(open, calls, await lostFileOf(place)));
    calls[Symbol.dispose]();
    yield* guarded("files", async () => await checkFiles(place));
  } finally {
    await store?.[Symbol.asyncDispose]();
  }
}

async function* guarded(
  check: string,
  work: () => Promise<readonly Finding[]>,
): AsyncGenerator<Finding> {
  try {
    yield* await work();
  } catch (error) {
    yield failed(check, error);
  }
}

function failed(check: string, error: unknown): Finding {
  const text = messageOf(error);
  return StoreError.is(error, "STORE_CORRUPT") ? damaged(check, text) : unchecked(check, text);
}

function findingText({ check, state, text, details }: Finding): string {
  const shown = state === "damaged" ? "DAMAGED" : state;
  const lines = [
    `${shown.padEnd(9)} ${check.padEnd(11)} ${text}`,
    ...details.map((one) => `  ${one}`),
  ];
  return lines.map((line) => `${visible(line)}\n`).join("");
}
