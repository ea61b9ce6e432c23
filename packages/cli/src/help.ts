import { environmentVariables } from "@self-context-manager/compose";

import { type Command, type CommandOptions, commonOptions } from "./command.ts";

/** The help text of `scm` itself. */
export function generalHelp(commands: readonly Command[]): string {
  return `Usage: scm COMMAND [options]

Inspects a self-context-manager store.

Commands:
${rows(commands.map(({ name, summary }) => [name, summary]))}

Options:
${rows([
  ["-h, --help", "print this text; after a command, the help of the command"],
  ["    --version", "print the version"],
])}

Environment:
${rows(Object.entries(environmentVariables))}

Exit codes: 0 success, 1 failure, 2 wrong usage, or an answer that is not complete.
`;
}

/** The help text of a command. */
export function commandHelp(command: Command): string {
  const notes = command.notes === undefined ? "" : `\n${command.notes}\n`;
  return `${usageLine(command)}

${command.summary[0]?.toUpperCase()}${command.summary.slice(1)}.
${notes}
Options:
${rows(optionRows({ ...command.options, ...commonOptions(command) }))}
`;
}

export function usageLine(command: Command): string {
  return `Usage: scm ${[command.name, command.arguments, "[options]"].filter((part) => part !== "").join(" ")}`;
}

function optionRows(options: CommandOptions): readonly (readonly [string, string])[] {
  return Object.entries(options).map(([name, { short, value, help }]) => {
    const shortForm = short === undefined ? "    " : `-${short}, `;
    return [`${shortForm}--${name}${value === undefined ? "" : ` ${value}`}`, help];
  });
}

function rows(entries: readonly (readonly [string, string])[]): string {
  const width = Math.max(...entries.map(([left]) => left.length));
  return entries.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}
