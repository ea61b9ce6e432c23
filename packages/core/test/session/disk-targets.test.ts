import { markdownParser } from "@self-context-manager/documents";
import { documentUpkeep, type DocumentUpkeep } from "@self-context-manager/links";
import { type ObjectStore, silentLogger } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { describe, expect, it } from "vitest";

import { readList } from "../../src/host/read-list.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { openTestSession, plainCodec, type TestSession } from "./test-session.ts";

function indexOf(store: ObjectStore): DocumentUpkeep {
  return documentUpkeep({
    store,
    parser: markdownParser,
    logger: silentLogger,
    later: (run, milliseconds) => void setTimeout(run, milliseconds),
  });
}

/** Opens a session in a folder with these files, of which the session knows none. */
async function openIn(
  files: Readonly<Record<string, string>>,
  activateUnread: "read" | "ask" = "read",
): Promise<TestSession & { readonly documents: DocumentUpkeep }> {
  const store = memoryStore();
  const documents = indexOf(store);
  const placed = Object.entries(files).map(([name, text]) => [`/work/${name}`, text]);
  const opened = await openTestSession({
    store,
    documents,
    layout: epochLayout(),
    activateUnread,
    files: Object.fromEntries(placed),
  });
  await opened.session.ingest(
    readList([{ role: "user", content: "first", timestamp: 1 }], plainCodec),
  );
  return { ...opened, documents };
}

async function textAfter(
  { session, documents }: Awaited<ReturnType<typeof openIn>>,
  work: () => Promise<unknown>,
): Promise<string> {
  await work();
  await documents.upToDate();
  return JSON.stringify((await session.nextView()).messages);
}

describe("a file that only the disk has", () => {
  it.each([
    ["budget", "budget.md"],
    ["[[budget]]", "budget.md"],
    ["Budget.md", "budget.md"],
    ["notes/budget", "docs/notes/budget.md"],
    ["table.csv", "docs/table.csv"],
  ])("is activated by the name of a link: %s", async (name, file) => {
    const { session, files } = await openIn({ [file]: "the costs", "other.md": "other" });

    const answer = await session.activate(name);

    expect(answer).toMatchObject({ ok: true });
    expect(files.reads).toEqual([`/work/${file}`]);
    const { objects } = await session.status();
    expect(objects.map(({ stored }) => stored.body["path"])).toContain(`/work/${file}`);
  });

  it("is activated by a section", async () => {
    const { session } = await openIn({ "docs/budget.md": "# A\n\na\n\n# Costs\n\nmany\n" });

    expect((await session.activate("[[budget#Costs]]")).text).toMatch(/ is now active, lines 5-7/u);
  });

  it("is pinned by the name of a link", async () => {
    const { session } = await openIn({ "docs/budget.md": "the costs" });

    expect((await session.pin("budget")).text).toBe("f1 docs/budget.md is pinned and active.");
  });

  it("is named with the tool that shows it where others can change the host's read", async () => {
    const { session, files } = await openIn({ "docs/budget.md": "the costs" }, "ask");

    expect(await session.activate("budget")).toMatchObject({
      ok: false,
      text: "f1 docs/budget.md was not read in this session; call read with its path to see it.",
    });
    expect(files.reads).toEqual([]);
  });

  it("is one of several with the name, which the answer lists", async () => {
    const { session } = await openIn({ "a/budget.md": "1", "b/budget.md": "2" });

    const { ok, text } = await session.activate("budget");

    expect(ok).toBe(false);
    expect(text).toContain('"budget" names several objects: a/budget.md, b/budget.md.');
  });

  it.each(["node_modules/x/budget.md", ".git/budget.md", "src/__pycache__/budget.md"])(
    "is not found in a folder of tools: %s",
    async (file) => {
      const { session } = await openIn({ [file]: "no", "a.md": "a" });

      expect((await session.activate("budget")).text).toMatch(/^No object is known as "budget"/u);
    },
  );

  it("is not found behind the entries that a search looks at", async () => {
    const many = Array.from({ length: 10_001 }, (_, index) => [`a/${index}.txt`, ""]);
    const { session } = await openIn({ ...Object.fromEntries(many), "a/sub/budget.md": "far" });

    expect((await session.activate("budget")).ok).toBe(false);
  });

  it("is an object to which an active document links, unread", async () => {
    const opened = await openIn({
      "docs/plan.md": "[[budget#Costs]] [[none]]",
      "docs/budget.md": "the costs",
    });

    const text = await textAfter(
      opened,
      async () => await opened.session.read({ path: "docs/plan.md" }),
    );

    expect(text).toContain("[f1 links to f2 docs/budget.md unread 9B]");
    expect(opened.files.reads).toEqual(["/work/docs/plan.md"]);
  });

  it("is the one beside the document if several have the name", async () => {
    const opened = await openIn({
      "docs/deep/plan.md": "[[budget]]",
      "docs/deep/budget.md": "near",
      "docs/budget.md": "far",
    });

    const text = await textAfter(
      opened,
      async () => await opened.session.read({ path: "docs/deep/plan.md" }),
    );

    expect(text).toContain("links to f2 docs/deep/budget.md");
  });

  it("is a target of a link in a document that the model has written", async () => {
    const opened = await openIn({
      "plan.md": "[[budget]] [[none]] [[twice]]",
      "docs/budget.md": "the costs",
      "a/twice.md": "1",
      "b/twice.md": "2",
    });

    const text = await textAfter(
      opened,
      async () => await opened.session.recordWrite("plan.md", { callId: "call_1" }),
    );

    expect(text).toContain(
      "[[none]] has no target yet; [[twice]] names several objects: a/twice.md, b/twice.md]",
    );
    expect(text).not.toContain("[[budget]] has no target");
    expect(opened.files.reads).toEqual(["/work/plan.md"]);
  });

  it("is looked for once in a turn by the links of documents, and each time by activate", async () => {
    const opened = await openIn({ "a.md": "[[none]]", "b.md": "[[none]]", "sub/c.md": "c" });
    const { session, files } = opened;
    const list = files.list.bind(files);
    let searches = 0;
    Object.assign(files, {
      list: async (folder: string) => {
        if (folder === "/work") searches += 1;
        return await list(folder);
      },
    });

    await textAfter(opened, async () => await session.read({ path: "a.md" }));
    await textAfter(opened, async () => await session.read({ path: "b.md" }));
    expect(searches).toBe(1);
    expect((await session.activate("none")).ok).toBe(false);
    files.set("/work/sub/none.md", "made later");

    expect((await session.activate("none")).ok).toBe(true);
  });
});
