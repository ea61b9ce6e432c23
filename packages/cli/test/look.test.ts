import { openContextManager } from "@self-context-manager/compose";
import { objectId, sealObject } from "@self-context-manager/objects";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

import { givenVersion } from "../src/version-selector.ts";
import { idOf, run, storeWithSession, texts, withStore } from "./temporary-store.ts";

/** The cells of a table, without empty ones. */
function cells(table: string): readonly (readonly string[])[] {
  return table
    .trimEnd()
    .split("\n")
    .map((line) => line.trim().split(/\s{2,}/u));
}

test("list shows a row for each object, newest first, in aligned columns", async () => {
  await using store = await storeWithSession();

  const { code, stdout } = await store.scm("list");

  expect(code).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  const nameAt = lines[0]?.indexOf("NAME") ?? -1;
  expect(lines.map((line) => line.slice(nameAt))).toEqual([
    "NAME",
    "self-context-manager",
    "src/d.ts",
    "c.bin",
    "b.md",
    "a.txt",
    "s1",
    "pi s1",
  ]);
  expect(lines[5]).toMatch(/^[\da-f-]{36} {2}file +2 +4 {2}2026-01-02 03:04:\d\dZ +a\.txt$/u);
  expect(lines[3]).toMatch(/ 3B .* non-text +c\.bin$/u);
});

test("list --session shows handles and states", async () => {
  await using store = await storeWithSession();

  const { stdout } = await store.scm("list", "--session", "s1");

  const rows = cells(stdout).map(([handle, state, , type]) => [handle, state, type]);
  expect(rows).toEqual([
    ["HANDLE", "STATE", "TYPE"],
    ["-", "locked", "chat"],
    ["-", "locked", "system_prompt"],
    ["f1", "pinned", "file"],
    ["f2", expect.stringMatching(/active/u), "file"],
    ["f3", "inactive", "file"],
    ["f4", "inactive", "file"],
  ]);
});

test("list --type and --json print the specification's fields for programs", async () => {
  await using store = await storeWithSession();

  const { stdout } = await store.scm("list", "--type", "file", "--json");

  const listed = JSON.parse(stdout) as { version: number; object: Record<string, unknown> }[];
  expect(listed.map(({ object }) => object["type"])).toEqual(["file", "file", "file", "file"]);
  expect(listed.at(-1)).toMatchObject({
    version: 2,
    object: { path: join(store.workspace, "a.txt"), char_count: 4 },
  });
  expect(listed.at(-1)?.object).not.toHaveProperty("content");
});

test("list --type names the existing types if no object has the given type", async () => {
  await using store = await storeWithSession();

  const none = await store.scm("list", "--type", "files");
  const ofSession = await store.scm("list", "--type", "files", "--session", "s1");

  const note = "No object has the type files; the types are chat, file";
  expect(none).toMatchObject({ code: 0, stderr: `${note}, session, system_prompt.\n` });
  expect(ofSession).toMatchObject({ code: 0, stderr: `${note}, system_prompt.\n` });
});

test("list --limit reports that there are more objects", async () => {
  await using store = await storeWithSession();

  const cut = await store.scm("list", "--limit", "6");
  const whole = await store.scm("list", "--limit", "7");

  expect(cut.stdout.trimEnd().split("\n")).toHaveLength(7);
  expect(cut.stderr).toBe(
    "Only 6 objects are listed; use --all for all objects, or --type and --session for fewer.\n",
  );
  expect(whole.stderr).toBe("");
  expect((await store.scm("list", "--all")).stdout).toBe(whole.stdout);
});

test("every form of a target finds the same object", async () => {
  await using store = await storeWithSession();
  const id = await idOf(store, "a.txt");
  await store.scm("nickname", id, "notes");
  await mkdir(join(store.workspace, "links"));
  await symlink("../a.txt", join(store.workspace, "links", "a"));

  const forms = [
    [id],
    [id.slice(0, -1)],
    ["notes"],
    ["a.txt"],
    [join(store.workspace, "a.txt")],
    ["links/a"],
    ["f1", "--session", "s1"],
  ];

  for (const form of forms) {
    expect((await store.scm("print", ...form, "--field", "id")).stdout).toBe(id);
  }
});

