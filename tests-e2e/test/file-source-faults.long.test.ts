import { type FileSourceLaw, fileSourceLaws } from "@self-context-manager/store-contract";
import { AssertionError } from "node:assert/strict";
import { describe, expect, it } from "vitest";

import { fileSourceFaults } from "../src/files/faults.ts";

const laws = Object.keys(fileSourceLaws) as FileSourceLaw[];

it("has a fault for every law of FileSource", () => {
  expect(Object.keys(fileSourceFaults).toSorted()).toEqual(laws.toSorted());
  for (const faults of Object.values(fileSourceFaults)) expect(Object.keys(faults)).not.toEqual([]);
});

describe.each(laws)("%s", (law) => {
  it.each(Object.entries(fileSourceFaults[law]))(
    "is broken by a file source that %s",
    async (_, createPlace) => {
      const broken = await fileSourceLaws[law](createPlace).then(
        () => undefined,
        (error: unknown) => error,
      );

      expect(broken).toBeInstanceOf(AssertionError);
    },
  );
});
