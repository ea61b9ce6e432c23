import {
  configFromEnvironment,
  isNodeUrl,
  type XtdbNode,
  xtdbNode,
} from "@self-context-manager/compose";
import { resolve } from "node:path";

import { UsageError } from "../cli-errors.ts";
import { type Command, type CommandCall, jsonOption } from "../command.ts";
import { shortCount } from "../format/amounts.ts";
import { jsonText } from "../format/json.ts";
import { runXtdbQuery } from "./xtdb-query.ts";

/** What can be done with the node, by the word for it, and how many words follow. */
const actions: Readonly<
  Record<string, { readonly files: 0 | 1; run(node: XtdbNode, call: CommandCall): Promise<void> }>
> = {
  start: { files: 0, run: start },
  stop: { files: 0, run: stop },
  status: { files: 0, run: status },
  backup: { files: 1, run: backup },
  restore: { files: 1, run: restore },
};

export const xtdbCommand: Command = {
  name: "xtdb",
  summary: "start, stop, look at, back up or restore this machine's XTDB node; ask a store in XTDB",
  arguments: "ACTION [FILE | QUERY ...]",
  argumentCount: { least: 1, most: 20 },
  options: {
    port: {
      type: "string",
      value: "N",
      help: "with start: the port to listen on; default: a free one",
    },
    ...jsonOption,
  },
  notes: `The actions:
  start         start the node unless it runs, and keep it running until stop
  stop          stop the node, whoever uses it
  status        say whether it runs, where, and who uses it
  backup FILE   copy all data into FILE, which must not be there yet; the node may run
  restore FILE  fill a data folder that has no data from such a FILE
  query EDN ... ask the store in Datalog, with a value for each of the :in; needs --store xtdb unless
                $SCM_STORE_KIND says it, and prints a row a line as JSON

The node's data lie in a folder: --at, or $SCM_STORE where $SCM_STORE_KIND is xtdb, or the folder xtdb
where the user's stores are. An agent that uses the store starts the node by itself; it stops when
the last has left, unless it was started here. It needs Java 17 or newer, and Maven once.`,
  async run(call) {
    const [name = "", ...files] = call.arguments;
    if (name === "query") return await runXtdbQuery(call, files);
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) {
      throw new UsageError(
        `there is no action ${JSON.stringify(name)}; there are ${[...Object.keys(actions), "query"].join(", ")}`,
      );
    }
    if (files.length !== action.files) {
      throw new UsageError(
        `${name} takes ${action.files === 0 ? "no file" : "one file"}; got ${files.length === 0 ? "none" : files.join(", ")}`,
      );
    }
    await action.run(xtdbNode(dataFolder(call)), call);
  },
};

function dataFolder(call: CommandCall): string {
  const given = call.text("at");
  // Without the kind, $SCM_STORE is another store's path.
  const { SCM_STORE, ...others } = call.environment;
  const environment =
    others["SCM_STORE_KIND"] === "xtdb"
      ? { ...others, SCM_STORE }
      : { ...others, SCM_STORE_KIND: "xtdb" };
  const place = given ?? configFromEnvironment(environment).at;
  if (isNodeUrl(place)) {
    throw new UsageError(
      `${place} is a node that somebody else runs; name the data folder of one of this machine with --at`,
    );
  }
  return resolve(call.folder, place);
}

async function start(node: XtdbNode, call: CommandCall): Promise<void> {
  const port = portOf(call);
  const { url, pid } = await node.start({
    ...(port === undefined ? {} : { port }),
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
  call.note(stopped ? "stopped" : "no node ran");
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
          ["stays", found.kept ? "until it is stopped" : "while somebody uses it"],
        ]),
  ].filter(([, value]) => value !== undefined);
  await call.print(lines.map(([name, value]) => `${String(name).padEnd(12)}${value}\n`).join(""));
}

async function backup(node: XtdbNode, call: CommandCall): Promise<void> {
  const file = resolve(call.folder, call.arguments[1] ?? "");
  await node.backup(file);
  call.note(`backed up to ${file}`);
}

async function restore(node: XtdbNode, call: CommandCall): Promise<void> {
  const file = resolve(call.folder, call.arguments[1] ?? "");
  await node.restore(file);
  call.note(`restored from ${file}`);
}
