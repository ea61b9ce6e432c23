import type { Reply, Responder, WireRequest } from "@self-context-manager/evaluate/loopback";

import { deflateSync, crc32 } from "node:zlib";

/** Returns a text that occurs only in the file or output that it names. */
export const secretOf = (name: string): string => `contents of ${name} stand here`;

/** An image of one pixel, which no release resizes. */
export const pixel: Uint8Array = onePixelPng();

/** The files of the managed session. */
export const managedFiles: Readonly<Record<string, string | Uint8Array>> = {
  "a.txt": `${secretOf("a.txt")}\nsecond line\n`,
  "docs/b.txt": `${secretOf("b.txt")}\n`,
  "p.png": pixel,
};

const call = (id: string, name: string, args: Readonly<Record<string, unknown>>) => ({
  id,
  name,
  arguments: args,
});

/** Returns the handle in the reference line that replaces a tool call's result. */
export const handleOf = (request: WireRequest, callId: string): string => {
  const text = request.messages.find((message) => message.toolCallId === callId)?.text ?? "";
  const handle = /^\[(t\d+) /u.exec(text)?.[1];
  if (handle === undefined) throw new Error(`there is no handle in ${JSON.stringify(text)}`);
  return handle;
};

/** Returns the handle of a file from its line among the known objects. */
export const fileHandle = (request: WireRequest, path: string): string => {
  const pool = request.messages.find((message) => message.text.startsWith("Known objects"));
  const line = pool?.text.split("\n").find((one) => one.split(" ")[1] === path);
  const handle = line?.split(" ")[0];
  if (handle === undefined) throw new Error(`no line of the pool names ${path}`);
  return handle;
};

/**
 * The model of a managed session. It reads, pins, deactivates, works until the window has moved on, and activates. It
 * takes handles only from requests.
 */
export const managedScript: readonly (Reply | Responder)[] = [
  {
    type: "tool-calls",
    text: "I look around.",
    reasoning: "Two things at once.",
    calls: [
      call("call_a", "read", { path: "a.txt" }),
      // The files of parallel tool calls become known in the order in which the calls end.
      call("call_b", "bash", { command: "sleep 0.2; cat docs/b.txt; echo v1.2.3 3.14s" }),
    ],
  },
  { type: "tool-calls", calls: [call("call_p", "read", { path: "p.png" })] },
  (request) => ({
    type: "tool-calls",
    calls: [
      call("call_pin", "pin", { id: handleOf(request, "call_b") }),
      call("call_off", "deactivate", { id: fileHandle(request, "a.txt") }),
      call("call_bad", "activate", { id: "f999" }),
    ],
  }),
  {
    type: "tool-calls",
    calls: [1, 2, 3, 4, 5, 6].map((n) =>
      call(`call_w${n}`, "bash", { command: `echo ${secretOf(`w${n}`)}` }),
    ),
  },
  (request) => ({
    type: "tool-calls",
    calls: [call("call_on", "activate", { id: fileHandle(request, "a.txt") })],
  }),
  { type: "text", text: "All done." },
];

function onePixelPng(): Uint8Array {
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(Buffer.from([0, 200, 30, 30]))),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}
