import { type OpenContext, piExtension } from "@self-context-manager/adapter-pi";
import { openAnthropicModel, type Reply, toolCalls } from "@self-context-manager/evaluate/loopback";

import { openIn } from "../managed-run.ts";
import { openPiSdk } from "../pi-sdk.ts";
import { openPiWorkspace } from "../pi-workspace.ts";
import type { ThinkingRun, ThinkingRunOptions } from "./thinking-run.ts";

/** An event between two prompts. */
type Detour =
  | "switched-off"
  | "switched-on"
  | "store-lost"
  | "store-back"
  | "went-back"
  | "resumed";

/** After each detour the user sends a prompt. */
const detours: readonly (Detour | undefined)[] = [
  undefined,
  "switched-off",
  undefined,
  "switched-on",
  "store-lost",
  "store-back",
  "switched-off",
  "switched-on",
  "went-back",
  "store-lost",
  "resumed",
  "store-back",
  undefined,
];

/** Requests of each prompt: two calls of a tool and a text. */
const requestsOfPrompt = 3;

/** The number of requests of such a session. */
export const detourCalls: number = detours.length * requestsOfPrompt;

/**
 * Runs a session in a real Pi in which managed context is switched off and on, its store fails and comes back, and the
 * user goes back. So some answers are given to views and others to Pi's own messages.
 */
export async function detouredRun({
  pi,
  model: described,
}: ThinkingRunOptions): Promise<ThinkingRun> {
  await using model = await openAnthropicModel({
    thinking: "bound",
    script: ({ index }) => detourReply(index),
  });
  await using workspace = await openPiWorkspace({
    ...described,
    model,
    api: "anthropic-messages",
  });
  const store = { isLost: false };
  const epochs = JSON.stringify({ small: 0, deactivate: "immediate" });
  const extension = piExtension({
    openContext: losing(openIn(workspace, { SCM_POLICY: "window", SCM_EPOCHS: epochs }), store),
  });
  const ui = { notify: () => undefined, setStatus: () => undefined };
  const open = async (sessionFile?: string): ReturnType<typeof openPiSdk> =>
    await openPiSdk({
      pi,
      workspace,
      factories: [extension],
      ui,
      ...(sessionFile === undefined ? {} : { sessionFile }),
    });
  let sdk = await open();
  const failures: string[] = [];
  try {
    for (const [index, detour] of detours.entries()) {
      if (detour === "switched-off") await sdk.prompt("/context off");
      if (detour === "switched-on") await sdk.prompt("/context on");
      if (detour === "store-lost") store.isLost = true;
      if (detour === "store-back") store.isLost = false;
      if (detour === "went-back") {
        const { session } = sdk;
        const said = session.sessionManager
          .getBranch()
          .filter(({ type, message }) => type === "message" && message?.role === "user");
        await session.navigateTree(said.at(-2)?.id ?? "", { summarize: false });
      }
      if (detour === "resumed") {
        const { sessionFile } = sdk.session;
        failures.push(...sdk.errors);
        await sdk[Symbol.asyncDispose]();
        sdk = await open(sessionFile);
      }
      await sdk.prompt(`Please do part ${index + 1}.`);
    }
    failures.push(...sdk.errors);
  } finally {
    await sdk[Symbol.asyncDispose]();
  }
  return {
    requests: [...model.requests],
    failures: [...model.failures, ...failures],
    dropped: [...model.dropped],
  };
}

function detourReply(index: number): Reply {
  const reasoning = `Part ${index} needs some thought.`;
  if (index % requestsOfPrompt === requestsOfPrompt - 1)
    return { type: "text", text: `Part ${index} is done.`, reasoning };
  const command = `for i in $(seq 1 40); do echo "line $i of output ${index}"; done`;
  return { ...toolCalls([`call_${index}`, "bash", { command }]), reasoning } as Reply;
}

/** Opens sessions that cannot make a view while their store is lost. */
function losing(open: OpenContext, store: { readonly isLost: boolean }): OpenContext {
  return async (place) => {
    const opened = await open(place);
    const { session } = opened;
    return {
      ...opened,
      session: {
        ...session,
        ingestAndView: async (list, options) => {
          if (store.isLost) throw new Error("the store is lost");
          return await session.ingestAndView(list, options);
        },
      },
      [Symbol.asyncDispose]: async () => await opened[Symbol.asyncDispose](),
    };
  };
}
