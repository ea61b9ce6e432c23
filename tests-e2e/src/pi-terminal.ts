import { spawn, spawnSync } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";

import { type PiLaunchOptions, sessionArguments, signalGroup } from "./pi-process.ts";
import { piInstallation } from "./pi-versions.ts";

/** Pi in a terminal, with simulated key presses. */
export interface PiTerminal extends AsyncDisposable {
  /** Presses keys one after another, as a terminal sends them. */
  press(keys: string): void;
  /**
   * Types a line key by key, each after the terminal has shown the one before. `shows` finds what any of the keys made
   * the terminal show, because a terminal does not show again what has not changed. Resolves when nothing more is shown:
   * Pi computes what it offers for a word after it has shown the word, and Tab before that completes the shorter word.
   */
  type(line: string): Promise<void>;
  /** Resolves once the terminal has shown a text since the last key press. Rejects after the deadline. */
  shows(text: string): Promise<void>;
  /** Moves up in a list until the marked line has this text. Rejects if none of the lines above has it. */
  moveUpTo(text: string): Promise<void>;
}

/** Keys that have names. */
export const key = { enter: "\r", tab: "\t", up: "\u001B[A", clearLine: "\u0015" } as const;

const deadlineMs = 120_000;

/** A terminal that has shown nothing for this time waits for the user. */
const quietMs = 150;

/** Whether the machine can provide a terminal, which needs the `script` command of util-linux. */
export const hasTerminal: boolean =
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;

/** Starts Pi as a user does, in a pseudo-terminal of 100 columns and 40 rows. */
export const openPiTerminal = (options: PiLaunchOptions): PiTerminal => {
  const { workspace } = options;
  const pi = [
    options.node ?? process.execPath,
    piInstallation(options.pi).cli,
    ...sessionArguments(options),
  ];
  const command = `stty cols 100 rows 40; exec ${pi.map(quoted).join(" ")}`;
  const child = spawn("script", ["-qfec", command, "/dev/null"], {
    cwd: workspace.workFolder,
    detached: true,
    env: { ...workspace.environment, TERM: "xterm-256color", ...options.environment },
    stdio: "pipe",
  });
  child.stdin.on("error", () => undefined); // A terminal that has just ended takes no keys.
  const watchers = new Set<() => void>();
  let screen = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      screen += piece;
      for (const watcher of watchers) watcher();
    });
  }
  const press = (keys: string): void => {
    screen = "";
    child.stdin.write(keys);
  };
  const shows = async (text: string): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = (): void =>
      stripVTControlCharacters(screen).includes(text) ? resolve() : undefined;
    const timer = globalThis.setTimeout(() => {
      const last = stripVTControlCharacters(screen).slice(-1_500);
      reject(new Error(`Pi ${options.pi.version} did not show ${text}, but: ${last}`));
    }, deadlineMs);
    watchers.add(look);
    look();
    await promise.finally(() => {
      clearTimeout(timer);
      watchers.delete(look);
    });
  };
  const isQuiet = async (): Promise<void> => {
    const end = Date.now() + deadlineMs;
    for (let seen = ""; seen !== screen && Date.now() < end;) {
      seen = screen;
      await setTimeout(quietMs);
    }
  };
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));

  return {
    press,
    shows,
    type: async (line) => {
      screen = "";
      for (let typed = 1; typed <= line.length; typed += 1) {
        child.stdin.write(line.slice(typed - 1, typed));
        await shows(line.slice(0, typed).trimEnd());
      }
      await isQuiet();
    },
    moveUpTo: async (text) => {
      for (let lines = 0; lines < 20; lines += 1) {
        press(key.up);
        await shows("› ");
        if (stripVTControlCharacters(screen).includes(`› • ${text}`)) return;
      }
      throw new Error(`Pi ${options.pi.version} has no line ${text}`);
    },
    [Symbol.asyncDispose]: async () => {
      signalGroup(child.pid, "SIGKILL");
      await closed;
    },
  };
};

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
