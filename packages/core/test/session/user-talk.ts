import type { ObjectBody } from "@self-context-manager/objects";
import type { Turn } from "../../src/chat/turn.ts";
import { rebuildView } from "../../src/inspect/view-history.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { recentlyUsedPolicy } from "../../src/policy/recently-used-policy.ts";
import { openRehearsal } from "../../src/session/rehearsal.ts";
import type { View } from "../../src/session/view-options.ts";
import type { Layout } from "../../src/view/layout.ts";
import { type ScriptedHistory, scriptHistory } from "./script-history.ts";
import { openTestSession, testHost, type TestSession } from "./test-session.ts";
import { latest, textOfMessage, viewParts } from "./view-parts.ts";

/** A text of about 5,000 tokens. */
export const paste = (name: string): string =>
  Array.from({ length: 600 }, (_, line) => `${name} wrote line ${line + 1} of a long log\n`).join(
    "",
  );

export const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } as const;

/** A session in which the user sends long texts or files. */
export interface Talk extends TestSession {
  readonly history: ScriptedHistory;
  /** Sends the history's messages and makes the view of the next call. */
  send(): Promise<View>;
  /** The same after a pause in which the provider's cache became cold, which ends an epoch. */
  sendAfterPause(): Promise<View>;
}

/** Opens a session in which objects leave at an epoch's end if two others were used since. */
export async function openTalk(
  options: { layout?: Layout; longTexts?: number } = {},
): Promise<Talk> {
  let time = 1_800_000_000_000;
  const opened = await openTestSession({
    layout: options.layout ?? epochLayout(),
    policy: recentlyUsedPolicy({ alive: 4, kept: 1 }),
    clock: { now: () => time },
    ...(options.longTexts === undefined ? {} : { longTexts: options.longTexts }),
  });
  const history = scriptHistory();
  const send = async (): Promise<View> => {
    await history.ingest(opened.session);
    return await opened.session.nextView();
  };
  return {
    ...opened,
    history,
    send,
    sendAfterPause: async () => {
      time += 24 * 60 * 60_000;
      return await send();
    },
  };
}

/** Answers, and begins another turn. */
export function goOn({ history }: Talk, text = "go on"): void {
  history.say("I see.");
  history.user(text);
}

/** Returns the text of each message. */
export const textsOf = ({ messages }: View): readonly string[] => messages.map(textOfMessage);

/** Returns the stored chat. */
export async function chatOf({ session, store }: Talk): Promise<ObjectBody> {
  return (await latest(store, (await session.status()).chatId)).body;
}

/** Returns the turns of a stored chat. */
export const turnsOf = (chat: ObjectBody): readonly Turn[] => chat["turns"] as readonly Turn[];

/** The messages of a view that was made again, and what prevented it. */
interface Again {
  readonly messages: unknown;
  readonly problems: unknown;
}

/** Returns the views of some calls, rebuilt from the store. */
export async function rebuiltViews(
  { store }: Talk,
  layout: Layout,
  sent: readonly View[],
): Promise<readonly Again[]> {
  const again: Again[] = [];
  for (const { call } of sent) {
    const rebuilt = await rebuildView(store, [layout], testHost, call);
    again.push({ messages: rebuilt?.messages, problems: rebuilt?.problems });
  }
  return again;
}

/** Returns as many views of the stored session, made again by a rehearsal. */
export async function rehearsedViews(
  { dependencies }: Talk,
  sent: readonly View[],
): Promise<readonly Again[]> {
  const rehearsal = (await openRehearsal(dependencies, testHost)).begin(dependencies);
  const again: Again[] = [];
  for (const _ of sent) again.push({ messages: (await rehearsal.view()).messages, problems: [] });
  return again;
}

/** Returns what views are when they are made again without a problem. */
export function unchanged(sent: readonly View[]): readonly Again[] {
  return sent.map(({ messages }) => ({ messages, problems: [] }));
}

type Parts = Awaited<ReturnType<typeof viewParts>>;

/**
 * Returns four views of a session in the pooled layout: of the first message, after the next prompt, after the object `u1`
 * was deactivated, and after it was activated again.
 */
export async function pooledViews(talk: Talk): Promise<readonly [Parts, Parts, Parts, Parts]> {
  const view = async (): Promise<Parts> => {
    await talk.history.ingest(talk.session);
    return await viewParts(talk.session);
  };
  const first = await view();
  goOn(talk);
  const second = await view();
  await talk.session.deactivate("u1");
  const third = await view();
  await talk.session.activate("u1");
  return [first, second, third, await view()];
}
