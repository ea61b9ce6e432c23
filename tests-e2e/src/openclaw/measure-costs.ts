// What does managed context save in OpenClaw, and what does it cost between two calls?
//
// Two gateways, one with the plugin, run the same work with a scripted model of this process, whose server bills by the
// rules of a prompt cache. Run it by hand:
//
//   npm run dev -- exec pnpm --filter @self-context-manager/tests-e2e openclaw-costs
import { keepMeasured, rounded } from "../measured.ts";
import { costOf, longFiles, longWork } from "./long-work.ts";
import { type PlayedGateway, playedGateway, type PlayedStep } from "./played-gateway.ts";

/** A session: its turns, each with the model's steps. */
type Work = readonly (readonly [prompt: string, steps: readonly PlayedStep[]])[];

const works: Readonly<Record<string, Work>> = {
  "one turn of 91 calls, and two more turns": [
    ["work", longWork],
    ["look again", longWork.slice(0, 3)],
    ["and now", []],
  ],
  "20 turns of 4 calls": Array.from({ length: 20 }, (_, turn) => [
    `turn ${turn}`,
    longWork.slice(turn * 3, turn * 3 + 3),
  ]),
  "3 turns with one file and one command": [
    ["look", longWork.slice(0, 1)],
    ["and this", [[["exec", { command: "ls" }]]]],
    ["thanks", []],
  ],
};

await using managed = await playedGateway({ files: longFiles, plugin: {} });
await using plain = await playedGateway({ files: longFiles });

const measured: Record<string, object> = {};
for (const [index, [name, work]] of Object.entries(works).entries()) {
  const session = `agent:main:costs${index}`;
  const [managedRun, plainRun] = [
    await run(managed, work, session),
    await run(plain, work, session),
  ];
  measured[name] = {
    calls: managedRun.calls,
    managed: rounded(managedRun.cost),
    plain: rounded(plainRun.cost),
    ratio: rounded(managedRun.cost / plainRun.cost),
    largestPrompt: { managed: managedRun.largest, plain: plainRun.largest },
    secondsOfRun: { managed: rounded(managedRun.seconds), plain: rounded(plainRun.seconds) },
  };
  console.log(name, measured[name]);
}
keepMeasured("openclaw-costs", measured);

interface Run {
  readonly calls: number;
  /** Tokens of uncached input. */
  readonly cost: number;
  /** Tokens of the largest prompt. */
  readonly largest: number;
  readonly seconds: number;
}

async function run(played: PlayedGateway, work: Work, session: string): Promise<Run> {
  const begun = performance.now();
  for (const [prompt, steps] of work) await played.turn(prompt, steps, session);
  const seconds = (performance.now() - begun) / 1000;
  const requests = played.requestsOf(session);
  const sizes = requests.map(({ bill }) => bill.read + bill.written + bill.input);
  return {
    calls: requests.length,
    cost: costOf(played, session),
    largest: Math.max(...sizes),
    seconds,
  };
}
