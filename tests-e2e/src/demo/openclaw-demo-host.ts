import { fieldsOf } from "@self-context-manager/core/host";

import { setTimeout as delay } from "node:timers/promises";

import { type Gateway, openGateway } from "../openclaw/gateway.ts";
import { openClawVersion } from "../openclaw/install-openclaw.ts";
import type { DemoHost, HostSession, HostSessionOptions } from "./demo-host.ts";
import { demoProject } from "./demo-project.ts";

/** OpenClaw as the demo's host: a gateway in a process of its own, and the plugin as it would be published. */
export const openClawDemoHost: DemoHost = {
  name: "OpenClaw",
  version: openClawVersion,
  showsObjects: false,
  shell: "exec",
  part: "plugin",
  command: "/scm",
  waits: "This takes about a minute, and the first time OpenClaw is downloaded (640 MB).",
  open: openSession,
};

const sessionKey = "agent:main:demo";

/** Milliseconds in which a command of the user must be answered. */
const commandDeadline = 30_000;

async function openSession({
  model,
  isManaged,
  environment,
}: HostSessionOptions): Promise<HostSession> {
  const gateway = await openGateway({
    model,
    api: "anthropic-messages",
    files: demoProject,
    environment,
    plugin: isManaged ? {} : undefined,
  });
  const errors: string[] = [];
  return {
    async prompt(text) {
      // The errors of the scripted model explain more than the gateway's, so both are reported together.
      await gateway
        .prompt({ text, sessionKey })
        .catch((error: unknown) => void errors.push(String(error)));
    },
    figures: async () => await answered(gateway, "/scm"),
    status: "",
    errors,
    [Symbol.asyncDispose]: async () => await gateway[Symbol.asyncDispose](),
  };
}

/** Sends a command of the user, and returns its answer from the chat's history, where the host adds it. */
async function answered(gateway: Gateway, message: string): Promise<string> {
  const key = crypto.randomUUID();
  await gateway.call("chat.send", { sessionKey, message, idempotencyKey: key });
  const deadline = Date.now() + commandDeadline;
  while (Date.now() < deadline) {
    const { messages } = fieldsOf(await gateway.call("chat.history", { sessionKey }));
    const answer = (Array.isArray(messages) ? messages : [])
      .map(fieldsOf)
      .find(({ role, idempotencyKey }) => role === "assistant" && idempotencyKey === key);
    if (answer !== undefined) return textOf(answer["content"]);
    await delay(200);
  }
  throw new Error(`the gateway has not answered ${message} after ${commandDeadline} ms`);
}

function textOf(content: unknown): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks
    .map((block) => fieldsOf(block)["text"])
    .filter((text) => typeof text === "string")
    .join("\n");
}
