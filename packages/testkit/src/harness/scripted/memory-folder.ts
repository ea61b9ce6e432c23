import {
  type FileContent,
  FileError,
  type FileFacts,
  type FileSource,
} from "@self-context-manager/objects";

/** A working folder in memory. The harness's tools and the context session see the same files. */
export interface MemoryFolder extends FileSource {
  readonly path: string;
  /** Returns a file's text or bytes. The path is relative or absolute. Returns `undefined` if there is no file. */
  get(path: string): string | Uint8Array | undefined;
  set(path: string, content: string | Uint8Array): void;
}

export function memoryFolder(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  path = "/work",
): MemoryFolder {
  const contents = new Map(
    Object.entries(files).map(([name, content]) => [resolve(name, path), content]),
  );
  const facts = (at: string): FileFacts | undefined => {
    const content = contents.get(at);
    if (content !== undefined)
      return { realPath: at, kind: "file", size: Buffer.byteLength(content), modified: 0 };
    const isFolder = at === path || [...contents.keys()].some((one) => one.startsWith(`${at}/`));
    return isFolder ? { realPath: at, kind: "directory", size: 0, modified: 0 } : undefined;
  };
  return {
    path,
    get: (given) => contents.get(resolve(given, path)),
    set: (given, content) => void contents.set(resolve(given, path), content),
    resolve,
    stat: async (at) => await Promise.resolve(facts(at)),
    read: async (at): Promise<FileContent> => {
      const content = contents.get(at);
      const found = facts(at);
      if (found?.kind === "directory")
        throw new FileError("FILE_IS_DIRECTORY", `${at} is a directory.`);
      if (content === undefined || found === undefined)
        throw new FileError("FILE_MISSING", `There is no file at ${at}.`);
      const text = typeof content === "string" ? content : null;
      return await Promise.resolve({ realPath: at, size: found.size, modified: 0, text });
    },
  };
}

function resolve(path: string, base: string): string {
  return new URL(path, `file://${base}/`).pathname;
}
