import { presenceOf } from "@self-context-manager/objects";
import { noteOf } from "../render/object-note.ts";
import { shortName } from "../render/short-name.ts";
import type { ContextSession, ListedObject } from "../session/context-session.ts";
import { type ContextFigures, contextFigures, summaryLines } from "./context-figures.ts";
import { isActive, listedName, listedObjects } from "./listed-objects.ts";
import { restoreEpoch } from "./restore-epoch.ts";

/** The parts of an adapter that the user's command uses. */
export interface ContextSwitch {
  /** The host's name, for the user. */
  readonly host: string;
  /** The command's name in this host, without the slash. */
  readonly command: string;
  readonly isOn: () => boolean;
  readonly turn: (on: boolean) => Promise<string>;
  readonly session: () => Promise<ContextSession>;
  /** The cost of the calls so far and the figures of the next view; undefined while switched off. */
  readonly figures: () => Promise<ContextFigures | undefined>;
  /** Why the host's own messages are sent now; undefined if the views are. */
  readonly sendsOwn: () => string | undefined;
  /** Whether the user compacted the chat after the last call. The session knows it only with the next call. */
  readonly isCompacted: () => boolean;
  /**
   * Ingests the messages after the last request. Default: the session has them, because the host passes them at the end of a
   * turn.
   */
  readonly ingest?: () => Promise<void>;
  /** Opens the session in a browser's page, or names the command that does, and returns the text for the user. */
  readonly inspect: () => Promise<string>;
}

function usage({ command }: ContextSwitch): string {
  return [
    `/${command} lists the objects and their costs, /${command} list all also the oldest`,
    `/${command} inspect shows all calls and what they cost in a browser`,
    `/${command} restore activates the objects that left the view when the last epoch ended`,
    `/${command} archive closes the chat and begins a new one, with a line that names the archived chat`,
    `/${command} show HANDLE`,
    `/${command} activate|deactivate|pin|unpin HANDLE ...`,
    `/${command} activate HANDLE FROM TO`,
    `/${command} name HANDLE NICKNAME`,
    `/${command} note HANDLE TEXT`,
    `/${command} forget HANDLE ... and /${command} forget text TEXT list what goes for good; with yes at the end they forget it`,
    `/${command} share|unshare HANDLE ...`,
    `/${command} on|off`,
  ].join("; ");
}

const compactedSince =
  "The chat was compacted after the last call. Contents leave the view with the next call.";

/** Runs the user's command with its arguments and returns the text for the user. */
export async function contextCommand(args: string, host: ContextSwitch): Promise<string> {
  const [verb = "list", target = "", ...rest] = args.trim().split(/\s+/u).filter(Boolean);
  if (verb === "on" || verb === "off") return await host.turn(verb === "on");
  if (verb === "inspect") return await host.inspect();
  const changes = verb !== "list" && verb !== "show";
  if (changes && !host.isOn()) return `Managed context is off; /${host.command} on switches it on.`;
  if (verb === "list") {
    const session = await host.session();
    const why = host.sendsOwn();
    const isWhole = target === "all";
    if (why !== undefined) return `${why}\n${await list(session, host, { isWhole })}`;
    const text = await list(session, host, { figures: await host.figures(), isWhole });
    return host.isCompacted() ? `${text}\n${compactedSince} The list above is from before.` : text;
  }
  if (verb === "restore") {
    if (host.isCompacted()) return `${compactedSince} Run /${host.command} restore after it.`;
    return await restoreEpoch(await host.session(), (await host.figures())?.epoch?.left ?? []);
  }
  if (verb === "archive") {
    await host.ingest?.();
    return (await (await host.session()).archive()).text;
  }
  if (target === "") return usage(host);
  const session = await host.session();
  const words = [target, ...rest];
  switch (verb) {
    case "show":
      return await show(session, words.join(" "));
    case "activate":
      if (rest.some((one) => !/^\d+$/u.test(one)))
        return await each(words, async (name) => await session.activate(name));
      return await activateLines(session, words);
    case "deactivate":
    case "pin":
    case "unpin":
      return await each(words, async (name) => await session[verb](name));
    case "share":
    case "unshare":
      return await each(words, async (name) => await session.share(name, verb === "share"));
    case "name":
      return (await session.name(target, rest.join(" "))).text;
    case "forget":
      return await forget(session, words);
    case "note":
      return (await session.note(target, rest.join(" "))).text;
    default:
      return usage(host);
  }
}

