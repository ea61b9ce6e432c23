import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { openLedger } from "../../src/run/ledger.ts";

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "scm-ledger-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe("openLedger", () => {
  it("begins at nothing", async () => {
    await withFolder(async (folder) => {
      expect((await openLedger(folder)).spent).toBe(0);
    });
  });

  it("counts a call that ended by its cost, and one that did not by its bound", async () => {
    await withFolder(async (folder) => {
      const { write } = await openLedger(folder);
      write({ call: "a", bound: 0.5 });
      write({ call: "a", dollars: 0.125 });
      write({ call: "b", bound: 0.25 });

      expect((await openLedger(folder)).spent).toBe(0.375);
    });
  });

  it("reads over a last line that is cut off", async () => {
    await withFolder(async (folder) => {
      const { write } = await openLedger(folder);
      write({ call: "a", bound: 0.5 });
      await appendFile(join(folder, "spent.jsonl"), '{"call":"a","dol');

      const { spent, write: writeOn } = await openLedger(folder);
      expect(spent).toBe(0.5);
      writeOn({ call: "b", bound: 0.25 });

      expect((await openLedger(folder)).spent).toBe(0.75);
    });
  });

  it("says which file has a line that is none", async () => {
    await withFolder(async (folder) => {
      await appendFile(join(folder, "spent.jsonl"), "{\n");

      await expect(openLedger(folder)).rejects.toMatchObject({
        code: "EVALUATE_FILE",
        message: expect.stringContaining("spent.jsonl cannot be read"),
      });
    });
  });
});
