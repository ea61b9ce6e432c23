import {
  type FileContent,
  FileError,
  type FileFacts,
  type FileSource,
  type FolderEntry,
} from "@self-context-manager/objects";
import { posix } from "node:path";

/** Files in a map. A null text represents a file that is not text. */
export interface FakeFiles extends FileSource {
  set(path: string, text: string | null): void;
  /** Makes a file of so many bytes, which is too large to be read. */
  setLarge(path: string, size: number): void;
  delete(path: string): void;
  /** Makes a path a link to another. */
  link(path: string, target: string): void;
  readonly reads: readonly string[];
}

/** Returns a text of the lines `line 1`, `line 2` and so on. */
export function numberedLines(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");
}

/** A file source without a disk, for a POSIX-like tree. */
export function fakeFiles(initial: Readonly<Record<string, string | null>> = {}): FakeFiles {
  const texts = new Map(Object.entries(initial));
  const large = new Map<string, number>();
  const links = new Map<string, string>();
  const reads: string[] = [];
  const real = (path: string): string => links.get(path) ?? path;
  const facts = (path: string): FileFacts | undefined => {
    const realPath = real(path);
    const size = large.get(realPath);
    if (size !== undefined) return { realPath, kind: "file", size, modified: 0 };
    const text = texts.get(realPath);
    if (text !== undefined) return { realPath, kind: "file", size: text?.length ?? 7, modified: 0 };
    const isFolder = [...texts.keys()].some((one) => one.startsWith(`${realPath}/`));
    return isFolder ? { realPath, kind: "directory", size: 0, modified: 0 } : undefined;
  };
  return {
    reads,
    set: (path, text) => void texts.set(path, text),
    setLarge: (path, size) => void large.set(path, size),
    delete: (path) => void texts.delete(path),
    link: (path, target) => void links.set(path, target),
    resolve: (path, base) => posix.resolve(base, path),
    stat: async (path) => await Promise.resolve(facts(path)),
    list: async (folder) => {
      const names = new Map<string, FolderEntry>();
      for (const path of texts.keys()) {
        const [name = "", below] = path.startsWith(`${folder}/`)
          ? path.slice(folder.length + 1).split("/")
          : [];
        if (name !== "")
          names.set(name, { name, kind: below === undefined ? "file" : "directory" });
      }
      return await Promise.resolve([...names.values()]);
    },
    read: async (path): Promise<FileContent> => {
      reads.push(path);
      const found = facts(path);
      if (found === undefined) throw new FileError("FILE_MISSING", `There is no file at ${path}.`);
      if (found.kind !== "file")
        throw new FileError("FILE_IS_DIRECTORY", `${path} is a directory.`);
      if (large.has(found.realPath))
        throw new FileError("FILE_TOO_LARGE", `${path} has ${found.size} bytes.`);
      const text = texts.get(found.realPath) ?? null;
      return await Promise.resolve({
        realPath: found.realPath,
        size: found.size,
        modified: 0,
        text,
      });
    },
  };
}
