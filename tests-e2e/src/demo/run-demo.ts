import { pricesOf } from "../caching/priced-run.ts";
import type { DemoHost } from "./demo-host.ts";
import { billLines, callHeader, callLine } from "./demo-report.ts";
import { runDemoSession } from "./demo-session.ts";
import { beginStore, type DemoPlace } from "./demo-store.ts";

export interface DemoOptions extends DemoPlace {
  readonly host: DemoHost;
  readonly print: (line: string) => void;
}

const prices = pricesOf.anthropic;

/**
 * Runs one session of a host twice, plain and with managed context. It uses the host's own tools on a real folder, and
 * a store on SQLite or XTDB. A scripted model answers from a loopback server, which bills by the rules of a prompt
 * cache.
 */
export async function runDemo(options: DemoOptions): Promise<void> {
  const { host, print } = options;
  await using store = await beginStore(options, print);
  const { environment } = store;
  print(
    `${host.name} ${host.version} works on a small project, with a scripted model on a loopback server.`,
  );
  print(
    `The session runs first in plain ${host.name}, which is not shown, and then with managed context.`,
  );
  print(host.waits === undefined ? "" : `${host.waits}\n`);

  const plain = await runDemoSession({ host, environment, isManaged: false });
  const byMove = new Map(plain.moves.map((move, index) => [move, plain.billed[index]] as const));
  print(callHeader(host));
  const managed = await runDemoSession({
    host,
    environment,
    isManaged: true,
    onPrompt: (prompt) => print(`\nuser: ${prompt}`),
    onCall: ({ number, move, billed, status, reply }) => {
      const report = { number, managed: billed, plain: byMove.get(move), status };
      print(callLine(host, report, reply, prices));
    },
  });
  print("");
  for (const line of billLines(host, managed.billed, plain.billed, prices)) print(line);
  print(
    `\nThe output of the ${host.part}'s command ${host.command}. Its bill is the same as above; the ${host.part} does not know that of plain ${host.name}, and estimates it:`,
  );
  for (const line of managed.figures) print(`  ${line}`);
  print(store.closing);
}