test("a deleted file is found by its last path", async () => {
  await using store = await storeWithSession();

  expect((await store.scm("show", "b.md")).stdout).toContain("presence            missing");
});

test("a session is found by its host's id", async () => {
  await using store = await storeWithSession();

  expect((await store.scm("show", "s1")).stdout).toContain("session_id          s1");
});

test("a handle needs a session if there is more than one, and an unknown handle is reported", async () => {
  await using store = await storeWithSession();

  const only = await store.scm("show", "f1");
  const named = await store.scm("show", "f1", "--session", "s1");
  const unknown = await store.scm("show", "f99", "--session", "s1");
  await openSessionOf(store, "other");
  const bare = await store.scm("show", "f1");
  const latest = await store.scm("show", "f1", "--session", "latest");

  expect(only).toEqual(named);
  expect(only.code).toBe(0);
  expect([bare.code, unknown.code, latest.code]).toEqual([1, 1, 1]);
  expect(bare.stderr).toContain(
    "f1 looks like a handle, and a handle belongs to one session: add --session latest, or --session ID",
  );
  expect(unknown.stderr).toContain("session s1 has no object with the handle f99");
  expect(latest.stderr).toContain("session latest has no object with the handle f1");
});

test("latest is the newest session, except if a session has that id", async () => {
  await using store = await storeWithSession();
  const first = await store.scm("list", "--session", "latest");
  await openSessionOf(store, "other");
  const second = await store.scm("list", "--session", "latest");
  await openSessionOf(store, "latest-of-all");
  await openSessionOf(store, "newest");

  expect(first).toEqual(await store.scm("list", "--session", "s1"));
  expect(second).toEqual(await store.scm("list", "--session", "other"));
  expect(await store.scm("list", "--session", "latest", "--json")).toEqual(
    await store.scm("list", "--session", "latest-of-all", "--json"),
  );
});

test("latest is a session with a model call if there is one", async () => {
  await using store = await storeWithSession();
  await openSessionOf(store, "called");
  {
    await using manager = await openContextManager({ at: store.at, workspace: store.workspace });
    const session = await manager.openSession({ harness: "pi", sessionId: "without-calls" });
    await session.recordNamed(["a.txt"]);
  }

  expect(await store.scm("list", "--session", "latest")).toEqual(
    await store.scm("list", "--session", "called"),
  );
});

/** Begins another session in a store, with a model call. */
async function openSessionOf(
  { at, workspace }: { readonly at: string; readonly workspace: string },
  sessionId: string,
): Promise<void> {
  await using manager = await openContextManager({ at, workspace });
  const session = await manager.openSession({ harness: "pi", sessionId });
  await session.nextView();
}

test("an empty target or place is reported", async () => {
  await using store = await storeWithSession();

  expect(await store.scm("show", "")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("TARGET is empty"),
  });
  expect(await run(["list", "--at", ""], {}, store.workspace)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--at is empty"),
  });
});

test("--session accepts the beginning of a session's id or of its host's id", async () => {
  await using store = await storeWithSession();
  await openSessionOf(store, "other");
  await using manager = await openContextManager({ at: store.at, workspace: store.workspace });
  const whole = await store.scm("list", "--session", "s1");
  const { items } = await manager.store.find({ where: { session_id: "s1" } });
  const id = items[0]?.body.id ?? "";

  const byId = await store.scm("list", "--session", id.slice(0, -1));
  const byHost = await store.scm("list", "--session", "s");
  const several = await store.scm("list", "--session", id.slice(0, 2));

  expect(whole.stdout).toContain("f1 ");
  expect(byId).toEqual(whole);
  expect(byHost).toEqual(whole);
  expect(several.stderr).toContain("matches several sessions; give an id:\n");
});

test("the error about an ambiguous beginning of an id lists the candidates", async () => {
  await using store = await storeWithSession();
  const id = await idOf(store, "a.txt");

  const { code, stdout, stderr } = await store.scm("show", id.slice(0, 4));

  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(
    `${id.slice(0, 4)} is the beginning of several ids; give more of the id:\n`,
  );
  expect(stderr).toContain(`\n  ${id}  file  a.txt\n`);
});

