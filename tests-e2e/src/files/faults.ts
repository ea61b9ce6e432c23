import type { FileSource } from "@self-context-manager/objects";
import type { CreateFilePlace, FileSourceLaw } from "@self-context-manager/store-contract";
import { memoryFolder } from "@self-context-manager/testkit";
import { diskFiles } from "@self-context-manager/watcher";
import { lstat, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Returns replacements for parts of a sound file source. */
type Breaking = (sound: FileSource) => Partial<FileSource>;

/** Faults by the law that each breaks: a description of the source, and places with it. */
export const fileSourceFaults: Readonly<
  Record<FileSourceLaw, Readonly<Record<string, CreateFilePlace>>>
> = {
  "paths-are-absolute": {
    "reads paths as URLs": inMemory(() => ({
      resolve: (path, base) => new URL(path, `file://${base}/`).pathname,
    })),
    "takes `~` as a name": inMemory((sound) => ({
      resolve: (path, base) => sound.resolve(`./${path}`, base),
    })),
    "joins paths without a normal form": inMemory(() => ({
      resolve: (path, base) => (path.startsWith("/") ? path : `${base}/${path}`),
    })),
  },
  "absent-is-undefined": {
    "rejects for what is not there": inMemory((sound) => ({
      stat: async (path) => (await sound.stat(path)) ?? (await sound.read(path), undefined),
    })),
    "remembers files that were removed": inMemory((sound) => ({
      stat: remembering(async (path) => await sound.stat(path)),
    })),
  },
  "text-is-exact": {
    "drops a byte order mark": inMemory((sound) => ({
      read: async (path) => {
        const { text, ...rest } = await sound.read(path);
        return { ...rest, text: text?.replace(/^\uFEFF/u, "") ?? null };
      },
    })),
    "replaces bytes that are not UTF-8": inMemory((sound) => ({
      read: async (path) => {
        const { text, ...rest } = await sound.read(path);
        return { ...rest, text: text ?? "\uFFFD" };
      },
    })),
    "counts characters instead of bytes": inMemory((sound) => ({
      read: async (path) => {
        const found = await sound.read(path);
        return { ...found, size: found.text?.length ?? found.size };
      },
    })),
  },
  "facts-agree": {
    "gives other times when it reads": inMemory((sound) => ({
      read: async (path) => ({ ...(await sound.read(path)), modified: 1_600_000_000_000 }),
    })),
    "calls a folder a file": inMemory((sound) => ({
      stat: async (path) => {
        const facts = await sound.stat(path);
        return facts === undefined ? undefined : { ...facts, kind: "file" };
      },
    })),
  },
  "changes-show": {
    "reads each file once": inMemory((sound) => ({
      read: remembering(async (path) => await sound.read(path)),
    })),
    "looks at each file once": inMemory((sound) => ({
      stat: remembering(async (path) => await sound.stat(path)),
    })),
    "reads only files of another size again": inMemory((sound) => ({
      read: bySize(sound, async (path) => await sound.read(path)),
    })),
    "gives files of the same size the same time": inMemory((sound) => ({
      stat: bySize(sound, async (path) => await sound.stat(path)),
    })),
  },
  "links-are-followed": {
    "returns the path of the link": onDisk((sound) => ({
      stat: async (path) => {
        const facts = await sound.stat(path);
        return facts === undefined ? undefined : { ...facts, realPath: path };
      },
    })),
    "does not see what a link points to": onDisk((sound) => ({
      stat: async (path) =>
        (await lstat(path)).isSymbolicLink() ? undefined : await sound.stat(path),
    })),
  },
  "folders-list-their-entries": {
    "lists the entries of the folders below too": inMemory((sound) => ({
      list: async (folder) => {
        const own = await sound.list(folder);
        const below = own.filter(({ kind }) => kind === "directory");
        const deep = await Promise.all(
          below.map(async ({ name }) => await sound.list(`${folder}/${name}`)),
        );
        return [...own, ...deep.flat()];
      },
    })),
    "lists files only": inMemory((sound) => ({
      list: async (folder) => (await sound.list(folder)).filter(({ kind }) => kind === "file"),
    })),
    "lists a file as a folder with itself": inMemory((sound) => ({
      list: async (folder) => {
        const isFile = (await sound.stat(folder))?.kind === "file";
        return isFile ? [{ name: folder, kind: "file" }] : await sound.list(folder);
      },
    })),
    "remembers what it has listed": inMemory((sound) => ({
      list: remembering(async (folder) => await sound.list(folder)),
    })),
  },
  "refusals-have-codes": {
    "rejects with an error without a code": inMemory((sound) => ({
      read: async (path) =>
        await sound.read(path).catch((cause: unknown) => {
          throw new Error(`${path} cannot be read`, { cause });
        }),
    })),
    "reads a folder as an empty file": inMemory((sound) => ({
      read: async (path) => {
        const facts = await sound.stat(path);
        return facts?.kind === "directory" ? { ...facts, text: "" } : await sound.read(path);
      },
    })),
  },
};

function remembering<Result>(
  look: (path: string) => Promise<Result>,
): (path: string) => Promise<Result> {
  const known = new Map<string, Promise<Result>>();
  return async (path) => {
    const found = known.get(path) ?? look(path);
    known.set(path, found);
    return await found;
  };
}

/** Returns a function that looks at a file only if it has not seen a file of this size. */
function bySize<Result>(
  sound: FileSource,
  look: (path: string) => Promise<Result>,
): (path: string) => Promise<Result> {
  const known = new Map<number | undefined, Promise<Result>>();
  return async (path) => {
    const size = (await sound.stat(path))?.size;
    const found = known.get(size) ?? look(path);
    known.set(size, found);
    return await found;
  };
}

function inMemory(breaking: Breaking): CreateFilePlace {
  return async () => {
    const folder = memoryFolder();
    return {
      path: folder.path,
      files: { ...folder, ...breaking(folder) },
      write: async (path, content) => folder.set(path, content),
      remove: async (path) => folder.remove(path),
      async [Symbol.asyncDispose]() {},
    };
  };
}

function onDisk(breaking: Breaking): CreateFilePlace {
  return async () => {
    const path = await realpath(await mkdtemp(join(tmpdir(), "scm-files-")));
    const sound = diskFiles();
    return {
      path,
      files: { ...sound, ...breaking(sound) },
      async write(file, content) {
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, content);
      },
      remove: async (file) => await rm(file),
      link: async (file, target) => await symlink(target, file),
      [Symbol.asyncDispose]: async () => await rm(path, { recursive: true, force: true }),
    };
  };
}
