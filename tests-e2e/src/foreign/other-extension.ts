import type {
  ModelToolCall,
  ScriptedContent,
  ScriptedMessage,
} from "@self-context-manager/testkit";

import type { ForeignAct, ForeignSession, Place } from "./foreign-session.ts";
import { redacted, type TextMaker } from "./foreign-text.ts";

/** The list of a request after the other extension has changed it. */
export interface ForeignList {
  readonly sent: readonly ScriptedMessage[];
  /** Messages of the host that are not in `sent`. */
  readonly dropped: readonly ScriptedMessage[];
  /** The texts of messages that the extension has added to earlier requests only. */
  readonly gone: readonly string[];
}

/** An extension of the host beside the context manager, which it does not know. */
export interface OtherExtension {
  /** Whether it stops a call of a tool. */
  blocks(call: ModelToolCall): boolean;
  /** Returns what it appends to a file that the model wrote; an empty text if it changes no files. */
  format(): string;
  /** Returns the text of a tool's result as the host stores it. */
  resultText(call: ModelToolCall, text: string): string;
  /** Returns the list of the next request. */
  list(host: readonly ScriptedMessage[]): ForeignList;
}

type Act<Type extends ForeignAct["type"]> = Extract<ForeignAct, { type: Type }>;

export function otherExtension(
  { acts, activateUnread }: Pick<ForeignSession, "acts" | "activateUnread">,
  maker: TextMaker,
): OtherExtension {
  const hidesReads = activateUnread === "ask";
  /** The place of each result among all, and the call that it answers. */
  const calls = new Map<string, { readonly index: number; readonly call: ModelToolCall }>();
  /** Texts that replace results. They are made once. */
  const replacements = new Map<string, string>();
  /** The texts of all messages that were added to requests. */
  const addedTexts: string[] = [];
  let request = -1;

  function acting<Type extends ForeignAct["type"]>(type: Type): readonly Act<Type>[] {
    return acts.filter((act): act is Act<Type> => act.type === type);
  }

  function changed(
    at: Place,
    { index, call }: { index: number; call: ModelToolCall },
    given: string,
  ): string {
    const isRead = call.name === "read";
    if (isRead && !hidesReads) return given;
    let text = given;
    for (const act of acts) {
      if (!("at" in act) || act.at !== at) continue;
      switch (act.type) {
        case "redact":
          if (hidesReads) text = redacted(text);
          break;
        case "hint":
          if (act.tool === call.name && index >= act.from)
            text += `\n(hint ${at === "request" ? request : 0})`;
          break;
        case "replace":
          if (act.result === index) text = replacement(call.id);
          break;
        case "cut":
          if (act.result === index) text = text.split("\n").slice(0, act.lines).join("\n");
          break;
      }
    }
    return text;
  }

  function replacement(callId: string): string {
    const text = replacements.get(callId) ?? `from elsewhere: ${maker.line()}`;
    replacements.set(callId, text);
    return text;
  }

  function note(): ScriptedContent {
    return { kind: "note", text: `remember ${maker.line()}` };
  }

  function example(stamp: string): readonly ScriptedContent[] {
    const callId = `example_${stamp}`;
    const call: ModelToolCall = { id: callId, name: "bash", arguments: { command: "example" } };
    const result: ScriptedContent = {
      kind: "output",
      callId,
      tool: "bash",
      text: `example ${maker.line()}`,
      pictures: [],
      failed: false,
    };
    return [answer(`look ${maker.line()}`, [call]), result, answer(`seen ${maker.line()}`, [])];
  }

  function isDropped(host: readonly ScriptedMessage[], index: number): boolean {
    return acting("drop").some((act) => {
      if (request < act.from || request >= act.from + act.count) return false;
      if (act.what === "all") return true;
      // A result without its answer would be refused by every provider.
      if (act.what === "one" && host[act.message]?.kind !== "model") return index === act.message;
      return answerOf(host, index) === answerOf(host, act.message);
    });
  }

  return {
    blocks: ({ name, arguments: input }) =>
      hidesReads && name === "read" && acting("block").some(({ file }) => file === input["path"]),
    format: () => (acting("format").length > 0 ? `${maker.line()}\n` : ""),
    resultText(call, text) {
      const known = calls.get(call.id) ?? { index: calls.size, call };
      calls.set(call.id, known);
      return changed("result", known, text);
    },
    list(host) {
      request += 1;
      const rewritten = host.map((message) => {
        const known = message.kind === "output" ? calls.get(message.callId) : undefined;
        if (known === undefined) return message;
        const text = changed("request", known, message.text);
        return text === message.text ? message : { ...message, text };
      });
      const adding = acting("add").filter(
        ({ from, count }) => request >= from && request < from + count,
      );
      const kept = rewritten.filter((_, index) => !isDropped(host, index));
      // An empty list is no request.
      const isChanged = kept.length > 0 || adding.length > 0;
      const dropped = isChanged ? rewritten.filter((one) => !kept.includes(one)) : [];
      const sent = isChanged ? [...kept] : [...rewritten];
      const gone = [...addedTexts];
      for (const [index, { what, place }] of adding.entries()) {
        const stamp = `${request}-${index}`;
        const messages = what === "note" ? [note()] : example(stamp);
        addedTexts.push(...messages.map(({ text }) => text));
        const stamped = messages.map((message, at): ScriptedMessage => {
          const id = `added ${stamp} ${at}`;
          return { ...message, id, at: request };
        });
        sent.splice(Math.min(place, sent.length), 0, ...stamped);
      }
      return { sent, dropped, gone };
    },
  };
}

/** Returns the index of the answer to which a result belongs; for another message, its own index. */
function answerOf(host: readonly ScriptedMessage[], index: number): number {
  if (host[index]?.kind !== "output") return index;
  return host.slice(0, index).findLastIndex(({ kind }) => kind === "model");
}

function answer(text: string, calls: readonly ModelToolCall[]): ScriptedContent {
  return { kind: "model", text, calls, failed: false };
}