test.each(["show", "history", "print"])("%s names an unknown target", async (command) => {
  await using store = await storeWithSession();

  const { code, stderr } = await store.scm(command, "nothing\u001B[2J");

  expect(code).toBe(1);
  expect(stderr).toContain(
    String.raw`path or session id nothing\u001b[2J; scm list lists the objects`,
  );
});

test("an unknown session is named", async () => {
  await using store = await storeWithSession();

  const { code, stderr } = await store.scm("list", "--session", "s2");

  expect(code).toBe(1);
  expect(stderr).toContain("the store has no session s2; scm list --type session lists");
});

test("show prints fields, hashes, and references in both directions", async () => {
  await using store = await storeWithSession();
  const id = await idOf(store, "a.txt");

  const file = (await store.scm("show", "a.txt")).stdout;
  const session = (await store.scm("show", "s1")).stdout;
  const chat = JSON.parse((await store.scm("print", "s1", "--field", "chat_ref")).stdout) as {
    id: string;
  };

  expect(file).toContain(
    `id                  ${id}\nname                a.txt\nversion             2 of 2\n`,
  );
  expect(file).toMatch(/^object_hash {9}[\da-f]{64}$/mu);
  expect(session).toContain("References out: 2\n");
  expect(session).toMatch(new RegExp(`^  /chat_ref +→ ${chat.id} latest$`, "mu"));
  const into = JSON.parse((await store.scm("show", chat.id, "--json")).stdout) as {
    references_in: unknown[];
  };
  expect(into.references_in).toMatchObject([{ path: "/chat_ref", reference: { ref: "dynamic" } }]);
});

test("history lists versions in order", async () => {
  await using store = await storeWithSession();

  const { stdout } = await store.scm("history", "a.txt");
  const json = JSON.parse((await store.scm("history", "a.txt", "--json")).stdout) as unknown;

  expect(cells(stdout).map(([version, transaction]) => [version, transaction])).toEqual([
    ["VERSION", "TRANSACTION"],
    ["1", "tx:2"],
    ["2", expect.stringMatching(/^tx:\d+$/u)],
  ]);
  expect(json).toMatchObject([{ version: 1 }, { version: 2, object: { char_count: 4 } }]);
});

test("print prints exactly the content of the given version", async () => {
  await using store = await storeWithSession();
  const id = await idOf(store, "a.txt");
  const [first, second] = await withStore(store, async (open) => await open.history(id as never));

  for (const [asOf, text] of [
    ["1", texts.first],
    ["v2", texts.second],
    [`tx:${first?.at.tx_id}`, texts.first],
    [`tx:${(second?.at.tx_id ?? 0) - 1}`, texts.first],
    ["tx:99999", texts.second],
    [first?.at.tx_time ?? "", texts.first],
    [second?.at.tx_time.replace("T", " ").replace("Z", "") ?? "", texts.second],
    [first?.hashes.content_hash ?? "", texts.first],
    [first?.hashes.content_hash.slice(0, 12) ?? "", texts.first],
    [`sha256:${second?.hashes.content_hash.slice(0, 8)}`, texts.second],
  ] as const) {
    const printed = { code: 0, stdout: text, stderr: "" };
    expect(await store.scm("print", "a.txt", "--as-of", asOf)).toEqual(printed);
    expect(await store.scm("print", `a.txt@${asOf}`)).toEqual(printed);
  }
  expect((await store.scm("print", "a.txt@1", "--as-of", "2")).stderr).toContain(
    "a.txt@1 names version 1, and --as-of 2 another; give one of them",
  );
});

test("a time means the end of the second, as times are printed, or of the minute or day", () => {
  expect(givenVersion("2026-01-31 09:00:00Z")).toEqual({ txTime: "2026-01-31T09:00:00.999Z" });
  expect(givenVersion("2026-01-31T09:00:00.100Z")).toEqual({ txTime: "2026-01-31T09:00:00.100Z" });
  expect(givenVersion("2026-01-31")).toEqual({ txTime: "2026-01-31T23:59:59.999Z" });
  expect(givenVersion("2026-01-31T09:00+01:00")).toEqual({ txTime: "2026-01-31T08:00:59.999Z" });
});

