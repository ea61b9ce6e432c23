export { type CliInput, type CliOutput, runCli } from "./cli.ts";
