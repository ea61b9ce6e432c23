import type { OtherExtension } from "@self-context-manager/testkit";

/** The part of Pi's extension interface that another extension uses to change results and requests. */
interface ChangedHost {
  on(
    event: "tool_result",
    handler: (event: { readonly content: readonly PiBlock[] }) => unknown,
  ): void;
  on(
    event: "context",
    handler: (event: { readonly messages: readonly PiMessage[] }) => unknown,
  ): void;
}

interface PiBlock {
  readonly type: string;
  readonly text?: string;
}

interface PiMessage {
  readonly role: string;
  readonly content?: string | readonly PiBlock[];
}

/** Returns an extension of Pi that does what another extension is scripted to do. */
export function otherPiExtension(other: OtherExtension): (pi: never) => void {
  const extension = (pi: ChangedHost): void => {
    pi.on("tool_result", ({ content }) => ({
      content: content.map((block) =>
        block.text === undefined
          ? block
          : { ...block, text: other.resultText?.(block.text) ?? block.text },
      ),
    }));
    pi.on("context", ({ messages }) => {
      const left = messages.filter((message) => other.leavesOut?.(textOf(message)) !== true);
      const more = other.appends?.();
      const newest = left.findLast(({ role }) => role === "user");
      const kept =
        more === undefined
          ? left
          : left.map((one) => (one === newest ? withText(one, `${textOf(one)}${more}`) : one));
      const content = other.adds?.();
      const added = { role: "user", content, timestamp: Date.now() };
      return { messages: content === undefined ? kept : [...kept, added] };
    });
  };
  return extension;
}

function textOf({ content = "" }: PiMessage): string {
  if (typeof content === "string") return content;
  return content.map(({ text = "" }) => text).join("\n");
}

function withText(message: PiMessage, text: string): PiMessage {
  return { ...message, content: [{ type: "text", text }] };
}
