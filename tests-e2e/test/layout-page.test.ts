import { describe, expect, it } from "vitest";

import { committedPage } from "../src/docs/committed-page.ts";
import { layoutPage } from "../src/docs/layout-page.ts";

describe("the page on the layouts", () => {
  it("equals the views that sessions render; SCM_UPDATE_DOCS=1 rewrites it", async () => {
    const page = await layoutPage();

    const committed = await committedPage("layout.md", page);

    expect(committed).toBe(page);
  });

  it("is the same each time", async () => {
    expect(await layoutPage()).toBe(await layoutPage());
  });
});
