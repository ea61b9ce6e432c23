import {
  type ContextSession,
  type HostSession,
  type Message,
  neutralCodec,
  readList,
  type SessionDependencies,
} from "@self-context-manager/core";
import {
  defined,
  missingFileBody,
  movedFileBody,
  type ObjectBody,
  type ObjectId,
  presenceOf,
  sealObject,
  type StoredMetadata,
} from "@self-context-manager/objects";

import { countedIds } from "../harness/driver/counted-ids.ts";
import { openTriedSession, type TriedPlace } from "../harness/driver/tried-session.ts";
import { memoryFolder, type MemoryFolder } from "../harness/scripted/memory-folder.ts";
import { type KnownObject, type KnownVersion, wordOf } from "./scope-model.ts";
import { folders, type LinkBy, type ScopeMove } from "./scope-move.ts";

/** A store with its indexes. */
export type ScopeStore = Required<Pick<SessionDependencies, "store" | "documents">>;

/** Opens a session of a history. */
export type OpenScopeSession = (place: TriedPlace, host: HostSession) => Promise<ContextSession>;

/** The usual way. */
export const openScopeSession: OpenScopeSession = async (place, host) =>
  await openTriedSession(place, "defaults", host);

/** The sessions, files and objects of a history. */
export interface ScopeWorld extends AsyncDisposable {
  readonly objects: readonly KnownObject[];
  /** The words of the history: of contents, prompts, paths and nicknames. */
  readonly words: readonly string[];
  /** Those of the words that were nicknames, which are no words of a text. */
  readonly nicknames: ReadonlySet<string>;
  act(move: Exclude<ScopeMove, { readonly type: "look" }>): Promise<void>;
  /** Opens a new session of a folder, which has made one call. */
  look(folder: string): Promise<Actor>;
}

/** A session with the host's list. */
export interface Actor {
  readonly session: ContextSession;
  readonly folder: string;
  readonly list: Message[];
}

/** A text so long that it becomes an object of its own. */
const manyLines = 40;

