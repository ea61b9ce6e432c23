import { readdir, readFile, writeFile } from "node:fs/promises";
import { platform } from "node:process";
import { join } from "node:path";
import { expect, test } from "vitest";

// @boundaries-ignore The tests of all packages are configured in the same way.
import { triesEveryCase } from "../../../tools/property-runs.ts";
import { openContextManager } from "../src/context-manager.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const sessionCount = process.env["SCM_LONG"] === "1" ? 5_000 : triesEveryCase() ? 500 : 200;
const atOnce = 50;

test("sessions that were opened and closed leave no descriptor, no watch and no lock file", async () => {
  await using folder = await temporaryFolder();
  const at = join(folder.path, "store.sqlite");
  for (let file = 0; file < atOnce; file += 1)
    await writeFile(join(folder.path, `${file}.txt`), `text ${file}\n`);
  const { watches } = await openThings();
  await using manager = await openContextManager({ at, workspace: folder.path });
  const serve = async (number: number): Promise<void> => {
    const host = { harness: "test", sessionId: `s${number}` };
    const session = await manager.openSession(host);
    await session.read({ path: `${number % atOnce}.txt` });
    await session[Symbol.asyncDispose]();
  };
  // The first session opens what stays open for all: the store, and the handle through which Node watches folders.
  await serve(0);
  const { descriptors } = await openThings();
  let next = 1;

  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next <= sessionCount) await serve((next += 1));
    }),
  );

  expect(await readdir(`${at}.open`)).toEqual([]);
  // Things of earlier tests of this process can close meanwhile.
  await expect
    .poll(async () => {
      const left = await openThings();
      return [left.descriptors <= descriptors, left.watches <= watches];
    })
    .toEqual([true, true]);
});

/** The open descriptors and watched folders of this process, where the system lists them. */
async function openThings(): Promise<{ readonly descriptors: number; readonly watches: number }> {
  if (platform !== "linux") return { descriptors: 0, watches: 0 };
  const descriptors = await readdir("/proc/self/fd");
  const facts = await Promise.all(
    descriptors.map(
      async (name) =>
        // The descriptor with which the list was read is closed by now.
        await readFile(`/proc/self/fdinfo/${name}`, "utf8").catch(() => ""),
    ),
  );
  return {
    descriptors: facts.filter((text) => text !== "").length,
    watches: facts.join("").split("inotify wd:").length - 1,
  };
}
