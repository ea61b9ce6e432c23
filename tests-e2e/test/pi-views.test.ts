import { piExtension } from "@self-context-manager/adapter-pi";
import {
  type Block,
  epochLayout,
  isImage,
  isText,
  isToolCall,
  pooledLayout,
  type ViewMessage,
} from "@self-context-manager/core";
import { type RebuiltView, viewHistory } from "@self-context-manager/core/inspect";
import { sha256 } from "@self-context-manager/core/host";
import {
  openLoopbackModel,
  type WireMessage,
  type WireRequest,
} from "@self-context-manager/evaluate/loopback";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { openIn } from "../src/managed-run.ts";
import { managedFiles, managedScript, pixel } from "../src/managed-script.ts";
import { openPiSdk } from "../src/pi-sdk.ts";
import { type PiVersion, piVersions } from "../src/pi-versions.ts";
import { openPiWorkspace } from "../src/pi-workspace.ts";

const cases = piVersions.flatMap((pi) => ["epoch", "pooled"].map((layout) => ({ pi, layout })));

describe.each(cases)("every call of a session of Pi $pi.version, $layout", ({ pi, layout }) => {
  test("is rebuilt from the store as it was sent, with the hash of its request", async () => {
    const { requests, views } = await run(pi, layout);

    expect(views).toHaveLength(requests.length);
    for (const [index, view] of views.entries()) {
      const request = requests[index];
      expect(view.problems).toEqual([]);
      expect(view.messages.map((message) => said(message))).toEqual(wireMessages(request));
      expect(view.messages.flatMap(imagesIn).toSorted()).toEqual(wireImages(request).toSorted());
      expect(view.systemPrompts.map(({ text }) => text).join("\n\n")).toBe(systemText(request));
    }
    // The answer of a call is stored with the next prompt, so the last call has no hash yet.
    const hashes = views.slice(0, -1).map(({ payloadHash }) => payloadHash);
    expect(hashes).toEqual(requests.slice(0, -1).map(({ body }) => sha256(body.toString("utf8"))));
  });
});

async function run(
  pi: PiVersion,
  layout: string,
): Promise<{ readonly requests: readonly WireRequest[]; readonly views: readonly RebuiltView[] }> {
  await using model = await openLoopbackModel({
    script: [...managedScript, { type: "text", text: "Here I am again." }],
  });
  await using workspace = await openPiWorkspace({ model, files: managedFiles });
  const factories = [piExtension({ openContext: openIn(workspace, { SCM_LAYOUT: layout }) })];
  let host = "";
  {
    await using sdk = await openPiSdk({ pi, workspace, factories });
    const images = [
      { type: "image", data: Buffer.from(pixel).toString("base64"), mimeType: "image/png" },
    ] as const;
    await sdk.prompt("look around", { images });
    await sdk.prompt("and now");
    host = sdk.session.sessionId;
    expect(sdk.errors).toEqual([]);
  }
  await using store = await openSqliteStore({ path: join(workspace.agentFolder, "store.sqlite") });
  const history = await viewHistory(store, [epochLayout(), pooledLayout], {
    harness: "pi",
    sessionId: host,
  });
  const views: RebuiltView[] = [];
  for (let call = 1; call <= (history?.count ?? 0); call += 1) {
    const view = await history?.rebuild(call);
    if (view !== undefined) views.push(view);
  }
  return { requests: model.requests, views };
}

/**
 * The parts of a message that every protocol shows at the same place. Some protocols show images of results
 * elsewhere.
 */
interface Said {
  readonly role: string;
  readonly text: string;
  readonly calls: readonly string[];
  readonly answers: string | undefined;
}

function said(message: ViewMessage | undefined): Said {
  if (message === undefined || message.role === "opaque")
    return { role: "none", text: "", calls: [], answers: undefined };
  const blocks = blocksOf(message);
  const texts = blocks.filter(isText).map(({ text }) => text);
  return {
    role: message.role === "toolResult" ? "tool" : message.role,
    text: texts.join("\n").trim(),
    calls: blocks.filter(isToolCall).map(({ id }) => id),
    answers: message.role === "toolResult" ? message.toolCallId : undefined,
  };
}

function blocksOf(message: ViewMessage | undefined): readonly Block[] {
  if (message === undefined || message.role === "opaque") return [];
  const { content } = message;
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function imagesIn(message: ViewMessage | undefined): readonly string[] {
  return blocksOf(message)
    .filter(isImage)
    .map(({ mimeType, data }) => `data:${mimeType};base64,${data}`);
}

function wireImages(request: WireRequest | undefined): string[] {
  const blocks = (request?.messages ?? []).flatMap((message) => message.blocks);
  return blocks.flatMap((block) => (block.type === "image" ? [block.url] : []));
}

/** Chat completions have no images in results. Pi sends those images in a separate user message. */
const carriesImages = "Attached image(s) from tool result:";

function wireMessages(request: WireRequest | undefined): readonly Said[] {
  return (request?.messages ?? [])
    .filter(({ role, text }) => !isSystem(role) && text !== carriesImages)
    .map(wireSaid);
}

function wireSaid(message: WireMessage): Said {
  return {
    role: message.role,
    text: message.text.trim(),
    calls: message.toolCalls.map(({ id }) => id),
    answers: message.toolCallId,
  };
}

function systemText(request: WireRequest | undefined): string {
  return (request?.messages ?? [])
    .filter(({ role }) => isSystem(role))
    .map(({ text }) => text)
    .join("\n");
}

function isSystem(role: string): boolean {
  return role === "system" || role === "developer";
}
