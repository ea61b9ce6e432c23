import { memoryStore } from "@self-context-manager/store-memory";
import { objectStoreContract } from "../src/index.ts";

// In store-memory itself this would close a circle: core tests its sessions on store-memory, and the kit is made of core.
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
