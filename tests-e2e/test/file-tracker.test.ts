import { memoryStore } from "@self-context-manager/store-memory";
import { fileTrackerContract } from "@self-context-manager/testkit";
import { diskFiles, watchFiles } from "@self-context-manager/watcher";

const clock = { now: () => Date.now() };

fileTrackerContract({
  name: "watched files",
  openWatcher: watchFiles,
  openStore: () => memoryStore({ clock }),
  openFiles: diskFiles,
});
