import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";

import { lockResults } from "../../src/run/results-lock.ts";

it("waits for the number of a process that has just created the lock", async () => {
  const folder = await mkdtemp(join(tmpdir(), "scm-lock-test-"));
  try {
    await writeFile(join(folder, "lock"), "");
    const outcome = lockResults(folder).then(
      () => "locked",
      (error: unknown) => String(error),
    );
    await setTimeout(20);
    await writeFile(join(folder, "lock"), String(process.pid));

    expect(await outcome).toContain("already");
  } finally {
    await rm(folder, { recursive: true });
  }
});
