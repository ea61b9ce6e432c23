import { everyLayout, markdownParser, openStore, systemClock } from "@self-context-manager/compose";
import { storeContents } from "@self-context-manager/core/inspect";
import { writeSnapshot } from "@self-context-manager/inspector";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * Writes the inspector's page of each session in a store: `page-1.html` and so on, in the order of the sessions. If a page
 * cannot be made, it and the rest are left out: in a checkout that was not built, or of a store that is damaged.
 */
export async function writePages(file: string, folder: string): Promise<void> {
  let path: string | undefined;
  try {
    await using store = await openStore({ store: "sqlite", at: file, clock: systemClock });
    const { sessions } = await storeContents(store);
    const withCalls = [...sessions.values()].filter(({ calls }) => calls > 0);
    for (const [index, { id }] of withCalls.entries()) {
      path = join(folder, `page-${index + 1}.html`);
      await using page = await open(path, "w", 0o600);
      for await (const piece of writeSnapshot({
        store,
        layouts: everyLayout(),
        place: "store.sqlite",
        kind: "sqlite",
        parser: markdownParser,
        session: id,
        at: new Date().toISOString(),
      }))
        await page.appendFile(piece);
    }
  } catch {
    // The pages are for people. The run is a result without them.
    if (path !== undefined) await rm(path, { force: true });
  }
}
