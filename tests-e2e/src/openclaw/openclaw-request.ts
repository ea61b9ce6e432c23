import {
  type ModelMessage,
  type ModelRequest,
  neutralMessage,
} from "@self-context-manager/testkit";

/** Returns the agent of a request, which the host names in the system prompt or behind the first message of a user. */
export function agentOf({ instruction, messages }: ModelRequest): string | undefined {
  const first = messages.find(({ role }) => role === "user");
  return /^Runtime: agent=(\S+) /mu.exec(`${instruction}\n${first?.text ?? ""}`)?.[1];
}

export interface RequestNames {
  /** The agent's working folder. */
  readonly folder: string;
  /** The ids of the calls as the model gave them. */
  readonly callIds: ReadonlySet<string>;
}

/** Returns a request without the names that differ between runs and without the host's own marks. */
export function comparableRequest(request: ModelRequest, names: RequestNames): ModelRequest {
  const given = new Map([...names.callIds].map((id) => [hostForm(id), id]));
  const callId = (id: string): string => given.get(hostForm(id)) ?? id;
  return {
    instruction: comparableText(request.instruction, names.folder),
    tools: request.tools,
    messages: request.messages
      .filter((message) => !isOfHost(message))
      .flatMap(({ bytes: _bytes, ...message }) => {
        const { role, toolCalls, toolCallId } = message;
        const text = message.text.replaceAll(names.folder, "WORK");
        const [said = "", ...own] = role === "user" ? saidIn(text).split(ownText) : [text];
        const made = neutralMessage({
          ...message,
          text: said,
          toolCalls: toolCalls.map((call) => ({ ...call, id: callId(call.id) })),
          ...(toolCallId === undefined ? {} : { toolCallId: callId(toolCallId) }),
        });
        return [made, ...own.map((one) => neutralMessage({ role: "user", text: one }))];
      }),
  };
}

/**
 * Returns a system prompt without the names that differ between runs, and without the host's marks and its line about the
 * run, which it moves to the first message. With an engine of a plugin, OpenClaw has its part about memory at another place,
 * so it is at the end here.
 */
export function comparableText(text: string, folder: string): string {
  const named = `${text}\n`
    .replaceAll(folder, "WORK")
    .replaceAll(agentPattern, "AGENT")
    .replaceAll(/<!-- [^>]*(?:openclaw|OPENCLAW)[^>]*-->\n?/gu, "")
    .replace(/^Runtime: AGENT.*$/mu, "");
  const memory = /## Memory Recall\n(?:(?!## ).+\n)*/u.exec(named)?.[0] ?? "";
  return `${named.replace(memory, "")}\n${memory}`.replaceAll(/\n{2,}/gu, "\n").trim();
}

/** The agent's name and the paths of its state, which differ between two hosts. */
const agentPattern = /agent=a\d+|agent:a\d+:[\w-]+|agents\/a\d+/gu;

/** Between a prompt and the adapter's text behind it, which is a message of its own in other hosts. */
const ownText = /\n\n(?=\[|[a-z]+\d+ )/u;

/** The host changes ids in later turns. */
function hostForm(id: string): string {
  return id.replaceAll(/[^a-z0-9]/giu, "");
}

/**
 * The text of a user's message without the time that the host writes before it, the line that it writes behind it, and the
 * commands of the user, which it joins with the next message.
 */
function saidIn(text: string): string {
  return text
    .replace(/^\[\w{3} \d{4}-\d\d-\d\d \d\d:\d\d \w+\] /u, "")
    .replace(/\n{1,2}Runtime: agent=[^\n]*$/u, "")
    .replaceAll(/^\/scm \w+\n?/gmu, "");
}

/** Whether a message is the host's own text behind a request, about tasks in the background, or only a command. */
function isOfHost({ role, text }: ModelMessage): boolean {
  if (role !== "user") return false;
  return text.includes("BEGIN_OPENCLAW_INTERNAL_CONTEXT") || saidIn(text) === "";
}
