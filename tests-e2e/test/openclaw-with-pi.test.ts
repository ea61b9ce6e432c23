import { type PiVersion, piVersions } from "../src/pi-versions.ts";
import { openStore, systemClock } from "@self-context-manager/compose";
import { openLoopbackModel, type Reply } from "@self-context-manager/evaluate/loopback";
import { afterEach, describe, expect, it } from "vitest";

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { extensionFolder } from "../src/demo/pi-demo-host.ts";
import { openClawProblem } from "../src/openclaw/install-openclaw.ts";
import { playedGateway } from "../src/openclaw/played-gateway.ts";
import { openPiSdk } from "../src/pi-sdk.ts";
import { openPiWorkspace } from "../src/pi-workspace.ts";
import { missingForXtdb } from "../src/stores/xtdb-node.ts";

const [newestPi] = piVersions.slice(-1) as [PiVersion];
const isLong = process.env["SCM_LONG"] === "1";
const isSkipped = !isLong || (await openClawProblem()) !== undefined;
const stores =
  missingForXtdb() === undefined ? (["sqlite", "xtdb"] as const) : (["sqlite"] as const);

/** A text that is long enough to be an object. */
const plan = "the plan has this line\n".repeat(40);

describe.skipIf(isSkipped)("a session of Pi and an agent of OpenClaw on one store", () => {
  const before = { ...process.env };
  afterEach(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  });

  it.each(stores)("share files, names and changes, on %s", { timeout: 300_000 }, async (kind) => {
    const folder = await mkdtemp(join(tmpdir(), "scm-shared-"));
    const at = kind === "sqlite" ? join(folder, "store.sqlite") : join(folder, "xtdb");
    const settings = { store: at, storeKind: kind, activateUnread: "read" };
    Object.assign(process.env, {
      SCM_STORE: at,
      SCM_STORE_KIND: kind,
      SCM_ACTIVATE_UNREAD: "read",
    });
    const replies: Reply[] = [];
    await using model = await openLoopbackModel({
      script: () => replies.shift() ?? { type: "text", text: "done" },
    });
    await using workspace = await openPiWorkspace({ model, files: { "plan.txt": plan } });
    await using pi = await openPiSdk({
      pi: newestPi,
      workspace,
      extensions: [extensionFolder],
    });
    await using claw = await playedGateway({ plugin: settings, workspace: workspace.workFolder });
    const call = (name: string, args: object): Reply => ({
      type: "tool-calls",
      calls: [{ id: `c${replies.length}${name}`, name, arguments: { ...args } }],
    });

    replies.push(call("read", { path: "plan.txt" }));
    await pi.prompt("read the plan");
    await pi.prompt("/context name f1 roadmap");
    const activated = await claw.turn("what is planned?", [
      [["activate", { id: "roadmap" }]],
      [["exec", { command: "echo seen" }]],
    ]);
    const edit = {
      path: "plan.txt",
      edits: [{ oldText: plan, newText: `${plan}one line more\n` }],
    };
    await claw.turn("add a line", [[["edit", edit]]]);
    await pi.prompt("is it there?");
    replies.push(call("write", { path: "done.txt", content: plan.replaceAll("plan", "work") }));
    await pi.prompt("write what is done");
    const later = await claw.turn("what is done?", [[["activate", { id: "done.txt" }]]]);
    const note = "# Harbour\nShips leave at noon. #harbour\n\n# Tides\nHigh water at six.\n";
    replies.push(call("write", { path: "notes/harbour.md", content: note }));
    await pi.prompt("write down what you know");
    const remembered = await claw.turn("when do ships leave?", [
      [["find_objects", { words: "ships", tag: "harbour" }]],
      [["activate", { id: "harbour#Tides" }]],
    ]);
    await writeFile(join(workspace.workFolder, "plan.txt"), "changed by hand\n");
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const changed = await claw.turn("and now?");
    await pi.prompt("and now?");

    expect(activated.at(-1)?.text).toContain("the plan has this line");
    expect(JSON.stringify(model.requests.at(-3)?.messages.map(({ raw }) => raw))).toMatch(
      /plan\.txt[^"]*(?:changed|one line more)/u,
    );
    expect(later.at(-1)?.text).toContain("the work has this line");
    expect(remembered[1]?.text).toMatch(
      /- f\d+ notes\/harbour\.md \d+, line 2 #Harbour: Ships leave at noon\. #harbour/u,
    );
    expect(remembered[2]?.text).toContain("High water at six.");
    expect(changed.at(-1)?.text).toMatch(/f\d+ plan\.txt[^\n]* v\d/u);
    expect(await storedIn(kind, at)).toEqual({ repeated: [], harnesses: ['"openclaw"', '"pi"'] });
    expect([...claw.failures, ...model.failures, ...pi.errors]).toEqual([]);
    await rm(folder, { recursive: true, force: true });
  });
});

/** Returns the paths that several file objects have, and the harnesses of the sessions. */
async function storedIn(
  kind: "sqlite" | "xtdb",
  at: string,
): Promise<{ readonly repeated: readonly unknown[]; readonly harnesses: readonly string[] }> {
  await using store = await openStore({ store: kind, at, clock: systemClock });
  const { items: files } = await store.find({ where: { type: "file" }, limit: 100 });
  const paths = files.map(({ body }) => body["path"]);
  const { items: sessions } = await store.find({ where: { type: "session" }, limit: 10 });
  const harnesses = sessions.map(({ body }) => JSON.stringify(body["harness"]));
  return {
    repeated: paths.filter((path, index) => paths.indexOf(path) !== index),
    harnesses: harnesses.toSorted((one, other) => one.localeCompare(other)),
  };
}
