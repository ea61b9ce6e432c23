import { fileSourceContract } from "@self-context-manager/store-contract";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { diskFiles } from "../src/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

fileSourceContract({
  name: "on the disk",
  supports: { links: true },
  async createPlace() {
    const folder = await temporaryFolder();
    return {
      path: folder.path,
      files: diskFiles(),
      async write(path, content) {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, content);
      },
      remove: async (path) => await rm(path),
      link: async (path, target) => await symlink(target, path),
      [Symbol.asyncDispose]: async () => await folder[Symbol.asyncDispose](),
    };
  },
});
