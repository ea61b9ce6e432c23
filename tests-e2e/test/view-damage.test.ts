import {
  epochLayout,
  type Layout,
  type ObjectStore,
  pooledLayout,
} from "@self-context-manager/core";
import { rebuildView, type RebuiltView, viewHistory } from "@self-context-manager/core/inspect";
import { describe, expect, it } from "vitest";

import {
  openTestSession,
  scriptHistory,
  testHost,
  textOfMessage,
} from "../src/session/core-sessions.ts";
import { changeStore, dropVersion } from "../src/stores/damage.ts";
import { sqlitePlace } from "../src/stores/places.ts";

const layouts: readonly Layout[] = [epochLayout(), pooledLayout];
const output = `the output of a build\n${"compiled one more file\n".repeat(80)}`;

describe("a view of a damaged store", () => {
  it.each(layouts.map((layout) => [layout.name, layout] as const))(
    "names a tool call with one changed byte and shows the rest (%s)",
    async (_name, layout) => {
      await using made = await recorded(layout);
      expect(
        await changeStore(made.path, { text: "one more file", becomes: "one more tile" }),
      ).toBe(1);

      const view = await made.rebuild(2);

      expect(view?.isVerified).toBe(false);
      expect(typesOf(view)).toEqual(["unreadable", "messages"]);
      expect(view?.problems[0]?.id).toBe(made.toolcall);
      expect(view?.problems[0]?.version).toBe(1);
      expect(view?.problems[0]?.text).toContain(
        `version 1 of object ${made.toolcall} was changed or damaged since it was stored: content_hash is`,
      );
      expect(view?.problems[1]?.text).toContain(
        "which the view shows, cannot be read from the store",
      );
      // The pooled layout makes no message of a step whose call is lost.
      const shown = layout.name === "epoch" ? made.messageCount : made.messageCount - 2;
      expect(view?.messages.length).toBe(shown);
      expect((await made.rebuild(1))?.problems).toEqual([]);
    },
  );

  it.each(layouts.map((layout) => [layout.name, layout] as const))(
    "names a lost version and shows the rest (%s)",
    async (_name, layout) => {
      await using made = await recorded(layout);
      dropVersion(made.path, made.file, 1);

      const view = await made.rebuild(3);

      expect(typesOf(view)).toEqual(["unreadable", "messages"]);
      expect(view?.problems[0]?.text).toContain(`version 1 of object ${made.file} is missing`);
      const texts = (view?.messages ?? []).map((one) =>
        one === undefined ? "" : textOfMessage(one),
      );
      expect(texts.some((text) => text.includes("please build"))).toBe(true);
      expect(texts.some((text) => text.includes("compiled one more file"))).toBe(true);
      // The epoch layout leaves out entries one by one. The pooled layout makes its pools without the lost versions.
      expect(view?.messages.includes(undefined)).toBe(layout.name === "epoch");
    },
  );

  it("reports changed words of the chat and of a system prompt", async () => {
    await using made = await recorded(epochLayout());
    await changeStore(
      made.path,
      { text: "please build", becomes: "please built" },
      { text: "You help people", becomes: "You hate people" },
    );

    const view = await made.rebuild(1);

    expect(typesOf(view).sort()).toEqual(["messages", "unreadable", "unreadable"]);
    expect(JSON.stringify(view)).not.toMatch(/please built|hate people/u);
  });

  it("reports a view with changed rows", async () => {
    await using made = await recorded(epochLayout());
    expect(
      await changeStore(made.path, { text: "@1 whole ", becomes: "@1 bare " }),
    ).toBeGreaterThan(0);

    const view = await made.rebuild(2);

    expect(typesOf(view)).toEqual(["unreadable"]);
    expect(view?.problems[0]?.text).toContain(`version 2 of object ${made.view} was changed`);
  });

  it("reports a view that cannot be read at all", async () => {
    await using made = await recorded(epochLayout());
    dropVersion(made.path, made.view, 2);

    const view = await made.rebuild(2);

    expect(typesOf(view)).toEqual(["unreadable"]);
    expect(view?.messages).toEqual([]);
    expect((await made.rebuild(1))?.problems).toEqual([]);
    dropVersion(made.path, made.view, 1);
    expect(typesOf(await made.rebuild(1))).toEqual(["unreadable"]);
    expect(typesOf(await made.rebuild(2))).toEqual(["unreadable"]);
    expect(await made.rebuild(3)).toBeUndefined();
  });
});

/** Returns the view of a call as the verification of all calls rebuilds it. */
async function verifiedOf(store: ObjectStore, call: number): Promise<RebuiltView | undefined> {
  const history = await viewHistory(store, layouts, testHost);
  if (history === undefined) return undefined;
  for await (const view of history.verify()) if (view.call === call) return view;
  return undefined;
}

function typesOf(view: RebuiltView | undefined): string[] {
  return (view?.problems ?? []).map(({ type }) => type);
}

/**
 * Returns a closed store with a session of three calls: a prompt, a command's long output, and a file that was read.
 */
async function recorded(layout: Layout): Promise<
  AsyncDisposable & {
    readonly path: string;
    readonly toolcall: string;
    readonly file: string;
    readonly view: string;
    readonly messageCount: number;
    rebuild(call: number): Promise<RebuiltView | undefined>;
  }
> {
  const place = await sqlitePlace();
  let ids: { toolcall: string; file: string; view: string };
  let messageCount: number;
  {
    await using store = await place.open({});
    const content = `export const answer = 42;\n${"// filler\n".repeat(200)}`;
    const { session } = await openTestSession({ layout, store, files: { "/work/a.ts": content } });
    await session.recordSystemPrompt("host", "You help people.");
    const script = scriptHistory();
    script.user("please build");
    await script.ingest(session);
    await session.nextView();
    const toolcall = script.call("bash", { command: "make" }, output);
    await script.ingest(session);
    messageCount = (await session.nextView()).messages.length;
    await script.ask(
      "read",
      { path: "a.ts" },
      async (callId) => await session.read({ path: "a.ts" }, { callId }),
    );
    await script.ingest(session);
    await session.nextView();
    const file = (await store.find({ where: { type: "file" } })).items[0]?.body.id ?? "";
    const view = (await store.find({ where: { type: "view" } })).items[0]?.body.id ?? "";
    ids = { toolcall, file, view };
  }
  return {
    ...ids,
    path: place.path,
    messageCount,
    async rebuild(call) {
      await using store = await place.open({});
      const view = await rebuildView(store, layouts, testHost, call);
      expect(await verifiedOf(store, call)).toEqual(view);
      return view;
    },
    [Symbol.asyncDispose]: async () => await place[Symbol.asyncDispose](),
  };
}
