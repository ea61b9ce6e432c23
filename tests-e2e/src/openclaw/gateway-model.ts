import {
  openAnthropicModel,
  openLoopbackModel,
  type Reply,
} from "@self-context-manager/evaluate/loopback";
import type { ModelReply, ModelRequest } from "@self-context-manager/testkit";

import { messagesRequest } from "../caching/neutral-anthropic.ts";
import { loopbackReply, neutralRequest } from "../harness/pi-requests.ts";

/** The protocols of the models' servers. */
export type GatewayApi = "openai-completions" | "anthropic-messages";

/** A server of a scripted model, for a gateway. */
export interface GatewayModel extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** Errors of the script. A test expects none. */
  readonly failures: readonly string[];
}

/** Opens a server of this protocol. `answer` returns the model's answer to a request. */
export async function openGatewayModel(
  api: GatewayApi,
  answer: (request: ModelRequest) => ModelReply,
): Promise<GatewayModel> {
  const requests: ModelRequest[] = [];
  function reply(request: ModelRequest): Reply {
    requests.push(request);
    const made = answer(request);
    if (made.fails !== true) return loopbackReply(made);
    // OpenClaw repeats a request whose answer breaks off, so the answer ends otherwise.
    return api === "openai-completions"
      ? { type: "filtered", text: made.text }
      : { type: "error", status: 400, message: `it broke off after ${made.text}` };
  }
  const server =
    api === "openai-completions"
      ? await openLoopbackModel({ script: (wire) => reply(neutralRequest(wire)) })
      : await openAnthropicModel({ script: (wire) => reply(messagesRequest(wire)) });
  return {
    url: server.url.replace(api === "anthropic-messages" ? /\/v1$/u : /$^/u, ""),
    requests,
    failures: server.failures,
    [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
  };
}
