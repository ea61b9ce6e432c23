import { memoryStore } from "@self-context-manager/store-memory";
import { objectStoreContract } from "../src/index.ts";

// The test is not in store-memory, because that would close a circle: core tests its sessions on store-memory, and
// the test kit is built on core.
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
