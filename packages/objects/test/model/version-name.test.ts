import { describe, expect, it } from "vitest";
import { versionedName, writtenVersion } from "../../src/model/version-name.ts";

const hash = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";

describe("a written version", () => {
  it.each([
    ["3", { version: 3 }],
    ["v3", { version: 3 }],
    ["tx:812", { txId: 812 }],
    ["12345678", { hashStart: "12345678" }],
    ["v12345678", { version: 12_345_678 }],
    ["5891b5b5", { hashStart: "5891b5b5" }],
    [`sha256:${hash}`, { hashStart: hash }],
    ["2026-01-31 09:00:00Z", { txTime: "2026-01-31T09:00:00.999Z" }],
    ["2026-01-31T09:00:00.100Z", { txTime: "2026-01-31T09:00:00.100Z" }],
    ["2026-01-31", { txTime: "2026-01-31T23:59:59.999Z" }],
    ["2026-01-31T09:00+01:00", { txTime: "2026-01-31T08:00:59.999Z" }],
    ["2026-11-22T10:00Z", { txTime: "2026-11-22T10:00:59.999Z" }],
  ])("is %s", (text, version) => {
    expect(writtenVersion(text)).toEqual(version);
  });

  it.each(["", "x", "3.5", "-1", "2026-13-45", "10:00", "abc", "tx:", "latest"])(
    "is not %j",
    (text) => {
      expect(writtenVersion(text)).toBeUndefined();
    },
  );
});

describe("a name with a version", () => {
  it.each([
    ["f1@3", "f1", { version: 3 }],
    ["src/a@b.ts@2", "src/a@b.ts", { version: 2 }],
    ["plan.md@2026-11-22T10:00Z", "plan.md", { txTime: "2026-11-22T10:00:59.999Z" }],
    ["my notes.md@tx:4", "my notes.md", { txId: 4 }],
  ])("is %s", (given, name, version) => {
    const text = given.slice(name.length + 1);
    expect(versionedName(given)).toEqual({ name, version, text });
  });

  it.each(["f1", "@3", "someone@example.org", "src/@scope/a.ts", "f1@"])("is not %s", (given) => {
    expect(versionedName(given)).toBeUndefined();
  });
});
