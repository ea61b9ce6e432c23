export { runCli } from "./cli.ts";
export type { CliOutput } from "./cli.ts";
