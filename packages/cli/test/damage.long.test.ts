import { readFile, rm, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";

import { damages, linesOf, storeWithChanges } from "./damaged-copies.ts";

/** Damaged copies for each of the four kinds of damage. */
const rounds = process.env["SCM_LONG"] === "1" ? 500 : 8;

test.each(Object.keys(damages))(
  "%s is named by doctor or changes no version, and a repair with a backup loses nothing",
  { timeout: 3_600_000 },
  async (name) => {
    await using store = await storeWithChanges();
    await store.scm("backup", "whole.gz");
    const exported = (await store.scm("export")).stdout;
    const before = await linesOf(exported);
    const bytes = await readFile(store.at);
    let seed = 11;
    const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;

    for (let round = 0; round < rounds; round += 1) {
      const at = `${store.at}.${round}`;
      const damaged = damages[name]?.(Buffer.from(bytes), random) ?? bytes;
      await writeFile(at, damaged);
      const doctor = await store.scm("doctor", "--at", at);
      const read = await store.scm("export", "--at", at);
      // A store that doctor finds sound has every version as it was stored.
      const seen = doctor.code === 0 ? read.stdout : exported;
      expect(await linesOf(seen)).toEqual(before);

      await writeFile(at, damaged);
      const alone = await store.scm("doctor", "--repair", "--at", at);
      const isRefused = alone.stderr.includes("nothing of the store");
      expect(alone.code).toBe(isRefused ? 1 : 0);
      const kept = isRefused ? "" : (await store.scm("export", "--at", at)).stdout;
      for (const [version, line] of await linesOf(kept)) expect(line).toBe(before.get(version));

      await writeFile(at, damaged);
      const helped = await store.scm("doctor", "--repair", "--at", at, "--from", "whole.gz");
      const whole = (await store.scm("export", "--at", at)).stdout;
      expect(helped.code).toBe(0);
      expect(await linesOf(whole)).toEqual(before);
      expect((await store.scm("doctor", "--at", at)).stdout).not.toContain("DAMAGED");
      for (const end of ["", ".search"]) await rm(at + end, { force: true });
    }
  },
);
