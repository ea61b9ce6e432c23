import { isObjectId } from "@self-context-manager/objects";
import type { ContextSession } from "../session/context-session.ts";

/**
 * Activates the contents that left the view when the last epoch ended, reports those that cannot be activated, and has the
 * next view show what was folded then. For the arguments of a tool call, the files that it wrote are activated, because they hold the content.
 */
export async function restoreEpoch(
  session: ContextSession,
  left: readonly string[],
): Promise<string> {
  if (left.length === 0) return "No content left the view when the last epoch ended.";
  const turns = await session.unfold(left);
  const { objects } = await session.status();
  const targets = new Set(left.flatMap((key) => targetsOf(key, objects)));
  const known = new Map(objects.map(({ handle, stored }) => [stored.body.id as string, handle]));
  const done: string[] = [];
  const failed: string[] = [];
  for (const target of targets) {
    const answer = await session.activate(target);
    if (answer.ok) done.push(known.get(target) ?? target);
    else failed.push(answer.text);
  }
  const count = done.length === 1 ? "1 object is" : `${done.length} objects are`;
  return [
    `${count} active again${done.length === 0 ? "" : `: ${done.join(", ")}`}.`,
    ...(turns.length === 0 ? [] : [`The next view shows what was folded of ${turnNames(turns)}.`]),
    ...failed,
  ].join("\n");
}

function turnNames(turns: readonly number[]): string {
  return turns.length === 1 ? `turn ${turns.join()}` : `turns ${turns.join(", ")}`;
}

type Objects = Awaited<ReturnType<ContextSession["status"]>>["objects"];

function targetsOf(key: string, objects: Objects): readonly string[] {
  const [handle = "", part] = key.split("/");
  const call = objects.find((object) => object.handle === handle)?.stored.body;
  // A report says what was true at its call.
  if (part === undefined) return call?.["context_tool"] === true ? [] : [handle];
  const files: unknown = call?.["file_refs"];
  if (!Array.isArray(files)) return [];
  return files.flatMap((file: unknown) => {
    const id = typeof file === "object" && file !== null && "id" in file ? file.id : undefined;
    return typeof id === "string" && isObjectId(id) ? [id] : [];
  });
}
