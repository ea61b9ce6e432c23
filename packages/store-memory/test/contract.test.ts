import { objectStoreContract } from "@self-context-manager/testkit";

import { memoryStore } from "../src/index.ts";

objectStoreContract({
  name: "memory",
  supports: { durable: false, shared: false },
  async createPlace() {
    return {
      open: async (options) => memoryStore(options),
      async [Symbol.asyncDispose]() {},
    };
  },
});
