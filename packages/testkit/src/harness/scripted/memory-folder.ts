import {
  type FileContent,
  FileError,
  type FileFacts,
  type FileSource,
  type FolderEntry,
} from "@self-context-manager/objects";
import { posix } from "node:path";

/** A working folder in memory. The harness's tools and the context session see the same files. */
export interface MemoryFolder extends FileSource {
  readonly path: string;
  /** Returns a file's text or bytes. The path is relative or absolute. Returns `undefined` if there is no file. */
  get(path: string): string | Uint8Array | undefined;
  set(path: string, content: string | Uint8Array): void;
  remove(path: string): void;
}

interface MemoryFile {
  readonly content: string | Uint8Array;
  readonly facts: FileFacts;
}

/** The folder that `~` is in a memory folder. */
const home = "/home";

/** Returns a folder with these files, by path. Times of change are numbers that count up. */
export function memoryFolder(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  path = "/work",
): MemoryFolder {
  const known = new Map<string, MemoryFile>();
  let changes = 0;
  const set = (given: string, content: string | Uint8Array): void => {
    changes += 1;
    const realPath = resolve(given, path);
    const size = Buffer.byteLength(content);
    known.set(realPath, { content, facts: { realPath, kind: "file", size, modified: changes } });
  };
  for (const [name, content] of Object.entries(files)) set(name, content);
  const isFolder = (at: string): boolean =>
    at === path || [...known.keys()].some((one) => one.startsWith(`${at}/`));
  return {
    path,
    get: (given) => known.get(resolve(given, path))?.content,
    set,
    remove: (given) => void known.delete(resolve(given, path)),
    resolve,
    stat: async (at): Promise<FileFacts | undefined> => {
      const facts = known.get(at)?.facts;
      if (facts !== undefined || !isFolder(at)) return await Promise.resolve(facts);
      return { realPath: at, kind: "directory", size: 0, modified: 0 };
    },
    list: async (folder) => {
      const names = new Map<string, FolderEntry>();
      for (const path of known.keys()) {
        const [name = "", below] = path.startsWith(`${folder}/`)
          ? path.slice(folder.length + 1).split("/")
          : [];
        if (name !== "")
          names.set(name, { name, kind: below === undefined ? "file" : "directory" });
      }
      return await Promise.resolve([...names.values()]);
    },
    read: async (at): Promise<FileContent> => {
      const file = known.get(at);
      if (file === undefined) {
        if (isFolder(at))
          throw new FileError("FILE_IS_DIRECTORY", `${at} is a directory; name a file in it.`);
        throw new FileError("FILE_MISSING", `There is no file at ${at}; check the path.`);
      }
      const { kind: _, ...facts } = file.facts;
      return await Promise.resolve({ ...facts, text: textOf(file.content) });
    },
  };
}

function resolve(path: string, base: string): string {
  return posix.resolve(base, path.replace(/^~(?=\/|$)/u, home));
}

/** Returns the text of a file; null for bytes that are not UTF-8 or contain a NUL. */
function textOf(content: string | Uint8Array): string | null {
  if (typeof content === "string") return content;
  if (content.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    // The decoder throws only for bytes that are not UTF-8.
    return null;
  }
}
