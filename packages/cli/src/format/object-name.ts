import { type ObjectBody, type ObjectMetadata, presenceOf } from "@self-context-manager/objects";

import { isAbsolute, relative, sep } from "node:path";

import { visible } from "./terminal-text.ts";

/** The name of an object for a person: its nickname in brackets, then its path, tool call, session, the turn and the short text of a summary, or its origin. */
export function objectName(body: ObjectBody | ObjectMetadata, folder: string): string {
  const nickname = body.nickname === undefined ? "" : `[${body.nickname}] `;
  return visible(`${nickname}${ownName(body, folder)}`);
}

function ownName(body: ObjectBody | ObjectMetadata, folder: string): string {
  if (body.type === "session")
    return `${stringOrEmpty(body["harness"])} ${stringOrEmpty(body["session_id"])}`;
  if (body.type === "summary")
    return `turn ${Number(body["turn"])}: ${stringOrEmpty(body["short_summary"])}`;
  const { origin } = body.provenance;
  if (["system_prompt", "chat", "user"].includes(body.type)) return origin;
  const path = body["path"] ?? (body.type === "toolcall" ? undefined : origin);
  return typeof path === "string" ? fromFolder(path, folder) : stringOrEmpty(body["args_display"]);
}

/** The shortest form of a path: relative inside the folder, else absolute. */
function fromFolder(path: string, folder: string): string {
  if (!isAbsolute(path)) return path;
  const inside = relative(folder, path);
  const leadsOut = inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return leadsOut || inside === "" ? path : inside;
}

/** The status of an object: why a file has no content, or how a tool call ended; empty for a file with content. */
export function objectStatus(body: ObjectBody | ObjectMetadata): string {
  if (body.type === "toolcall") return stringOrEmpty(body["status"]);
  const presence = presenceOf(body);
  return presence === "present" ? "" : presence.replace("_", "-");
}

function stringOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}
