import { spawn } from "node:child_process";
import { once } from "node:events";

/** Keeps a processor and the disk busy, so that code that depends on its speed fails. */
const program = `
const { mkdtempSync, writeFileSync, readFileSync, rmSync } = require("node:fs");
const { createHash } = require("node:crypto");
const { join } = require("node:path");
const folder = mkdtempSync(join(require("node:os").tmpdir(), "scm-load-"));
process.on("disconnect", () => { rmSync(folder, { recursive: true, force: true }); process.exit(); });
function work() {
  for (let count = 0; count < 20; count += 1) {
    const path = join(folder, "f" + count);
    writeFileSync(path, "x".repeat(50_000));
    createHash("sha256").update(readFileSync(path)).digest();
  }
  setImmediate(work);
}
work();
`;

let users = 0;
let load: AsyncDisposable | undefined;

/** Starts two processes that work until disposal, one for each of two processors. Simultaneous users share them. */
export function underLoad(): AsyncDisposable {
  users += 1;
  load ??= startLoad();
  return {
    async [Symbol.asyncDispose]() {
      users -= 1;
      if (users > 0) return;
      const ended = load;
      load = undefined;
      await ended?.[Symbol.asyncDispose]();
    },
  };
}

function startLoad(): AsyncDisposable {
  const children = [0, 1].map(() =>
    spawn(process.execPath, ["--eval", program], { stdio: ["ignore", "ignore", "ignore", "ipc"] }),
  );
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(
        children.map(async (child) => {
          const ended = once(child, "exit");
          child.disconnect();
          await ended;
        }),
      );
    },
  };
}
