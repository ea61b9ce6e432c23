import type { ForgetPlan } from "@self-context-manager/core/forget";

import type { CommandCall } from "../command.ts";
import { counted } from "../format/amounts.ts";
import { jsonText } from "../format/json.ts";
import { objectName } from "../format/object-name.ts";
import { right, table } from "../format/table.ts";
import { visible } from "../format/terminal-text.ts";
import type { Elsewhere } from "./elsewhere.ts";

/** Objects that the list shows; the others are counted. */
const mostListed = 40;

export function versionsOf({ objects }: ForgetPlan): number {
  return objects.reduce((count, { versions }) => count + versions.length, 0);
}

/** Returns the list of what will go, for people. */
export function shown(
  call: CommandCall,
  plan: ForgetPlan,
  left: Elsewhere,
  onlyMarks: number,
): string {
  if (onlyMarks > 0)
    return `No version has it. The file of secrets beside the store has the bytes of ${counted(onlyMarks, "secret")}.\n${elsewhereText(left)}`;
  if (plan.objects.length === 0) return `Nothing of it is in the store.\n${elsewhereText(left)}`;
  const rows = plan.objects
    .slice(0, mostListed)
    .map(({ stored: { body, version }, versions, isWhole }) => [
      visible(body.id),
      body.type,
      `${versions.length} of ${version}`,
      isWhole ? "whole" : "texts",
      objectName(body, call.folder),
    ]);
  const rest = plan.objects.length - rows.length;
  const texts = plan.texts.slice(0, mostListed).map((text) => `  ${beginningOf(text)}`);
  const more = plan.texts.length - texts.length;
  const sessions = plan.sessions.map(({ body }) => `  ${objectName(body, call.folder)}`);
  return [
    ...(texts.length === 0
      ? []
      : [
          `${counted(plan.texts.length, "text")} match:`,
          ...texts,
          ...(more > 0 ? [`  and ${more} more`] : []),
          "",
        ]),
    table(["ID", "TYPE", right("VERSIONS"), "WHAT", "NAME"], rows).trimEnd(),
    ...(rest > 0 ? [`and ${counted(rest, "more object")}`] : []),
    ...(sessions.length === 0
      ? []
      : ["", "Sessions that have them; their next calls show what is left:", ...sessions]),
    "",
    elsewhereText(left),
  ].join("\n");
}

function elsewhereText({ files, copies }: Elsewhere): string {
  const lines = [
    ...pathLines("Files outside of the store that still have it, and stay as they are:", files),
    ...pathLines(
      "Copies and exports beside the store, which stay as they are; delete those that you do not need:",
      copies,
    ),
  ];
  return lines.length === 0 ? "" : `${lines.slice(1).join("\n")}\n\n`;
}

function pathLines(title: string, paths: readonly string[]): readonly string[] {
  return paths.length === 0 ? [] : ["", title, ...paths.map((path) => `  ${visible(path)}`)];
}

/** The beginning of a text, by which its owner knows it. */
function beginningOf(text: string): string {
  if (text.startsWith("[secret: ")) return text;
  return `${visible(text.slice(0, Math.min(4, Math.floor(text.length / 4))))}… (${counted(text.length, "character")})`;
}

/** Returns the list for programs. */
export function asJson(
  plan: ForgetPlan,
  { files, copies }: Elsewhere,
  isForgotten: boolean,
  reason: string,
): string {
  return jsonText({
    forgotten: isForgotten,
    reason,
    texts: plan.texts.length,
    objects: plan.objects.map(({ stored, versions, isWhole }) => ({
      id: stored.body.id,
      type: stored.body.type,
      versions: [...versions],
      whole: isWhole,
    })),
    sessions: plan.sessions.map(({ body }) => body.id),
    files_outside: [...files],
    copies_of_store: [...copies],
  });
}
