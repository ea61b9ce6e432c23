import { piExtension } from "@self-context-manager/adapter-pi";
import { openLoopbackModel } from "@self-context-manager/evaluate/loopback";

import { openIn } from "../managed-run.ts";
import { passThroughExtension } from "../pass-through-extension.ts";
import { openPiSdk } from "../pi-sdk.ts";
import { piVersions } from "../pi-versions.ts";
import { openPiWorkspace, type PiWorkspace } from "../pi-workspace.ts";

/** The number of model calls of a prompt. */
export const callsOfPrompt = 10;

/** The newest Pi, run through its SDK against a scripted model in this process. */
export interface RunningPi extends AsyncDisposable {
  /** Runs a prompt of `callsOfPrompt` calls. Returns the milliseconds from each call to the next. */
  prompt(text: string): Promise<readonly number[]>;
  /** The times at which the requests of the last prompt arrived at the model. */
  readonly arrivals: readonly number[];
}

/** The variables of the extension, or a function that makes an extension for a workspace. */
type Extension =
  | Readonly<Record<string, string>>
  | "hooked"
  | ((workspace: PiWorkspace) => ReturnType<typeof piExtension>);

const files = Object.fromEntries(
  Array.from({ length: 20 }, (_, number) => [
    `f${number}.txt`,
    `line of file ${number}\n`.repeat(60),
  ]),
);

/**
 * Opens a Pi with an extension; undefined for one without it; `"hooked"` for one with an extension that sees each list and
 * changes nothing.
 */
export async function openRunningPi(extension: Extension | undefined): Promise<RunningPi> {
  const pi = piVersions.at(-1);
  if (pi === undefined) throw new Error("no release of Pi is installed");
  const arrivals: number[] = [];
  let asked = 0;
  const model = await openLoopbackModel({
    script: (_request, index) => {
      arrivals.push(performance.now());
      asked += 1;
      if (asked === callsOfPrompt) return { type: "text", text: "Done." };
      const id = `call_${index}`;
      const call =
        index % 3 === 2
          ? { id, name: "bash", arguments: { command: `echo ${index}; seq 40` } }
          : { id, name: "read", arguments: { path: `f${index % 20}.txt` } };
      return { type: "tool-calls", text: `Step ${index}.`, calls: [call] };
    },
  });
  const workspace = await openPiWorkspace({ model, files });
  const factories = factoriesOf(extension, workspace);
  const sdk = await openPiSdk({ pi, workspace, factories, deadlineMs: 120_000 });
  return {
    arrivals,
    async prompt(text) {
      arrivals.length = 0;
      asked = 0;
      await sdk.prompt(text);
      if (sdk.errors.length > 0) throw new Error(sdk.errors.join("\n"));
      return arrivals.slice(1).map((arrival, index) => arrival - (arrivals[index] ?? Number.NaN));
    },
    async [Symbol.asyncDispose]() {
      await sdk[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

function factoriesOf(
  extension: Extension | undefined,
  workspace: PiWorkspace,
): readonly ReturnType<typeof piExtension>[] {
  if (extension === undefined) return [];
  if (extension === "hooked") return [passThroughExtension];
  if (typeof extension === "function") return [extension(workspace)];
  return [piExtension({ openContext: openIn(workspace, extension) })];
}
