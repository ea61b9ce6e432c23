import { setTimeout as delay } from "node:timers/promises";

import type { PlayedGateway, PlayedStep } from "./played-gateway.ts";

/** A text of so many characters that names itself in each line. */
function textOf(name: string, characters: number): string {
  const line = (index: number): string =>
    `${name} line ${index} with some words in it and a few more\n`;
  return Array.from({ length: Math.ceil(characters / 40) }, (_, index) => line(index))
    .join("")
    .slice(0, characters);
}

/** Characters of a file that a short turn reads. */
const readCharacters = 6_144;

/** The files of a session whose turns read one each. */
export function readFiles(turns: number): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from({ length: turns }, (_, index) => [
      `n${index}.txt`,
      textOf(`file${index}`, readCharacters),
    ]),
  );
}

/** What went wrong in the work of a gateway. */
export interface Trouble {
  /** Turns that the gateway did not finish. */
  lost: number;
  /** How often its process ended by a failure of its own. The user then starts it and sends the prompt again. */
  crashes: number;
}

/** Plays a turn or other work, and again if the gateway's process ends meanwhile. Adds to the trouble what went wrong. */
async function playTurn(
  played: PlayedGateway,
  trouble: Trouble,
  turn: () => Promise<unknown>,
): Promise<void> {
  await turn().catch(async (error: unknown) => {
    if (!(error instanceof TypeError)) {
      trouble.lost += 1;
      return;
    }
    trouble.crashes += 1;
    await played.gateway.stop();
    await played.gateway.start();
    await turn().catch(() => (trouble.lost += 1));
  });
}

/** Plays turns, by default such that read one file each. */
export async function playTurns(
  played: PlayedGateway,
  turns: number,
  stepsOfTurn = (turn: number): readonly PlayedStep[] => [[["read", { path: `n${turn}.txt` }]]],
): Promise<Trouble> {
  const trouble = { lost: 0, crashes: 0 };
  for (let index = 0; index < turns; index += 1) {
    const text = `please look at number ${index}`;
    const turn = async (): Promise<unknown> => await played.turn(text, stepsOfTurn(index));
    await playTurn(played, trouble, turn);
  }
  return trouble;
}

/** The steps of a turn that reads, runs a command that succeeds or fails, or writes a file, which a later turn reads and writes. */
export function mixedSteps(turn: number): readonly PlayedStep[] {
  const read: PlayedStep = [["read", { path: `n${turn}.txt` }]];
  const name = `w${Math.floor(turn / 5) % 8}.txt`;
  const write: PlayedStep = [["write", { path: name, content: textOf(`w${turn}`, 2000) }]];
  const kinds: readonly (readonly PlayedStep[])[] = [
    [read],
    [read, [["exec", { command: `seq ${turn * 100} ${turn * 100 + 400}` }]]],
    [write],
    [[["read", { path: name }]], write],
    [[["exec", { command: `cat missing${turn}.txt` }]], read],
  ];
  return kinds[turn % kinds.length] ?? [];
}

/** The 62 calls of a long turn: two thirds read, the others write. */
export const longTurn: readonly PlayedStep[] = Array.from({ length: 62 }, (_, index): PlayedStep =>
  index % 3 === 2
    ? [["write", { path: `w${index}.txt`, content: textOf(`note${index}`, 3000) }]]
    : [["read", { path: `n${index}.txt` }]],
);

/** Plays the long turn, and three turns of two calls. */
export async function playLongTurn(played: PlayedGateway, session?: string): Promise<void> {
  await played.turn("do the long work", longTurn, session);
  for (const index of [70, 71, 72])
    await played.turn(
      `and number ${index}`,
      [[["read", { path: `n${index}.txt` }]], [["exec", { command: `wc n${index}.txt` }]]],
      session,
    );
}

/** The files of a week. */
export const weekFiles: Readonly<Record<string, string>> = readFiles(60);

/** Days of the week, and turns of a day. */
const days = 5;
const turnsOfDay = 120;

/**
 * Plays a week of a gateway's main session: 600 turns in five days. A day begins with an event of the system and ends with a
 * reset. In each one the usual model fails for a turn and the gateway is restarted, and in three a sub-agent works.
 */
export async function playWeek(played: PlayedGateway): Promise<Trouble> {
  const trouble = { lost: 0, crashes: 0 };
  for (let day = 0; day < days; day += 1) {
    const before = played.requestsOf(mainSession).length;
    await played.gateway.run("system", "event", "--text", `day ${day} begins`, "--mode", "now");
    await until(() => played.requestsOf(mainSession).length > before);
    for (let turn = 0; turn < turnsOfDay; turn += 1) {
      const text = `day ${day}, work ${turn}`;
      await playTurn(
        played,
        trouble,
        async () => await played.turn(text, stepsOf(day, turn), mainSession),
      );
      if (turn === 30 && day % 2 === 0) await until(() => played.sessions().length > day / 2 + 1);
      if (turn === 60) {
        await played.gateway.stop();
        await played.gateway.start();
      }
    }
    await playTurn(
      played,
      trouble,
      async () => await played.gateway.call("sessions.reset", { key: mainSession }),
    );
  }
  return trouble;
}

/** The session of a gateway's main agent. */
export const mainSession = "agent:main:main";

function stepsOf(day: number, turn: number): readonly PlayedStep[] {
  const read: PlayedStep = [["read", { path: `n${(day * 7 + turn) % 60}.txt` }]];
  if (turn === 30 && day % 2 === 0)
    return [[["sessions_spawn", { task: "Say hello.", context: "isolated" }]], read];
  if (turn === 90) return [failing, read];
  if (turn % 3 === 1)
    return [read, [["exec", { command: `seq ${turn * 100} ${turn * 100 + 400}` }]]];
  if (turn % 3 === 2)
    return [[["write", { path: `w${turn % 10}.txt`, content: textOf(`w${day}.${turn}`, 2000) }]]];
  return [read];
}

/** The usual model is gone for a moment. */
const failing: PlayedStep = () => ({
  type: "error",
  status: 404,
  message: "The model mock-1 does not exist",
});

/** Waits until something holds. Rejects after two minutes. */
async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error("the gateway did not do it in two minutes");
    await delay(200);
  }
}
