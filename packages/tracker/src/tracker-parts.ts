import type {
  FileSource,
  IdSource,
  ObjectStore,
  Sighting,
  Watcher,
} from "@self-context-manager/objects";
import type { FileChange, OtherChange } from "./file-change.ts";
import type { TrackedFile, TrackedFiles } from "./tracked-files.ts";
import { needsExplicitRead } from "./workspace-rule.ts";

/** What the steps that turn sightings into versions share. */
export interface TrackerParts {
  readonly store: ObjectStore;
  readonly files: FileSource;
  readonly watcher: Watcher;
  readonly ids: IdSource;
  readonly workspace: string;
  readonly tracked: TrackedFiles;
  /** Whether changes at a path are ignored because a tool writes it. */
  readonly isHeld: (path: string) => boolean;
  readonly notify: (changes: readonly FileChange[]) => void;
}

/** Whether a file can be read before anybody asks for its content. */
export function mayRead(path: string, { workspace }: Pick<TrackerParts, "workspace">): boolean {
  return needsExplicitRead(path, workspace) === undefined;
}

/** Reports a state of a file that makes no version, once. */
export function notifyOther(
  file: TrackedFile,
  type: OtherChange["type"],
  reason: string,
  { notify }: Pick<TrackerParts, "notify">,
): undefined {
  const problem = type === "readable" ? undefined : type;
  if (problem === undefined || file.reported !== problem)
    notify([{ id: file.id, type, stored: file.stored, reason }]);
  file.reported = problem;
}

/** Returns a sighting that a file is absent from a path, although another file is there. */
export function gone({ path, at }: Sighting): Sighting {
  return { state: "absent", path, at };
}