/** Runs a verb on one object whose name has blanks, or else on several objects. Returns the answers, one a line. */
async function each(
  words: readonly string[],
  run: (name: string) => Promise<{ readonly ok: boolean; readonly text: string }>,
): Promise<string> {
  const whole = await run(words.join(" "));
  if (whole.ok || words.length === 1) return whole.text;
  const answers: string[] = [];
  for (const word of words) answers.push((await run(word)).text);
  return answers.join("\n");
}

/** Forgets objects, or a text, if the words end with yes; lists what would go otherwise. */
async function forget(session: ContextSession, given: readonly string[]): Promise<string> {
  const isConfirmed = given.length > 1 && given.at(-1)?.toLowerCase() === "yes";
  const words = isConfirmed ? given.slice(0, -1) : given;
  const isText = words.length > 1 && words[0] === "text";
  const wanted = isText ? { text: words.slice(1).join(" ") } : { targets: words };
  return (await session.forget({ ...wanted, isConfirmed })).text;
}

/** Activates lines of an object, or a whole one if the numbers are the end of its name: `Chapter 2`. */
async function activateLines(session: ContextSession, words: readonly string[]): Promise<string> {
  const [target = "", ...range] = words;
  const answer = await session.activate(target, lines(range));
  if (answer.ok || range.length === 0) return answer.text;
  const whole = await session.activate(words.join(" "));
  return (whole.ok ? whole : answer).text;
}

/** Reads the line range after a handle: `10 20` is from line 10 to line 20. */
function lines([from, to]: readonly string[]): { readonly from?: number; readonly to?: number } {
  return {
    ...(from === undefined ? {} : { from: Number(from) }),
    ...(to === undefined ? {} : { to: Number(to) }),
  };
}

/** Lines of objects that are listed at most, unless more objects are in view. */
const mostListed = 40;

async function list(
  session: ContextSession,
  { host, command }: ContextSwitch,
  {
    figures,
    isWhole,
  }: { readonly figures?: ContextFigures | undefined; readonly isWhole: boolean },
): Promise<string> {
  const { workspace } = session;
  const status = await session.status();
  const known = status.objects;
  const objects = listedObjects(known);
  if (objects.length === 0) return "No objects are known yet.";
  const inView = objects.filter((object) => isActive(object) || object.isInView).length;
  const shown = isWhole ? objects : objects.slice(0, Math.max(inView, mostListed));
  const title = `${objects.filter(isActive).length} of ${objects.length} known objects are active.`;
  const figureLines =
    figures === undefined
      ? []
      : [
          "",
          ...contextFigures(figures, { nameOf, host, command }),
          ...summaryLines(status.summaries, figures.summaryFailure),
        ];
  return [
    title,
    ...shown.map((object) => line(object, workspace)),
    ...leftOut(objects.length - shown.length, command),
    ...figureLines,
  ].join("\n");

  function nameOf(key: string): string {
    const handle = key.split("/")[0];
    const found = known.find((object) => object.handle === handle);
    return found === undefined ? key : `${key} ${shortName(workspace, found.stored.body)}`;
  }
}

function leftOut(count: number, command: string): readonly string[] {
  if (count === 0) return [];
  const more = count === 1 ? "1 more object is" : `${count} more objects are`;
  return [
    `${more} inactive. /${command} list all shows them too; /${command} show HANDLE shows one.`,
  ];
}

function line(object: ListedObject, workspace: string): string {
  const { handle, state, stored, isInView } = object;
  const name = listedName(object, workspace);
  const stays = state === "inactive" && isInView ? ", still in view" : "";
  return `${handle.padEnd(5)} ${state.padEnd(8)} ${name}  ${sizeOf(stored)}, v${stored.version}${stays}`;
}

/** Returns the size of an object for the user. The text of a file that was only named, or is not text, is not known. */
function sizeOf({ body }: ListedObject["stored"]): string {
  const presence = presenceOf(body);
  if (presence === "missing") return "deleted";
  if (presence === "present") {
    const part = body["kept_in_part"] === true ? " of a longer output, kept in part" : "";
    return `${Number(body["char_count"] ?? 0)} chars${part}`;
  }
  const { size } = body;
  const bytes = typeof size === "number" ? `${size} bytes` : "size not known";
  return `${bytes}, ${presence === "unread" ? "not read" : "not text"}`;
}

async function show(session: ContextSession, target: string): Promise<string> {
  const found = await session.inspect(target);
  if ("text" in found) return found.text;
  const { body, version, at } = found;
  const note = noteOf(body);
  return [
    `${shortName(session.workspace, body)} (${body.type} ${body.id}), version ${version} of ${at.tx_time}`,
    ...(note === undefined ? [] : [`Note: ${note}`]),
    body.content ?? "(no text content)",
  ].join("\n");
}