test("print lists the existing versions if the given one does not exist", async () => {
  await using store = await storeWithSession();

  const { code, stderr } = await store.scm("print", "a.txt", "--as-of", "3");

  expect(code).toBe(1);
  expect(stderr).toMatch(
    /has versions 1 to 2, since \S+Z \(tx:\d+\), and none matches --as-of 3; see scm history \S+\n$/u,
  );
});

test("a suggested command contains the store that was given", async () => {
  await using store = await storeWithSession();

  const given = await run(
    ["print", "a.txt", "--as-of", "3", "--at", store.at],
    {},
    store.workspace,
  );
  const next = /see scm (history .+)\n$/u.exec(given.stderr)?.[1] ?? "";

  expect(next).toContain(`--at ${store.at}`);
  expect(await run(next.split(" "), {}, "/")).toMatchObject({ code: 0, stderr: "" });
});

test("--as-of accepts both hashes that history shows", async () => {
  await using store = await storeWithSession();
  const history = await store.scm("history", "a.txt", "--json");
  const [first] = JSON.parse(history.stdout);
  const table = await store.scm("history", "a.txt");
  const [content = "", whole = ""] =
    /\b[\da-f]{12} +[\da-f]{12}\b/u.exec(table.stdout)?.[0].split(/ +/u) ?? [];

  const printed = await store.scm("print", "a.txt", "--as-of", "1");

  expect(first.object.object_hash.startsWith(whole)).toBe(true);
  for (const hash of [content, whole, first.object.object_hash, first.object.content_hash])
    expect(await store.scm("print", "a.txt", "--as-of", hash)).toEqual(printed);
});

/** Two texts whose hashes begin alike: `b30a892c`. */
const alike = ["text 859", "text 4460"] as const;

test("the error about an ambiguous hash lists the hashes, and that about an unknown hash the versions", async () => {
  await using store = await storeWithSession();
  await withStore(store, async (open) => {
    for (const content of alike) {
      const id = objectId("0190aaaa-0000-7000-8000-000000000001");
      const provenance = { origin: "a test", generator: "tool" as const };
      await open.commit([
        { object: sealObject({ id, type: "note", locked: false, content, provenance }) },
      ]);
    }
  });

  const several = await store.scm("print", "0190aaaa", "--as-of", "b30a892c");
  const none = await store.scm("print", "0190aaaa", "--as-of", "00000000");

  expect([several.code, none.code]).toEqual([1, 1]);
  expect(several.stderr).toContain("is the beginning of several hashes");
  expect(none.stderr).toContain("and none matches --as-of 00000000");
});

test.each([
  ["c.bin", "the file is not text"],
  ["src/d.ts", "the file was named, but never read"],
  ["b.md", "the file is missing; an earlier version may have its content"],
])("print reports why %s has no content", async (target, reason) => {
  await using store = await storeWithSession();

  const { code, stdout, stderr } = await store.scm("print", target);

  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(reason);
});

test("print --field prints JSON for a value that is not text, and reports the names of the fields", async () => {
  await using store = await storeWithSession();

  const locked = await store.scm("print", "a.txt", "--field", "locked");
  const unknown = await store.scm("print", "a.txt", "--field", "colour");

  expect(locked.stdout).toBe("false");
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toMatch(/no field "colour" in version 2; it has .*path.*object_hash/u);
});

test("a path from another folder is found by its end, and an ambiguous end is reported", async () => {
  await using store = await storeWithSession();
  await withStore(store, async (open) => {
    const body = {
      id: objectId("0190aaaa-0000-7000-8000-000000000001"),
      type: "file",
      locked: false,
      content: "other\n",
      path: "/elsewhere/src/d.ts",
      provenance: { origin: "/elsewhere/src/d.ts", generator: "human" as const },
    };
    await open.commit([{ object: sealObject(body) }]);
  });

  const whole = await run(["print", "elsewhere/src/d.ts"], { SCM_STORE: store.at }, "/");
  const several = await run(["print", "src/d.ts"], { SCM_STORE: store.at }, "/");

  expect(whole.stdout).toBe("other\n");
  expect(several.code).toBe(1);
  expect(several.stderr).toContain("is the end of several paths");
});
