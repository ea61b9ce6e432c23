import { everyLayout, markdownParser, openStore, systemClock } from "@self-context-manager/compose";
import { storeContents } from "@self-context-manager/core/inspect";
import { PageMissingError, writeSnapshot } from "@self-context-manager/inspector";
import { open } from "node:fs/promises";
import { join } from "node:path";

/** Writes the inspector's page of each session in a store: `page-1.html` and so on, in the order of the sessions. */
export async function writePages(file: string, folder: string): Promise<void> {
  await using store = await openStore({ store: "sqlite", at: file, clock: systemClock });
  const { sessions } = await storeContents(store);
  const withCalls = [...sessions.values()].filter(({ calls }) => calls > 0);
  for (const [index, { id }] of withCalls.entries()) {
    await using page = await open(join(folder, `page-${index + 1}.html`), "w", 0o600);
    try {
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
    } catch (error) {
      // In a checkout that was not built, there is no page to show; the run is a result without it.
      if (error instanceof PageMissingError) return;
      throw error;
    }
  }
}
