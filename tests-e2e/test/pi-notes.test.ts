import { piExtension } from "@self-context-manager/adapter-pi";
import {
  openLoopbackModel,
  type Reply,
  toolCalls,
  type WireRequest,
} from "@self-context-manager/evaluate/loopback";
import { describe, expect, it } from "vitest";

import { openIn } from "../src/managed-run.ts";
import { openPiSdk } from "../src/pi-sdk.ts";
import { type PiVersion, piVersions } from "../src/pi-versions.ts";
import { openPiWorkspace } from "../src/pi-workspace.ts";

const notes = {
  "notes/api.md":
    "---\ntags: [service]\n---\n# Service\nThe base address is port 8080.\n\n# Errors\nA busy server answers 429. See [[limits#Burst]].\n",
  "notes/limits.md":
    "# Limits\nFive calls per second. #service/limits\n\n# Burst\nTwenty at once.\n",
  "notes/plan.md": "# Plan\n- part_of [[api]]\n\nAsk for a higher quota.\n",
};

const first: readonly Reply[] = [
  ...Object.entries(notes).map(([path, content], index) =>
    toolCalls([`call_write_${index}`, "write", { path, content }]),
  ),
  { type: "text", text: "written" },
];

const second: readonly Reply[] = [
  toolCalls(["call_words", "find_objects", { words: "busy server" }]),
  toolCalls(["call_tag", "find_objects", { tag: "service/limits" }]),
  toolCalls(["call_section", "activate", { id: "api#Errors" }]),
  toolCalls(["call_link", "activate", { id: "limits#Burst" }]),
  { type: "text", text: "It answers 429, and takes twenty at once." },
];

/** Returns the requests of a second session, after a first one wrote the notes. */
async function run(pi: PiVersion): Promise<readonly WireRequest[]> {
  await using model = await openLoopbackModel({ script: [...first, ...second] });
  await using workspace = await openPiWorkspace({ model, files: {} });
  const factories = [piExtension({ openContext: openIn(workspace, { SCM_LAYOUT: "epoch" }) })];
  for (const prompt of ["write down what you know", "what happens if the server is busy?"]) {
    await using sdk = await openPiSdk({ pi, workspace, factories });
    await sdk.prompt(prompt);
    expect({ errors: sdk.errors, failures: model.failures }).toEqual({ errors: [], failures: [] });
  }
  return model.requests.slice(first.length);
}

function textOf(request: WireRequest | undefined): string {
  return (request?.messages ?? []).map(({ text }) => text).join("\n");
}

describe.each(piVersions)("notes in Pi $version", (pi) => {
  it("are found, opened and followed by a second session, which sees nothing else of them", async () => {
    const requests = await run(pi);

    expect(requests).toHaveLength(second.length);
    expect(textOf(requests[0])).not.toContain("notes/");
    const found = /- (f\d+) notes\/api\.md \d+, line 8 #Errors: A busy server answers 429/u;
    expect(textOf(requests[1])).toMatch(found);
    expect(textOf(requests[2])).toMatch(
      /- f\d+ notes\/limits\.md \d+, line 2 #Limits: Five calls per second\./u,
    );
    expect(textOf(requests[2])).not.toContain("Twenty at once.");
    const opened = textOf(requests[3]);
    expect(opened).toMatch(/f\d+ notes\/api\.md v1 lines 7-8 of 8\n~+\n# Errors\n/u);
    expect(opened).not.toContain("The base address");
    const last = textOf(requests[4]);
    expect(last).toContain("Twenty at once.");
    expect(last).not.toContain("higher quota");
    expect(last).not.toContain("The base address");
    expect(last.split("A busy server answers 429. See [[limits#Burst]].")).toHaveLength(3);
  });
});
