import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// Plays a node that is killed at a certain request: `mortal-node.ts FATE CONFIG`.
const [, , fate = "", config = ""] = process.argv;
const text = readFileSync(config, "utf8");
const settingOf = (name: string): string =>
  new RegExp(`:${name} ("(?:[^"\\\\]|\\\\.)*")`, "u").exec(text)?.[1] ?? '""';
const runFile = JSON.parse(settingOf("run-file")) as string;
const instance = JSON.parse(settingOf("instance")) as string;

const server = createServer((request, answer) => {
  const path = request.url?.split("?")[0] ?? "";
  if (path.endsWith(fate.replace("killed-at-", "/"))) process.kill(process.pid, "SIGKILL");
  answer.writeHead(200, { "content-type": "application/json" });
  answer.end(path === "/_scm/node" ? JSON.stringify(facts()) : "{}");
});
server.listen(0, "127.0.0.1", () => {
  writeFileSync(`${runFile}.partial`, JSON.stringify(facts()));
  renameSync(`${runFile}.partial`, runFile);
});

function facts(): { readonly url: string; readonly pid: number; readonly instance: string } {
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, pid: process.pid, instance };
}
