import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

import { accessNotice } from "../src/access-notice.ts";
import { openContextManager } from "../src/context-manager.ts";
import { openStore } from "../src/open-store.ts";
import { systemClock } from "../src/system-clock.ts";
import { temporaryFolder } from "./temporary-folder.ts";

describe.skipIf(process.platform === "win32")("a store that other users can read", () => {
  test.each([
    ["the file, for all", "", 0o644],
    ["the file, for the group", "", 0o640],
    ["the file, only to write", "", 0o602],
    ["its log", "-wal", 0o644],
    ["its shared memory", "-shm", 0o644],
  ])("has a notice with the path, its mode and the command: %s", async (_, end, mode) => {
    await using folder = await temporaryFolder();
    const at = join(folder.path, "my store.sqlite");
    for (const one of ["", "-wal", "-shm"]) await writeFile(at + one, "", { mode: 0o600 });
    await chmod(at + end, mode);

    const notice = await accessNotice("sqlite", at);

    expect(notice).toBe(
      `Other users of this machine can read or replace the store: ${at}${end} (mode ${mode.toString(8)}). To correct it, run: chmod 600 '${at}${end}'`,
    );
  });

  test("has one notice with all paths, once in a process", async () => {
    await using folder = await temporaryFolder();
    const at = join(folder.path, "shared", "store.sqlite");
    await mkdir(dirname(at));
    await writeFile(at, "");
    await writeFile(`${at}-wal`, "");
    for (const one of [at, `${at}-wal`]) await chmod(one, 0o644);
    await chmod(dirname(at), 0o777);

    const notices = [await accessNotice("sqlite", at), await accessNotice("sqlite", at)];

    expect(notices).toEqual([
      expect.stringMatching(
        /\. To correct it, run: chmod 600 \S+ \S+-wal && chmod o-w \S+\/shared$/u,
      ),
      undefined,
    ]);
  });

  test("is not one whose folder others can only read, or in which they cannot replace its files", async () => {
    await using folder = await temporaryFolder();
    const at = join(folder.path, "store.sqlite");
    await writeFile(at, "", { mode: 0o600 });
    const noticeWith = async (mode: number): Promise<string | undefined> => {
      await chmod(folder.path, mode);
      return await accessNotice("sqlite", at);
    };

    expect([await noticeWith(0o755), await noticeWith(0o1777)]).toEqual([undefined, undefined]);
    expect(await accessNotice("sqlite", join(folder.path, "missing"))).toBeUndefined();
    expect(await accessNotice("xtdb", "http://127.0.0.1:1")).toBeUndefined();
  });

  test("is a folder of a node or its token", async () => {
    await using folder = await temporaryFolder();
    const one = join(folder.path, "one");
    const other = join(folder.path, "other");
    for (const at of [one, other]) {
      await mkdir(at, { mode: 0o700 });
      await writeFile(join(at, "token"), "", { mode: 0o600 });
    }
    await chmod(one, 0o750);
    await chmod(join(other, "token"), 0o604);

    const notices = [await accessNotice("xtdb", one), await accessNotice("xtdb", other)];

    expect(notices).toEqual([
      expect.stringMatching(/\(mode 750\)\. To correct it, run: chmod 700 \S+\/one$/u),
      expect.stringMatching(/\(mode 604\)\. To correct it, run: chmod 600 \S+\/other\/token$/u),
    ]);
  });

  test("is reported when it is opened, to notify or to the logger, and is opened", async () => {
    await using folder = await temporaryFolder();
    const at = [join(folder.path, "a.sqlite"), join(folder.path, "b.sqlite")] as const;
    for (const path of at) {
      await using _ = await openStore({ store: "sqlite", at: path, clock: systemClock });
      await chmod(path, 0o644);
    }
    const texts: string[] = [];
    const notify = (text: string): void => void texts.push(text);
    const logger = { debug: notify, warn: notify, error: notify };

    await using store = await openStore({ store: "sqlite", at: at[0], clock: systemClock, notify });
    const options = { at: at[1], workspace: folder.path, watch: false, documents: false, logger };
    await using manager = await openContextManager(options);

    expect(texts).toEqual(at.map((path) => expect.stringContaining(`chmod 600 ${path}`)));
    expect((await store.find({})).items).toEqual([]);
    expect((await manager.store.find({})).items).toEqual([]);
  });
});
