import { piExtension } from "@self-context-manager/adapter-pi";

import { openLoopbackModel } from "../loopback-model.ts";
import { openIn } from "../managed-run.ts";
import { passThroughExtension } from "../pass-through-extension.ts";
import { openPiSdk } from "../pi-sdk.ts";
import { piVersions } from "../pi-versions.ts";
import { openPiWorkspace } from "../pi-workspace.ts";

/** The number of model calls of a prompt. */
export const callsOfPrompt = 10;

/** The newest Pi, run through its SDK against a scripted model in this process. */
export interface RunningPi extends AsyncDisposable {
  /** Runs a prompt of `callsOfPrompt` calls. Returns the milliseconds from each call to the next. */
  prompt(text: string): Promise<readonly number[]>;
}

const files = Object.fromEntries(
  Array.from({ length: 20 }, (_, number) => [
    `f${number}.txt`,
    `line of file ${number}\n`.repeat(60),
  ]),
);

/**
 * Opens a Pi. `environment`: the variables of the extension; undefined for a Pi without it; `"hooked"` for one with an
 * extension that sees each list and changes nothing.
 */
export async function openRunningPi(
  environment: Readonly<Record<string, string>> | "hooked" | undefined,
): Promise<RunningPi> {
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
  const factories =
    environment === undefined
      ? []
      : environment === "hooked"
        ? [passThroughExtension]
        : [piExtension({ openContext: openIn(workspace, environment) })];
  const sdk = await openPiSdk({ pi, workspace, factories, deadlineMs: 120_000 });
  return {
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
