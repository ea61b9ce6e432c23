/** The families of tasks. `external` is a task from a local folder of instances. */
export type TaskFamily = "coding" | "long-episode" | "memory" | "interference" | "external";

/** Texts by path relative to the workspace, with `/`. */
export type TaskFiles = Readonly<Record<string, string>>;

/**
 * One task as data: everything that a run, a checker and a model for tests need. It can be written as JSON; its hash
 * identifies it in results.
 */
export interface Task {
  /** The family and a name: `coding/wrong-rounding`. */
  readonly name: string;
  readonly family: TaskFamily;
  /** Rises with each change that makes results incomparable. */
  readonly version: number;
  /** The seed that the task was generated with. Tasks that are not generated have 0. */
  readonly seed: number;
  /** One sentence for tables and reports. */
  readonly title: string;
  readonly workspace: TaskWorkspace;
  /** What happens, in order. The first step is a prompt. */
  readonly steps: readonly TaskStep[];
  /** What an answer or an action needs from earlier in the session. Empty if nothing is known. */
  readonly facts: readonly Fact[];
  /** The checks. The task is solved if all of them pass. */
  readonly checks: readonly Check[];
  /** Files that exist only in the copy of the workspace in which the checks run. The agent cannot reach them. */
  readonly hidden: TaskFiles;
  readonly limits: TaskLimits;
}

/** The files that the work begins with: `files` are written last, over those of the folder and the repositories. */
export interface TaskWorkspace {
  readonly files: TaskFiles;
  /** A folder that is copied. An absolute path. */
  readonly folder?: string;
  /** Git repositories that are checked out, each without its history. */
  readonly repositories?: readonly TaskRepository[];
}

/** A commit of a Git repository in a folder of the workspace. */
export interface TaskRepository {
  /** The folder, relative to the workspace with `/`. Empty: the workspace itself. */
  readonly path: string;
  /** The absolute path of a local repository, or a URL. */
  readonly url: string;
  /** The full hash of the commit. */
  readonly commit: string;
}

export type TaskStep =
  | {
      readonly type: "prompt";
      readonly text: string;
      /** What an agent does that solves the task. Models for tests follow it. */
      readonly moves?: readonly Move[];
    }
  /** Another program changes files between two prompts. `null` deletes the file. */
  | { readonly type: "change"; readonly files: Readonly<Record<string, string | null>> }
  /** The session ends, and a new one begins in the same workspace and store. */
  | { readonly type: "session" };

/**
 * One action of an agent. Texts can contain `{{id}}`: the value of the fact with this id, as the model finds it in its
 * request.
 */
export type Move =
  | { readonly type: "read"; readonly path: string }
  | { readonly type: "write"; readonly path: string; readonly content: string }
  | {
      readonly type: "edit";
      readonly path: string;
      readonly oldText: string;
      readonly newText: string;
    }
  | { readonly type: "run"; readonly command: string }
  /** Ends the turn. */
  | { readonly type: "answer"; readonly text: string };

/** Something that is said or shown once and needed later. */
export interface Fact {
  readonly id: string;
  /** A regular expression (`u` and `m` flags) with one group. The group's last match in a request is the value. */
  readonly pattern: string;
  /** The right value. */
  readonly value: string;
  /** The indexes in `steps` of the prompts whose work needs the value. */
  readonly neededAt: readonly number[];
  /** The name by which an agent would look for it: a path, a command, or words of a prompt. */
  readonly source: string;
  /** How an agent can get the value again without the context manager. Absent: it cannot. */
  readonly recover?: readonly Move[];
}

export type Check =
  /**
   * A command in a copy of the final workspace, with the hidden files. It passes if the exit code is 0 and the output
   * contains `prints`.
   */
  | {
      readonly type: "command";
      readonly name: string;
      readonly command: readonly [string, ...string[]];
      /** The folder in which it runs, relative to the workspace with `/`. Absent: the workspace. */
      readonly folder?: string;
      /** A text that only a complete run of the tests prints, such as their number. Code that ends the process early fails. */
      readonly prints?: string;
      /** The seconds after which it is ended and fails. Absent: 60. */
      readonly seconds?: number;
    }
  /** The last text of the assistant in the turn of the prompt at `step`, compared without case and repeated spaces. */
  | {
      readonly type: "answer";
      readonly name: string;
      readonly step: number;
      readonly includes?: readonly string[];
      readonly excludes?: readonly string[];
    }
  /**
   * A file of the final workspace. White space at the end of `content` and of the file does not count. `null` as content:
   * the file does not exist.
   */
  | {
      readonly type: "file";
      readonly name: string;
      readonly path: string;
      readonly content?: string | null;
      readonly includes?: readonly string[];
      readonly excludes?: readonly string[];
    };

/** What a run may use. A run that reaches a limit is not solved, and its outcome names the limit. */
export interface TaskLimits {
  /** Model calls of the whole run. */
  readonly calls: number;
  /** Minutes of the whole run. */
  readonly minutes: number;
}

/** What the checker found. */
export interface CheckResult {
  readonly name: string;
  readonly isPassed: boolean;
  /** One line: what was expected and what was there. */
  readonly evidence: string;
}
