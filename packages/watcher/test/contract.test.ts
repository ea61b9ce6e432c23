import { watcherContract } from "@self-context-manager/store-contract";

import { watchFiles } from "../src/index.ts";

watcherContract({ name: "files", openWatcher: watchFiles });

watcherContract({
  name: "files, polled",
  openWatcher: (options) =>
    watchFiles({
      ...options,
      maxWatches: options.maxWatches ?? 0,
      timing: { poll: 50, absence: 150 },
    }),
});