/** Returns a world on an empty store. Two sessions work in each of the first two folders. */
export async function openScopeWorld(
  { store, documents }: ScopeStore,
  open: OpenScopeSession,
): Promise<ScopeWorld> {
  const files: MemoryFolder = memoryFolder({}, folders[0]);
  const ids = countedIds();
  const objects: KnownObject[] = [];
  const words: string[] = [];
  const nicknames = new Set<string>();
  const actors: Actor[] = [];
  let opened = 0;
  let time = 0;

  function freshWord(): string {
    const word = wordOf(words.length);
    words.push(word);
    return word;
  }

  function wordsIn(text: string): ReadonlySet<string> {
    return new Set(words.filter((word) => text.includes(word)));
  }

  async function openActor(folder: string): Promise<Actor> {
    opened += 1;
    const place = { store, documents, files, ids, workspace: folder, longTexts: 100 };
    const session = await open(place, { harness: "scope", sessionId: `session ${opened}` });
    return { session, folder, list: [] };
  }

  /** Adds a message to the host's list, and makes the view of the next call. */
  async function say({ session, list }: Actor, message: Message): Promise<void> {
    time += 1;
    list.push({ ...message, timestamp: time });
    if (message.role !== "assistant")
      await session.ingestAndView(readList(list, neutralCodec), { contextWindow: 200_000 });
  }

  /** Runs a tool between a prompt and an answer. */
  async function turn(
    actor: Actor,
    prompt: string,
    name: string,
    args: Readonly<Record<string, string>>,
    run: (callId: string) => Promise<string | Message>,
  ): Promise<void> {
    await say(actor, { role: "user", content: prompt });
    // An id that is the beginning of another one would name that call.
    const callId = `call-${String(time).padStart(6, "0")}`;
    await say(actor, {
      role: "assistant",
      content: [{ type: "toolCall", id: callId, name, arguments: args }],
    });
    const output = await run(callId);
    await say(
      actor,
      typeof output === "string"
        ? {
            role: "toolResult",
            toolCallId: callId,
            toolName: name,
            content: [{ type: "text", text: output }],
            isError: false,
          }
        : output,
    );
    await say(actor, { role: "assistant", content: [{ type: "text", text: "Done." }] });
    await say(actor, { role: "user", content: "Thanks." });
    const { chatId } = await actor.session.status();
    noteMade(chatId, "chat", actor.folder, `${prompt} ${JSON.stringify(args)}`);
    const call = await newestOf("toolcall");
    const text = typeof output === "string" ? output : "";
    noteMade(call.body.id, "toolcall", actor.folder, `${JSON.stringify(args)} ${text}`);
  }

  /** Notes an object of one session. All its versions have the same words. */
  function noteMade(id: ObjectId, type: KnownObject["type"], maker: string, text: string): void {
    const known = objects.find((one) => one.id === id);
    const earlier = known?.versions.at(-1);
    const version: KnownVersion = {
      number: 1,
      words: new Set([...(earlier?.words ?? []), ...wordsIn(text)]),
      hasField: earlier?.hasField ?? false,
      hasTag: false,
      ...defined({ nickname: earlier?.nickname }),
    };
    if (known === undefined)
      objects.push({ id, type, maker, versions: [version], seen: new Map() });
    else known.versions.splice(0, known.versions.length, version);
  }

  async function newestOf(type: string): Promise<StoredMetadata> {
    const { items } = await store.find({ where: { type }, newestFirst: true, limit: 1 });
    const [found] = items;
    if (found === undefined) throw new Error(`no ${type} is stored`);
    return found;
  }

  /** Notes the newest version of an object that several sessions can have. */
  async function noteVersion(id: ObjectId, type: "file" | "note"): Promise<KnownObject> {
    const stored = await store.get(id);
    if (stored === undefined) throw new Error(`object ${id} is not stored`);
    const { body, version } = stored;
    let known = objects.find((one) => one.id === id);
    if (known === undefined) {
      known = { id, type, versions: [], seen: new Map() };
      objects.push(known);
    }
    if (known.versions.at(-1)?.number === version) return known;
    const path = presenceOf(body) === "missing" ? body.provenance.origin : body["path"];
    const content = body.content ?? "";
    known.versions.push({
      number: version,
      words: wordsIn(`${content}\n${body.nickname ?? ""}\n${typeof path === "string" ? path : ""}`),
      hasField: body["shared"] === true,
      hasTag: content.startsWith(sharedHead),
      isMissing: presenceOf(body) === "missing",
      ...defined({ nickname: body.nickname }),
      ...(typeof path === "string" ? { path } : {}),
    });
    return known;
  }

  async function fileAt(path: string): Promise<ObjectBody | undefined> {
    const { items } = await store.find({ where: { type: "file", path }, limit: 1 });
    const [found] = items;
    return found === undefined ? undefined : (await store.get(found.body.id))?.body;
  }

  function see({ folder }: Actor, known: KnownObject): void {
    const number = known.versions.at(-1)?.number ?? 1;
    known.seen.set(folder, Math.min(number, known.seen.get(folder) ?? number));
  }

  async function nameFor({ id }: KnownObject, by: LinkBy): Promise<string> {
    const stored = await store.get(id);
    const path = stored?.body["path"];
    if (by === "nickname") return stored?.body.nickname ?? id;
    if (by === "id" || typeof path !== "string") return id;
    return by === "path" ? path : (path.split("/").at(-1) ?? path).replace(".md", "");
  }

  function chosen(
    index: number,
    isAllowed: (one: KnownObject) => boolean,
  ): KnownObject | undefined {
    const some = objects.filter(isAllowed);
    return some[index % Math.max(1, some.length)];
  }

  async function actorAt(index: number): Promise<Actor> {
    while (actors.length < 4) actors.push(await openActor(folders[actors.length < 2 ? 0 : 1]));
    const actor = actors[index];
    if (actor === undefined) throw new RangeError(`there is no session ${index}`);
    return actor;
  }

  async function bodyOf(known: KnownObject): Promise<ObjectBody | undefined> {
    return (await store.get(known.id))?.body;
  }

  const acts: {
    readonly [type in Exclude<ScopeMove["type"], "look">]: (
      move: Extract<ScopeMove, { readonly type: type }>,
    ) => Promise<void>;
  } = {
    async write({ session, file, folder, isShared, link }) {
      const actor = await actorAt(session);
      // The first name is in all folders.
      const name = file === 0 ? "plan" : (names.get(`${folder} ${file}`) ?? freshWord());
      names.set(`${folder} ${file}`, name);
      const path = `${folders[folder] ?? ""}/${name}.md`;
      const target = chosen(link.to, () => true);
      const to = target === undefined ? "nothing" : await nameFor(target, link.by);
      const head = isShared ? sharedHead : "";
      const content = `${head}# Head\ncommon ${freshWord()} text #topic\nsee [[${to}]]\n- part_of [[${to}]]\n`;
      await turn(actor, `Write ${freshWord()}.`, "write", { path, content }, async (callId) => {
        files.set(path, content);
        await actor.session.recordWrite(path, { callId, args: { path, content } });
        return "written";
      });
      const body = await fileAt(path);
      if (body !== undefined) see(actor, await noteVersion(body.id, "file"));
    },
    async read({ session, object }) {
      const actor = await actorAt(session);
      const known = chosen(object, ({ type }) => type === "file");
      const body = known && (await bodyOf(known));
      const path = body?.["path"];
      if (known === undefined || typeof path !== "string") return;
      const tool = actor.session.tools().find(({ name }) => name === "read");
      if (tool === undefined) throw new Error("the session has no tool that reads");
      await turn(actor, `Read ${freshWord()}.`, "read", { path }, async (callId) => {
        const { message } = await tool.run({ path }, callId);
        return message;
      });
      see(actor, await noteVersion(known.id, "file"));
    },
    async print({ session }) {
      const actor = await actorAt(session);
      const word = freshWord();
      const said = `${freshWord()} is what the user said.\n`.repeat(manyLines);
      await turn(actor, said, "probe", {}, async () => await Promise.resolve(`common ${word}\n`));
      const user = await newestOf("user");
      noteMade(user.body.id, "user", actor.folder, said);
    },
    async move({ object, folder }) {
      const known = chosen(object, ({ type }) => type === "file");
      const body = known && (await bodyOf(known));
      const from = body?.["path"];
      if (known === undefined || body === undefined || typeof from !== "string") return;
      const to = `${folders[folder] ?? ""}/${from.split("/").at(-1) ?? ""}`;
      const content = files.get(from);
      if (files.get(to) !== undefined || content === undefined) return;
      files.set(to, content);
      files.remove(from);
      await store.commit([{ object: sealObject(movedFileBody(body, to)) }]);
      await noteVersion(known.id, "file");
    },
    async delete({ object }) {
      const known = chosen(object, ({ type }) => type === "file");
      const body = known && (await bodyOf(known));
      const path = body?.["path"];
      if (known === undefined || body === undefined || typeof path !== "string") return;
      files.remove(path);
      await store.commit([{ object: sealObject(missingFileBody(body)) }]);
      await noteVersion(known.id, "file");
    },
    async name({ session, object }) {
      const { session: user } = await actorAt(session);
      const known = chosen(object, ({ type }) => type !== "chat");
      if (known === undefined) return;
      const word = freshWord();
      nicknames.add(word);
      const answer = await user.name(known.id, word);
      if (!answer.ok) throw new Error(answer.text);
      await noteChanged(known, word);
    },
    async share({ session, object, shares }) {
      const { session: user } = await actorAt(session);
      const known = chosen(object, ({ type }) => type !== "chat");
      if (known === undefined) return;
      const answer = await user.share(known.id, shares);
      if (!answer.ok) throw new Error(answer.text);
      await noteChanged(known, "", shares);
    },
    async note({ isShared }) {
      const id = ids.next();
      const content = `${isShared ? sharedHead : ""}# Head\ncommon ${freshWord()} #topic\n`;
      const provenance = { origin: "a program", generator: "human" } as const;
      const body = { id, type: "note", locked: false, content, provenance };
      await store.commit([{ object: sealObject(body) }]);
      await noteVersion(id, "note");
    },
  };
  const names = new Map<string, string>();

  /** Notes a change of fields by the user. */
  async function noteChanged(known: KnownObject, text: string, shares?: boolean): Promise<void> {
    if (known.type === "file" || known.type === "note") {
      await noteVersion(known.id, known.type);
      return;
    }
    const [version] = known.versions;
    if (version === undefined) return;
    known.versions[0] = {
      ...version,
      words: new Set([...version.words, ...wordsIn(text)]),
      hasField: shares ?? version.hasField,
      ...(text === "" ? {} : { nickname: text }),
    };
  }

  return {
    objects,
    words,
    nicknames,
    async act(move) {
      await (acts[move.type] as (move: ScopeMove) => Promise<void>)(move);
    },
    async look(folder) {
      const actor = await openActor(folder);
      await say(actor, { role: "user", content: "Look for it." });
      return actor;
    },
    async [Symbol.asyncDispose]() {
      for (const { session } of actors) await session[Symbol.asyncDispose]();
    },
  };
}

const sharedHead = "---\ntags: [shared]\n---\n";
