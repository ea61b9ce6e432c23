import { type ContextManager, openContextManager } from "@self-context-manager/compose";
import { type Message, neutralCodec, readList } from "@self-context-manager/core";
import { fileBody, objectId, type ObjectWrite, sealObject } from "@self-context-manager/objects";
import { seededRandom } from "@self-context-manager/store-contract";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

/** What a made store is like. */
export interface MadeStore {
  readonly sessions: number;
  readonly versions: number;
}

/** Tool results of one model call, and files and notes of one session. */
const shapes = { results: 20, files: 24, notes: 6, resultCharacters: 400 } as const;

const folderCount = 40;
const firstTime = 1_700_000_000_000;

/**
 * Makes a SQLite store of many sessions through the public API: each session is opened by its host's id and gets its
 * messages call by call, with several tool results in each; then files and notes that link to each other are committed. The
 * seed determines all texts. `onSession` is called after each session.
 */
export async function makeStore(
  at: string,
  { sessions, versions }: MadeStore,
  onSession: (made: number) => void = () => {},
): Promise<void> {
  const workspace = join(at, "..", "work");
  await mkdir(workspace, { recursive: true });
  const texts = madeTexts();
  await using manager = await openContextManager({
    store: "sqlite",
    at,
    workspace,
    watch: false,
    documents: false,
  });
  const filed = filesOf(texts, workspace);
  for (let session = 0; session < sessions; session += 1) {
    await makeSession(manager, texts, session, versions / sessions - shapes.files - shapes.notes);
    await manager.store.commit(filed(session));
    onSession(session + 1);
  }
}

async function makeSession(
  manager: ContextManager,
  texts: MadeTexts,
  session: number,
  versions: number,
): Promise<void> {
  const opened = await manager.openSession({ harness: "bench", sessionId: `bench-${session}` });
  const messages: Message[] = [];
  let time = firstTime + session * 1_000_000;
  // Each call also makes a version of the chat, the session and the view.
  const calls = Math.round(versions / (shapes.results + 3));
  for (let call = 0; call < calls; call += 1) {
    time += 10;
    if (call % 12 === 0) messages.push({ role: "user", content: texts.prose(30), timestamp: time });
    const ids = Array.from(
      { length: shapes.results },
      (_, result) => `toolu_${session}_${call}_${result}`,
    );
    messages.push({
      role: "assistant",
      content: [
        { type: "text", text: texts.prose(12) },
        ...ids.map((id) => ({
          type: "toolCall" as const,
          id,
          name: "bash",
          arguments: { command: `grep -rn ${texts.name()} src/${texts.name()}.ts` },
        })),
      ],
      timestamp: time + 1,
    });
    for (const id of ids)
      messages.push({
        role: "toolResult",
        toolCallId: id,
        toolName: "bash",
        content: [{ type: "text", text: texts.code(texts.below(2 * shapes.resultCharacters)) }],
        isError: false,
        timestamp: time + 2,
      });
    await opened.ingestAndView(readList(messages, neutralCodec));
  }
  await opened[Symbol.asyncDispose]();
}

/** Returns the writes of files and notes of each session. Every session has another version of some common files. */
function filesOf(texts: MadeTexts, workspace: string): (session: number) => readonly ObjectWrite[] {
  return (session) => {
    const file = (number: number, path: string, text: string): ObjectWrite => {
      const modified = firstTime + session * 1_000 + number;
      const facts = { size: text.length, modified, node: String(number), born: firstTime };
      const id = objectId(`0199bbbb-0000-7000-8000-${String(number).padStart(12, "0")}`);
      const read = { ...facts, realPath: join(workspace, path), text };
      return { object: sealObject(fileBody(id, read, "human")) };
    };
    const files = Array.from({ length: shapes.files }, (_, index) => {
      // Half are files of this session alone, and half are those that all sessions change.
      const number = index % 2 === 0 ? index : session * shapes.files + index;
      const folder = `src/part-${number % folderCount}`;
      return file(number, `${folder}/f${number}.ts`, texts.code(1_500));
    });
    const notes = Array.from({ length: shapes.notes }, (_, index) => {
      const number = session * shapes.notes + index;
      const text = `# ${texts.prose(3)}\n\n${texts.prose(60)} [[note-${texts.below(number + 1)}]] #${texts.name()}\n`;
      return file(10_000_000 + number, `notes/note-${number}.md`, text);
    });
    return [...files, ...notes];
  };
}

/** Texts by a seed: names that are frequent and rare as in code, lines of code, and sentences. */
interface MadeTexts {
  below(limit: number): number;
  name(): string;
  prose(words: number): string;
  code(characters: number): string;
}

const syllables = "ba co di fu ge ha ki lo mu ne pa ro si tu ve wa ex in or ta el st".split(" ");
const forms = [
  (a: string, b: string, n: number): string => `  const ${a} = ${b}.${a}(${n});`,
  (a: string, b: string): string => `import { ${a} } from "./${b}.ts";`,
  (a: string, b: string, n: number): string => `src/${b}.ts:${n}:  return ${a} ?? ${b};`,
  (a: string, b: string, n: number): string => `  if (${a}.length > ${n}) throw new ${b}();`,
  (a: string, b: string): string => `  // the ${a} of a ${b} is read before the ${b} is written`,
];

/** Returns the texts of a seed. */
export function madeTexts(seed = 53): MadeTexts {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const names = Array.from({ length: 30_000 }, (_, index) => {
    const parts = Array.from(
      { length: 1 + below(3) },
      () =>
        `${syllables[below(syllables.length)] ?? ""}${syllables[below(syllables.length)] ?? ""}`,
    );
    const [first = "", ...others] = parts;
    const rest = others.map((part) => part.slice(0, 1).toUpperCase() + part.slice(1));
    return `${first}${rest.join("")}${index % 7 === 0 ? String(index % 100) : ""}`;
  });
  const name = (): string => names[Math.floor(names.length * random() ** 4)] ?? "";
  return {
    below,
    name,
    prose: (words) => Array.from({ length: words }, name).join(" "),
    code(characters) {
      const lines: string[] = [];
      for (let length = 0; length < characters;) {
        const line = forms[below(forms.length)]?.(name(), name(), below(2_000)) ?? "";
        lines.push(line);
        length += line.length + 1;
      }
      return lines.join("\n");
    },
  };
}
