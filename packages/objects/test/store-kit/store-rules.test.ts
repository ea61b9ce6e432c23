import { expect, it } from "vitest";
import { checkRepeated, checkSameVersion } from "../../src/store-kit/store-rules.ts";
import { versionOf } from "../store-versions.ts";

it("accepts a repeated request with the same writes only", () => {
  expect(() => checkRepeated("r", "d1", "d1")).not.toThrow();
  expect(() => checkRepeated("r", "d1", "d2")).toThrow(
    expect.objectContaining({ code: "REQUEST_CONFLICT" }),
  );
});

it("recognises a restored version by its hash, its transaction and the moment", () => {
  const stored = versionOf("a", 2);
  const { at } = stored;
  const conflict = expect.objectContaining({ code: "HISTORY_CONFLICT" });
  const spelledShort = { ...at, tx_time: at.tx_time.replace("Z", "+00:00") };

  expect(() => checkSameVersion(stored, { ...stored, at: spelledShort })).not.toThrow();
  expect(() => checkSameVersion(undefined, stored)).toThrow(conflict);
  expect(() => checkSameVersion(versionOf("a", 2, { content: "x" }), stored)).toThrow(conflict);
  for (const other of [{ tx_id: 9 }, { tx_time: "2026-01-02T00:00:00.000Z" }]) {
    expect(() => checkSameVersion({ ...stored, at: { ...at, ...other } }, stored)).toThrow(
      conflict,
    );
  }
});
