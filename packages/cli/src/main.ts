import { runCli } from "./cli.ts";

// A closed pipe comes back from the write that met it; without a listener it would end the process here.
process.stdout.on("error", () => {});
// Nobody is left to be told that what is told on the side cannot be written.
process.stderr.on("error", () => {});

process.exitCode = await runCli(process.argv.slice(2), {
  stdout: async (text) =>
    await new Promise<void>((done, fail) => {
      process.stdout.write(text, (error) => (error ? fail(error) : done()));
    }),
  stderr: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY,
});
