import { sha256 } from "@self-context-manager/core/host";
import { describe, expect, it } from "vitest";

import { committedPage } from "../src/docs/committed-page.ts";
import { objectsPage } from "../src/docs/objects-page.ts";

describe("the page on objects", () => {
  it("equals the stored objects of a session; SCM_UPDATE_DOCS=1 rewrites it", async () => {
    const page = await objectsPage();

    const committed = await committedPage("objects.md", page);

    expect(committed).toBe(page);
  });

  it("shows for each test vector the tree text that is hashed", async () => {
    const page = await objectsPage();
    const vectors = page.slice(page.indexOf("## Hash test vectors"));

    const texts = [...vectors.matchAll(/```text\n(.*)\n```/gu)].map(([, text]) => text ?? "");
    const hashes = [...vectors.matchAll(/`object_hash`\s+\| `(\w+)`/gu)].map(([, hash]) => hash);

    expect(texts).toHaveLength(6);
    expect(hashes).toEqual(texts.map((text) => sha256(text)));
  });
});
