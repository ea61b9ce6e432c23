import { runCli } from "./cli.ts";

// The write that meets a closed pipe rejects; without a listener the event would end the process here.
process.stdout.on("error", () => {});
// Standard error is closed, so there is nowhere to report that it cannot be written.
process.stderr.on("error", () => {});

process.exitCode = await runCli(process.argv.slice(2), {
  stdout: async (text) =>
    await new Promise<void>((done, fail) => {
      process.stdout.write(text, (error) => (error ? fail(error) : done()));
    }),
  stderr: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY,
  stdoutIsTerminal: process.stdout.isTTY,
});
