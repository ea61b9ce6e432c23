import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Whether files of the repository that are made by tests are written again. */
export const updatesDocs: boolean = process.env["SCM_UPDATE_DOCS"] === "1";

/** Returns the committed outline of a view; an empty text if there is none. `SCM_UPDATE_DOCS=1` writes it first. */
export async function committedOutline(name: string, outline: string): Promise<string> {
  const url = new URL(`../../test/outlines/${name}.txt`, import.meta.url);
  if (updatesDocs) {
    await mkdir(dirname(url.pathname), { recursive: true });
    await writeFile(url, outline);
  }
  return await readFile(url, "utf8").catch(() => "");
}
