import {
  type AnthropicRequest,
  type BilledPrompt,
  openAnthropicModel,
  type Reply,
} from "@self-context-manager/evaluate/loopback";

import type { DemoHost } from "./demo-host.ts";
import { demoModel } from "./demo-model.ts";
import { demoPrompts } from "./demo-project.ts";

export interface DemoCall {
  readonly number: number;
  readonly move: string;
  readonly billed: BilledPrompt;
  readonly status: string;
  readonly reply: Reply;
}

export interface DemoSessionOptions {
  readonly host: DemoHost;
  readonly isManaged: boolean;
  /** The environment variables that configure the store. */
  readonly environment: Readonly<Record<string, string>>;
  readonly onPrompt?: (prompt: string) => void;
  readonly onCall?: (call: DemoCall) => void;
}

export interface DemoSession {
  readonly billed: readonly BilledPrompt[];
  /** The action of each call, by a name that both sessions share. */
  readonly moves: readonly string[];
  /** The figures that the user's command shows at the end, below the list of objects. */
  readonly figures: readonly string[];
}

/** Runs the demo's prompts in a new session of a host, with a scripted model on a loopback server. */
export async function runDemoSession(options: DemoSessionOptions): Promise<DemoSession> {
  const { host, isManaged, environment, onPrompt, onCall } = options;
  const scripted = demoModel({ isManaged, shell: host.shell });
  const calls: DemoCall[] = [];
  let session: Awaited<ReturnType<DemoHost["open"]>> | undefined;
  await using model = await openAnthropicModel({
    script: (request) => {
      if (!isOfSession(request, host.shell)) return { type: "text", text: "Cart" };
      const { move, reply } = scripted.next(request);
      const billed = model.billed[request.index] ?? { input: 0, read: 0, written: 0 };
      const number = calls.length + 1;
      const call = { number, move, billed, status: session?.status ?? "", reply };
      calls.push(call);
      onCall?.(call);
      return reply;
    },
  });
  await using opened = await host.open({ model: model.url, isManaged, environment });
  session = opened;
  for (const prompt of demoPrompts) {
    onPrompt?.(prompt);
    await opened.prompt(prompt);
    const failures = [...model.failures, ...opened.errors];
    if (failures.length > 0) throw new Error(`the session failed: ${failures.join("; ")}`);
  }
  if (calls.length !== scripted.calls) {
    throw new Error(`${calls.length} calls were made, but ${scripted.calls} were planned`);
  }
  const shown = isManaged ? await opened.figures() : "";
  return {
    billed: calls.map(({ billed }) => billed),
    moves: calls.map(({ move }) => move),
    figures: shown.split("\n\n")[1]?.split("\n") ?? [],
  };
}

/** Whether a request is a call of the session. A host's requests in the background, as for a title, have no shell. */
function isOfSession({ payload }: AnthropicRequest, shell: string): boolean {
  const { tools } = payload;
  return Array.isArray(tools) && tools.some((tool: { name?: unknown }) => tool.name === shell);
}
