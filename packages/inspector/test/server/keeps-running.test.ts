import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";

import { partsOf } from "./client.ts";

const from = (path: string): string => new URL(path, import.meta.url).href;

/** A program that opens an inspector, and that has nothing more to do once it reads `end`. */
const program = `
const { openInspector } = await import(${JSON.stringify(from("../../src/server/open-inspector.ts"))});
const { memoryStore } = await import(${JSON.stringify(from("../../../store-memory/src/memory-store.ts"))});
const inspector = await openInspector({
  store: memoryStore(),
  layouts: [],
  place: "memory",
  kind: "memory",
  files: { script: "", style: "" },
  keepsRunning: false,
});
console.log(inspector.url);
process.stdin.once("data", () => process.stdin.destroy());
`;

it("ends with its program although a page follows the store", async () => {
  const child = spawn(
    process.execPath,
    ["--conditions=@self-context-manager/source", "--input-type=module", "--eval", program],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const ended = once(child, "exit");
  const { value: url } = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  const { port, token } = partsOf(String(url));
  const asked = request({
    host: "127.0.0.1",
    port,
    path: "/api/changes",
    headers: { "x-scm-token": token },
  });
  asked.on("error", () => undefined).end();
  const [response] = await once(asked, "response");
  response.on("error", () => undefined).resume();

  child.stdin.end("end\n");
  const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
  const [code] = await ended;
  clearTimeout(timer);

  expect(code).toBe(0);
});
