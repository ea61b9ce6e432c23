// The tests are data here. What the source supports decides which tests exist, and the scenarios contain the assertions.
/* oxlint-disable vitest/no-conditional-tests, vitest/expect-expect, vitest/no-disabled-tests, vitest/valid-title */
import { describe, it } from "vitest";

import type { CreateFilePlace, FileSourceSupports } from "./file-place.ts";
import { type FileSourceLaw, fileSourceLawNeeds, fileSourceLaws } from "./laws.ts";

export interface FileSourceContract {
  readonly name: string;
  readonly supports: FileSourceSupports;
  readonly createPlace: CreateFilePlace;
}

/** Registers one test for each law of `FileSource`, named by the law's key. */
export function fileSourceContract({ name, supports, createPlace }: FileSourceContract): void {
  describe(`file source ${name}`, () => {
    for (const law of Object.keys(fileSourceLaws) as FileSourceLaw[]) {
      const need = fileSourceLawNeeds[law];
      if (need !== undefined && !supports[need])
        it.skip(`${law} (declared: no ${need})`, () => undefined);
      else it(law, () => fileSourceLaws[law](createPlace));
    }
  });
}
