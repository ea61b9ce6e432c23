import {
  commonLength,
  continued,
  groupsOf,
  joined,
  type JsonObject,
  sha256,
} from "@self-context-manager/objects";
import type { CallFacts } from "../calls/call-kind.ts";
import { canWrite } from "../calls/written-stand-ins.ts";
import { forgottenForm } from "../forget/forgotten-mark.ts";
import { changedMessage, changedValue } from "../host/masked-message.ts";
import type { ReadList, ReadMessage } from "../host/read-list.ts";
import type { ViewMessage } from "../view/layout.ts";
import { hostText, type ToolAnswer } from "./answers.ts";
import { sessionTools } from "./context-tools.ts";
import type { ContextSession } from "./context-session.ts";
import type { SessionMask } from "./session-mask.ts";
import type { View } from "./view-options.ts";

/**
 * Returns a session whose texts have the marks of a mask (decision D70), so that everything inside of it works on texts with
 * marks: what is stored, compared, counted and hashed. What comes from the host is hidden here, and what goes to the model or
 * the host is revealed here. Keys of messages are made from the host's own messages, before.
 */
export function maskedSession(session: ContextSession, mask: SessionMask): ContextSession {
  const hiddenOf = hiddenMessages(mask);
  const hidden = (list: ReadList): ReadList => ({ ...list, messages: hiddenOf(list.messages) });
  const reveal = (text: string): string => mask.reveal(text);
  const revealed = revealedMessages(mask);
  const shown = (view: View): View => ({ ...view, messages: revealed(view.messages) });
  const answered = async (answer: Promise<ToolAnswer>): Promise<ToolAnswer> =>
    revealedAnswer(await answer, mask);
  const masked: ContextSession = {
    ...session,
    get isShared() {
      return session.isShared;
    },
    get isFromOtherStore() {
      return session.isFromOtherStore;
    },
    secrets: mask.seen,
    ingest: async (list, signals) => await session.ingest(hidden(list), signals),
    ingestAndView: async (list, options) =>
      shown(await session.ingestAndView(hidden(list), options)),
    nextView: async (options) => shown(await session.nextView(options)),
    peekView: async (options) => shown(await session.peekView(options)),
    tools: () => sessionTools(masked),
    read: async (...given) => await answered(session.read(...given)),
    activate: async (...given) => await answered(session.activate(...given)),
    deactivate: async (...given) => await answered(session.deactivate(...given)),
    pin: async (...given) => await answered(session.pin(...given)),
    unpin: async (...given) => await answered(session.unpin(...given)),
    showField: async (...given) => await answered(session.showField(...given)),
    find: async (...given) => await answered(session.find(...given)),
    archive: async () => await answered(session.archive()),
    load: async (target) => await answered(session.load(target)),
    inspect: async (target) => {
      const found = await session.inspect(target);
      if (!("body" in found)) return revealedAnswer(found, mask);
      return { ...found, body: changedMessage(found.body, reveal) };
    },
    name: async (...given) => await answered(session.name(...given)),
    note: async (...given) => await answered(session.note(...given)),
    checkArguments: async (toolName, args) =>
      (await session.checkArguments(toolName, args)) ??
      markReason(session.toolFacts(toolName, args), args, mask),
    recordSystemPrompt: async (origin, text) =>
      reveal(await session.recordSystemPrompt(origin, text)),
  };
  return masked;
}

/** Returns a function that hides the messages of lists. A list nearly always continues the last one. */
function hiddenMessages(
  mask: SessionMask,
): (messages: readonly ReadMessage[]) => readonly ReadMessage[] {
  const lists = new WeakMap<
    ReadMessage,
    { readonly from: readonly ReadMessage[]; readonly to: readonly ReadMessage[] }
  >();
  return (messages) => {
    const [first] = messages;
    if (first === undefined) return messages;
    const { from, to: before } = lists.get(first) ?? { from: [], to: [] };
    const common = commonLength(groupsOf(messages), groupsOf(from));
    const more = messages.slice(common).map((one, index) => {
      const at = common + index;
      return (from[at] === one ? before[at] : undefined) ?? hiddenMessage(one, mask);
    });
    const to = continued(before, more, common);
    lists.set(first, { from: messages, to });
    return to;
  };
}

function hiddenMessage(one: ReadMessage, mask: SessionMask): ReadMessage {
  let made: { readonly message: ReturnType<ReadMessage["decode"]>; revision: number } | undefined;
  return {
    ...one,
    decode() {
      const { revision } = mask;
      // An operation that is repeated after a rewrite hides what was forgotten with it.
      if (made?.revision !== revision)
        made = { message: changedMessage(one.decode(), (text) => mask.hide(text)), revision };
      return made.message;
    },
  };
}

/** Returns a function that reveals the messages of views. Nearly all messages are those of the view before. */
function revealedMessages(
  mask: SessionMask,
): (messages: readonly ViewMessage[]) => readonly ViewMessage[] {
  const known = new WeakMap<ViewMessage, ViewMessage>();
  const groups = new WeakMap<readonly ViewMessage[], readonly ViewMessage[]>();
  const revealed = (message: ViewMessage): ViewMessage => {
    const before = known.get(message);
    if (before !== undefined) return before;
    let isWhole = true;
    const made = changedMessage(message, (text) => mask.reveal(text, () => (isWhole = false)));
    // The bytes of a lost mark can come back with another process.
    if (isWhole) known.set(message, made);
    return made;
  };
  const revealedGroup = (group: readonly ViewMessage[]): readonly ViewMessage[] => {
    const before = groups.get(group);
    if (before !== undefined) return before;
    const all = group.map(revealed);
    const made = all.every((message, at) => message === group[at]) ? group : all;
    if (group.every((message) => known.has(message))) groups.set(group, made);
    return made;
  };
  return (messages) => {
    const shown = groupsOf(messages);
    const made = shown.map(revealedGroup);
    // The list is the host's own from here on. Nearly always nothing in it has a mark.
    return made.every((group, at) => group === shown[at]) ? messages : joined(made);
  };
}

/**
 * Returns the reason why a call that can write a file must not run: an argument has a mark of a forgotten text, or of a secret
 * of which the bytes are gone, and the file would get the mark.
 */
function markReason(facts: CallFacts, args: JsonObject, mask: SessionMask): string | undefined {
  if ((!mask.seen.hasLost && mask.revision === 0) || !canWrite(facts)) return undefined;
  let lost: string | undefined;
  changedValue(args, (text) => {
    if (mask.revision > 0 && text.search(forgottenForm) !== -1)
      lost = 'begins with "[forgotten: ": it stands for a text that the user had removed';
    return mask.reveal(text, () => {
      lost =
        'begins with "[secret: ": it stands for a secret of which the bytes are no longer stored';
    });
  });
  return lost === undefined
    ? undefined
    : `The call did not run, because an argument contains a mark that ${lost}. Read the text again, or change only what is around it.`;
}

/** Returns an answer as the host shows it. Its hash stays that of the stored text, with which the result is compared. */
function revealedAnswer(answer: ToolAnswer, mask: SessionMask): ToolAnswer {
  const shown = hostText(answer);
  const revealed = mask.reveal(shown);
  const text = mask.reveal(answer.text);
  if (revealed === shown && text === answer.text) return answer;
  return {
    ...answer,
    text,
    ...(answer.hostText === undefined ? {} : { hostText: revealed }),
    textHash: sha256(shown),
  };
}
