import { describe, expect, it } from "vitest";

import { committedPage } from "../src/docs/committed-page.ts";
import { layoutPage } from "../src/docs/layout-page.ts";

describe("the page on the layouts", () => {
  it("is what sessions render now; SCM_UPDATE_DOCS=1 writes it again", async () => {
    const page = await layoutPage();

    const committed = await committedPage("layout.md", page);

    expect(committed).toBe(page);
  });

  it("is the same each time", async () => {
    expect(await layoutPage()).toBe(await layoutPage());
  });
});
