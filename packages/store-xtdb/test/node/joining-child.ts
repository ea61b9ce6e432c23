import { joinNode } from "../../src/node/index.ts";

// Joins the node of the given folder, prints its address and process id, and keeps running.
const { url, pid } = await joinNode({
  dataFolder: process.argv[2] ?? "",
  quick: true,
  linger: 500,
});
process.stdout.write(`${JSON.stringify({ url, pid })}\n`);
setInterval(() => {}, 60_000);
