import type { FileSource } from "@self-context-manager/objects";

/** What a file source can do. Laws that need more are skipped. */
export interface FileSourceSupports {
  /** A path can be a link to another one. */
  readonly links: boolean;
}

/** An empty folder with the source that reads its files. */
export interface FilePlace extends AsyncDisposable {
  /** The real path of the folder, absolute. */
  readonly path: string;
  readonly files: FileSource;
  /** Writes a file, as another program does. `path` is absolute. Folders on the way are made. */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** Removes a file, as another program does. */
  remove(path: string): Promise<void>;
  /** Makes a link at `path` to the absolute path `target`. Needed only if `links` is supported. */
  link?(path: string, target: string): Promise<void>;
}

export type CreateFilePlace = () => Promise<FilePlace>;

/** Tests one law in a new place. Throws if the law is broken. */
export type FileSourceScenario = (createPlace: CreateFilePlace) => Promise<void>;
