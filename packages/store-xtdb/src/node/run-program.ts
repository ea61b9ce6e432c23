import { spawn } from "node:child_process";

/** The exit code and the output of a program that has ended. */
export interface ProgramOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunProgramOptions {
  readonly folder?: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a program to its end. Returns undefined if the program does not exist. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { folder, environment, signal }: RunProgramOptions = {},
): Promise<ProgramOutcome | undefined> {
  return await new Promise((done, fail) => {
    const child = spawn(command, [...args], {
      cwd: folder,
      env: environment ?? process.env,
      stdio: ["ignore", "pipe", "pipe"],
      signal,
      // On Windows, Maven is a batch file, which only a shell runs.
      shell: process.platform === "win32" && !command.endsWith(".exe"),
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.on("error", (error) => {
      if ("code" in error && error.code === "ENOENT") done(undefined);
      else fail(error);
    });
    child.on("close", (code) => done({ code, stdout, stderr }));
  });
}

/** Returns the last lines of a text, for an error message. Default: 15 lines. */
export function lastLines(text: string, count = 15): string {
  return text.trimEnd().split("\n").slice(-count).join("\n");
}
