import {
  type ObjectBody,
  type ObjectId,
  type ObjectStore,
  sealObject,
} from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import type { RebuiltView } from "../../src/inspect/rebuilt-view.ts";
import { rebuildView } from "../../src/inspect/view-history.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { View } from "../../src/session/view-options.ts";
import type { Layout } from "../../src/view/layout.ts";
import { scriptHistory } from "../session/script-history.ts";
import { openTestSession, testHost } from "../session/test-session.ts";
import { changedStore } from "./changed-store.ts";

const layouts: readonly Layout[] = [epochLayout(), pooledLayout];
const byName = layouts.map((layout) => [layout.name, layout] as const);

interface Recorded {
  readonly store: ObjectStore;
  readonly views: readonly View[];
}

/** Opens a session of three calls: a prompt, a command's output, and a file that changed after it was sent. */
async function recorded(layout: Layout): Promise<Recorded> {
  const text = "export const answer = 42;\n".repeat(40);
  const { session, store, files } = await openTestSession({
    layout,
    files: { "/work/a.ts": text },
  });
  await session.recordSystemPrompt("host", "You help people.");
  const history = scriptHistory();
  history.user("please build");
  await history.ingest(session);
  const views = [await session.nextView()];
  history.call("bash", { command: "make" }, "compiled one more file\n".repeat(60));
  await history.ingest(session);
  views.push(await session.nextView());
  await history.read(session, "a.ts");
  await history.ingest(session);
  views.push(await session.nextView());
  files.set("/work/a.ts", text.replace("42", "43"));
  await session.recordWrite("a.ts");
  await session.recordSystemPrompt("host", "You help people well.");
  return { store, views };
}

function problemsOf(view: RebuiltView | undefined): readonly string[] {
  return (view?.problems ?? []).map(({ type }) => type);
}

describe("a view that is rebuilt from the store", () => {
  it.each(byName)(
    "is equal to the sent view, although objects have newer versions (%s)",
    async (_, layout) => {
      const { store, views } = await recorded(layout);

      for (const sent of views) {
        const view = await rebuildView(store, layouts, testHost, sent.call);

        expect(view).toMatchObject({ isVerified: true, problems: [] });
        expect(view?.messages).toEqual(sent.messages);
        expect(view?.systemPrompts.map(({ text }) => text)).toEqual(["You help people."]);
      }
      expect(await rebuildView(store, layouts, testHost, views.length + 1)).toBeUndefined();
    },
  );

  it.each(byName)("reports that its messages differ from the sent ones (%s)", async (_, layout) => {
    const { store } = await recorded(layout);
    const isOther = { ...layout, rebuild: (): View["messages"] => [] };

    const view = await rebuildView(store, [isOther], testHost, 2);

    expect(view?.isVerified).toBe(false);
    expect(problemsOf(view)).toEqual(["messages"]);
  });

  it("reports a tool's output that was replaced as a whole, with its hashes", async () => {
    const { store } = await recorded(epochLayout());
    const exchanged = changedStore(store, (stored) => {
      if (stored.body.type !== "toolcall" || stored.body["tool"] !== "bash") return stored;
      const body: ObjectBody = { ...stored.body, tool: "grep" };
      return { ...stored, ...sealObject(body) };
    });

    const view = await rebuildView(exchanged, layouts, testHost, 3);

    expect(view?.isVerified).toBe(false);
    expect(view?.problems[0]?.text).toContain("is not the one to which the chat refers");
  });

  it("reports a damaged version", async () => {
    const { store } = await recorded(epochLayout());
    const damaged = changedStore(store, (stored) =>
      stored.body.type === "toolcall" && stored.body["tool"] === "bash"
        ? { ...stored, body: { ...stored.body, content: "something else" } }
        : stored,
    );

    const view = await rebuildView(damaged, layouts, testHost, 2);

    expect(problemsOf(view)).toEqual(["changed", "messages"]);
    expect(view?.messages).toHaveLength(3);
  });

  it.each(byName)("is shown without a missing version (%s)", async (_, layout) => {
    const { store } = await recorded(layout);
    let lost: ObjectId | undefined;
    const lacking = changedStore(store, (stored) => {
      if (stored.body.type !== "toolcall" || stored.body["tool"] !== "bash") return stored;
      lost = stored.body.id;
      return undefined;
    });

    const view = await rebuildView(lacking, layouts, testHost, 3);

    expect(problemsOf(view)).toEqual(["missing", "messages"]);
    expect(view?.problems[0]?.id).toBe(lost);
    expect(JSON.stringify(view?.messages)).toContain("please build");
    expect(JSON.stringify(view?.messages)).toContain("export const answer = 42;");
  });
});
