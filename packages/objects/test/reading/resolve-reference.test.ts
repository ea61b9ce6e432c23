import { describe, expect, it } from "vitest";
import { StoreError } from "../../src/errors.ts";
import { objectId } from "../../src/model/object-id.ts";
import { staticReference, type StoredVersion } from "../../src/model/stored-version.ts";
import { verifyVersion } from "../../src/model/verify-version.ts";
import { resolveReference, resolveVersion } from "../../src/reading/resolve-reference.ts";
import { noteVersion } from "../store-versions.ts";

const id = objectId("a");

describe("a verified version", () => {
  it("is reported as changed with the hash that its fields no longer have", () => {
    const stored = noteVersion("a", 3, 7, "text");
    const harmed = { ...stored, body: { ...stored.body, content: "tent" } };

    expect(verifyVersion(stored)).toBeUndefined();
    expect(verifyVersion(harmed)).toMatchObject({ id, version: 3, type: "changed" });
    expect(verifyVersion(harmed)?.text).toMatch(
      /^version 3 of object a was changed or damaged since it was stored: content_hash is \w{64}, stored \w{64}$/u,
    );
  });

  it("is reported as changed if its fields cannot be hashed", () => {
    const stored = noteVersion("a", 3, 7, "text");
    const harmed = { ...stored, body: { ...stored.body, content: 7 as unknown as string } };

    expect(verifyVersion(harmed)?.type).toBe("changed");
  });
});

describe("a resolved reference", () => {
  it("has a problem if its version is unreadable, and rejects with any other failure", async () => {
    const reference = staticReference(noteVersion("a", 3, 7, "text"));
    const failing = (code: "STORE_CORRUPT" | "STORE_CLOSED"): { get(): Promise<never> } => ({
      get: async () => await Promise.reject(new StoreError(code, "it is damaged")),
    });

    expect(await resolveReference(failing("STORE_CORRUPT"), reference)).toEqual({
      isVerified: false,
      problem: {
        id,
        type: "unreadable",
        text: "object a as of 7 cannot be read: it is damaged",
      },
    });
    await expect(resolveReference(failing("STORE_CLOSED"), reference)).rejects.toThrow(StoreError);
  });

  it("has a problem if another version was stored instead", async () => {
    const exchanged = noteVersion("a", 3, 7, "other");

    const found = await resolveReference(
      storeOf(exchanged),
      staticReference(noteVersion("a", 3, 7, "text")),
    );

    expect(found).toMatchObject({
      isVerified: false,
      stored: exchanged,
      problem: { type: "other" },
    });
    expect(found.problem?.text).toContain(
      "version 3 of object a is not the version that the reference names",
    );
  });

  it("has a problem if its transaction was at another time, and if it has no such field", async () => {
    const stored = noteVersion("a", 3, 7, "text");
    const reference = staticReference(stored);

    const late = await resolveReference(storeOf(stored), {
      ...reference,
      tx_time: "2001-01-01T00:00:00.000Z",
    });
    const empty = await resolveReference(storeOf(stored), { ...reference, field: "provenance.x" });

    expect(late).toMatchObject({ isVerified: false, stored, problem: { type: "other" } });
    expect(late.problem?.text).toMatch(
      /its transaction was at \S+, named 2001-01-01T00:00:00.000Z$/u,
    );
    expect(empty).toMatchObject({ isVerified: false, problem: { type: "missing" } });
    expect(empty.problem?.text).toBe("version 3 of object a has no field provenance.x");
  });

  it.each([
    ["content", "text"],
    ["/content", "text"],
    ["provenance.generator", "tool"],
    ["/provenance/generator", "tool"],
  ])("has the value of its field %s", async (field, value) => {
    const stored = noteVersion("a", 3, 7, "text");

    const found = await resolveReference(storeOf(stored), { ...staticReference(stored), field });

    expect(found).toMatchObject({ isVerified: true, value });
  });

  it("has a problem that names the missing version", async () => {
    const found = await resolveVersion(storeOf(undefined), id, { version: 4 });

    expect(found).toEqual({
      isVerified: false,
      problem: {
        id,
        version: 4,
        type: "missing",
        text: "version 4 of object a is not in the store",
      },
    });
  });
});

function storeOf(stored: StoredVersion | undefined): {
  get(): Promise<StoredVersion | undefined>;
} {
  return { get: async () => await Promise.resolve(stored) };
}
