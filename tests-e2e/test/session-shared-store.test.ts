import { describe, expect, it } from "vitest";

import { openTestSession } from "../src/session/test-session.ts";
import { viewParts } from "../src/session/view-parts.ts";

const another = { harness: "test", sessionId: "another" };

describe("two sessions of one store", () => {
  it("show a file in the newest version that either made, under its own number", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    await opened.session.read({ path: "a.ts" });
    await opened.session.deactivate("f1");
    opened.files.set("/work/a.ts", "y\n");
    await (await opened.reopen(another)).read({ path: "a.ts" });

    await opened.session.activate("f1");

    const { activeTexts, messages } = await viewParts(opened.session);
    expect(activeTexts[0]).toBe("f1 a.ts v2\n~~~\ny\n~~~");
    expect((await (await opened.reopen()).view()).messages).toEqual(messages);
  });

  it("find a file again that was gone for the one and is back for the other", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    await opened.session.read({ path: "a.ts" });
    opened.files.delete("/work/a.ts");
    await opened.session.read({ path: "a.ts" });
    opened.files.set("/work/a.ts", "y\n");
    await (await opened.reopen(another)).read({ path: "a.ts" });

    expect(await opened.session.activate("f1")).toMatchObject({ ok: true });
  });

  it("keep the nickname that the other gave to a file that is gone then", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    await opened.session.read({ path: "a.ts" });
    await (await opened.reopen(another)).name("a.ts", "plan");
    opened.files.delete("/work/a.ts");

    await opened.session.read({ path: "a.ts" });

    expect((await opened.store.lookup("plan"))?.body["presence"]).toBe("missing");
  });
});
