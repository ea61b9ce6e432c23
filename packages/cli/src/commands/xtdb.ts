import {
  configFromEnvironment,
  isNodeUrl,
  type XtdbNode,
  xtdbNode,
} from "@self-context-manager/compose";
import { defined } from "@self-context-manager/objects";
import { resolve } from "node:path";

import { UsageError } from "../cli-errors.ts";
import { type Command, type CommandCall, jsonOption } from "../command.ts";
import { shortCount } from "../format/amounts.ts";
import { jsonText } from "../format/json.ts";
import { runXtdbQuery } from "./xtdb-query.ts";

/** The actions by name, except `query`. */
const actions: Readonly<Record<string, (call: CommandCall) => Promise<void>>> = {
  start: onNode(start),
  stop: onNode(stop),
  status: onNode(status),
};

function onNode(
  run: (node: XtdbNode, call: CommandCall) => Promise<void>,
): (call: CommandCall) => Promise<void> {
  return async (call) => await run(xtdbNode(dataFolder(call)), call);
}

export const xtdbCommand: Command = {
  name: "xtdb",
  summary: "start, stop or inspect this machine's XTDB node; query a store in XTDB",
  arguments: "ACTION [QUERY ...]",
  argumentCount: { least: 1, most: 20 },
  options: {
    port: { value: "N", help: "with start: the port to listen on; default: a free one" },
    "as-of": {
      value: "STATE",
      help: "with query: after a transaction (tx:812), or at a time (2026-01-31T09:00:00Z)",
    },
    ...jsonOption,
  },
  notes: `The actions:
  start         start the node if it does not run, and keep it running until stop
  stop          stop the node, even if processes use it
  status        show whether the node runs, where, and which processes use it
  query EDN ... query the store in Datalog, with a value for each variable of :in; prints each row as
                a line of JSON; needs --store xtdb if $SCM_STORE_KIND is not xtdb

The node's data is in a folder: --at, or $SCM_STORE if $SCM_STORE_KIND is xtdb, or the folder xtdb
beside the user's default store. An agent that uses the store starts the node by itself. The node
stops after the last process that uses it, except if scm xtdb start has started it. It needs Java 17
or newer, and Maven once. Each request to a node needs its token: that of $SCM_XTDB_TOKEN at the start,
else a random one, in the file token of the data folder. Commands that name the folder find it there.`,
  async run(call) {
    const [name = "", ...others] = call.arguments;
    if (name === "query") return await runXtdbQuery(call, others);
    if (call.text("as-of") !== undefined)
      throw new UsageError("--as-of is an option of query; the other actions have no use for it");
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) {
      throw new UsageError(
        `there is no action ${JSON.stringify(name)}; the actions are ${[...Object.keys(actions), "query"].join(", ")}`,
      );
    }
    if (others.length > 0)
      throw new UsageError(`${name} takes no further argument; got ${others.join(", ")}`);
    await action(call);
  },
};

function dataFolder(call: CommandCall): string {
  const given = call.text("at");
  // Unless the kind is xtdb, $SCM_STORE is the path of another store.
  const { SCM_STORE, ...others } = call.environment;
  const environment =
    others["SCM_STORE_KIND"] === "xtdb"
      ? { ...others, SCM_STORE }
      : { ...others, SCM_STORE_KIND: "xtdb" };
  const place = given ?? configFromEnvironment(environment).at;
  if (isNodeUrl(place)) {
    throw new UsageError(
      `${place} is the URL of a node that runs elsewhere; name the data folder of a node on this machine with --at`,
    );
  }
  return resolve(call.folder, place);
}

async function start(node: XtdbNode, call: CommandCall): Promise<void> {
  const port = portOf(call);
  const { token } = configFromEnvironment(call.environment).xtdb;
  const { url, pid } = await node.start({
    ...defined({ port, token }),
    progress: (line) => call.note(`${line} …`),
  });
  await call.print(call.isSet("json") ? jsonText({ url, pid }) : `${url}\n`);
}

function portOf(call: CommandCall): number | undefined {
  const given = call.text("port");
  if (given === undefined) return undefined;
  const port = /^\d{1,5}$/u.test(given) ? Number(given) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new UsageError(`--port is ${JSON.stringify(given)}; it must be a number from 1 to 65535`);
}

async function stop(node: XtdbNode, call: CommandCall): Promise<void> {
  const stopped = await node.stop();
  call.note(stopped ? "stopped" : "no node was running");
}

async function status(node: XtdbNode, call: CommandCall): Promise<void> {
  const found = await node.status();
  if (call.isSet("json")) {
    await call.print(jsonText(found));
    return;
  }
  const lines = [
    ["state", found.state],
    ["url", found.url],
    ["process", found.pid],
    ["data", found.dataFolder],
    ["engine", found.engine === undefined ? undefined : `XTDB ${found.engine} on ${found.storage}`],
    ["size", found.databaseBytes === undefined ? undefined : `${shortCount(found.databaseBytes)}B`],
    ["transaction", found.latestTransaction],
    ...(found.url === undefined
      ? []
      : [
          ["used by", found.users.length === 0 ? "nobody" : `process ${found.users.join(", ")}`],
          ["stays", found.kept ? "until it is stopped" : "while a process uses it"],
        ]),
  ].filter(([, value]) => value !== undefined);
  await call.print(lines.map(([name, value]) => `${String(name).padEnd(12)}${value}\n`).join(""));
}
