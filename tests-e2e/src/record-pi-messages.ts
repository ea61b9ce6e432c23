/**
 * Records the forms of messages of each supported Pi as fixtures of adapter-pi. It is run by hand when a release is
 * added.
 */
import { openLoopbackModel } from "@self-context-manager/evaluate/loopback";

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { managedFiles, pixel } from "./managed-script.ts";
import { openPiRpc } from "./pi-rpc.ts";
import { everyPiVersion } from "./pi-versions.ts";
import { openPiWorkspace } from "./pi-workspace.ts";

const fixtures = fileURLToPath(new URL("../../packages/adapter-pi/test/fixtures", import.meta.url));
const passThrough = fileURLToPath(new URL("./pass-through-extension.ts", import.meta.url));

await mkdir(fixtures, { recursive: true });
for (const pi of everyPiVersion) {
  await using model = await openLoopbackModel({
    script: ({ tools }, index) => {
      if (tools.length === 0) return { type: "text", text: "a summary" };
      if (index === 0) {
        return {
          type: "tool-calls",
          text: "looking",
          reasoning: "what is there",
          calls: [
            { id: "call_1", name: "read", arguments: { path: "a.txt" } },
            { id: "call_2", name: "read", arguments: { path: "p.png" } },
            { id: "call_3", name: "read", arguments: { path: "missing.txt" } },
          ],
        };
      }
      if (index === 2) return { type: "error", status: 400, message: "bad luck" };
      return { type: "text", text: `answer ${index}` };
    },
  });
  await using workspace = await openPiWorkspace({
    model,
    files: managedFiles,
    settings: { compaction: { enabled: false, reserveTokens: 1_000, keepRecentTokens: 1 } },
  });
  const log = join(workspace.agentFolder, "messages.jsonl");
  await using rpc = await openPiRpc({
    pi,
    workspace,
    extensions: [passThrough],
    environment: { PASS_THROUGH_LOG: log },
  });
  const data = Buffer.from(pixel).toString("base64");
  await rpc.prompt("a question", { images: [{ type: "image", data, mimeType: "image/png" }] });
  await rpc.prompt("a question that fails");
  await rpc.send({ type: "bash", command: "echo by hand" });
  await rpc.prompt("a question after that");
  await rpc.send({ type: "compact" });
  await rpc.prompt("a question after the summary");

  const lists = (await readFile(log, "utf8")).trimEnd().split("\n");
  const seen = new Map<string, unknown>();
  for (const line of lists) {
    const messages = JSON.parse(line) as readonly Readonly<Record<string, unknown>>[];
    for (const message of messages)
      seen.set(
        `${String(message["role"])} ${String(message["timestamp"])} ${String(message["toolCallId"])}`,
        message,
      );
  }
  const text = JSON.stringify([...seen.values()], undefined, 1).replaceAll(
    workspace.workFolder,
    "/work",
  );
  await writeFile(join(fixtures, `messages-${pi.version}.json`), `${text}\n`);
}
