import { fileSourceContract } from "@self-context-manager/store-contract";

import { memoryFolder } from "../src/index.ts";

fileSourceContract({
  name: "in memory",
  supports: { links: false },
  async createPlace() {
    const files = memoryFolder();
    return {
      path: files.path,
      files,
      write: async (path, content) => files.set(path, content),
      remove: async (path) => files.remove(path),
      async [Symbol.asyncDispose]() {},
    };
  },
});
