import { objectStoreContract } from "@self-context-manager/store-contract";

import { memoryStore } from "../src/index.ts";

objectStoreContract({
  name: "memory",
  supports: { durable: false, shared: false, losable: false, lockable: false },
  async createPlace() {
    return {
      open: async (options) => memoryStore(options),
      async [Symbol.asyncDispose]() {},
    };
  },
});
