import type { JsonObject, JsonValue } from "@self-context-manager/objects";
import type {
  Check,
  Fact,
  Move,
  Task,
  TaskRepository,
  TaskStep,
  TaskWorkspace,
} from "../model/task.ts";
import {
  type Decode,
  listOf,
  objectOf,
  oneOf,
  type Place,
  positive,
  recordOf,
  refuse,
  text,
  textLike,
  wholeFrom,
  within,
} from "./decode.ts";
import { pathFault } from "./workspace-path.ts";

/** The parts of a task that `task.json` contains: everything but the texts of files. */
export type TaskJson = Omit<Task, "hidden" | "workspace"> & {
  readonly workspace: Omit<TaskWorkspace, "files">;
};

/** Reads `task.json`. Throws `EvaluateError` with `EVALUATE_TASK` for a field that is unknown, absent or of another type. */
export function decodeTask(value: JsonValue, file: string): TaskJson {
  const place = { file, field: "" };
  const own = ["name", "family", "version", "seed", "title", "workspace"];
  const parts = ["steps", "facts", "checks", "limits"];
  const fields = objectOf(value, place, [...own, ...parts]);
  const read = reader(fields, place);
  return {
    name: read(
      "name",
      textLike(
        /^\w[\w.-]*(?:\/\w[\w.-]*)*$/u,
        "letters, digits, `_`, `-` and `.`, in parts with `/` between them",
      ),
    ),
    family: read("family", families, "external"),
    version: read("version", wholeFrom(1), 1),
    seed: read("seed", wholeFrom(0), 0),
    title: read("title", textLike(/^[^\n]*\S[^\n]*$/u, "one line of text")),
    workspace: read("workspace", workspace, {}),
    steps: read("steps", listOf(step)),
    facts: read("facts", listOf(fact), []),
    checks: read("checks", listOf(check)),
    limits: read("limits", limits),
  };
}

const families = oneOf(["coding", "long-episode", "memory", "interference", "external"]);

type Reader = <Value>(name: string, decode: Decode<Value>, absent?: NoInfer<Value>) => Value;

/** Reads the fields of an object. A field that is absent has the given value, or is refused if there is none. */
function reader(fields: JsonObject, place: Place): Reader {
  return (name, decode, absent) =>
    fields[name] === undefined && absent !== undefined
      ? absent
      : decode(fields[name], within(place, name));
}

const path: Decode<string> = (value, place) => {
  const fault = pathFault(text(value, place));
  return fault === undefined
    ? text(value, place)
    : refuse(place, value, `a path relative to the workspace, with \`/\`: ${fault}`);
};

const repository: Decode<TaskRepository> = (value, place) => {
  const fields = objectOf(value, place, ["path", "url", "commit"]);
  const read = reader(fields, place);
  return {
    path: read("path", (one, at) => (one === "" ? "" : path(one, at)), ""),
    url: read("url", textLike(/^[^-\s]\S*$/u, "the path or URL of a Git repository")),
    commit: read("commit", textLike(/^[0-9a-f]{40,64}$/u, "the full hash of a commit")),
  };
};

const workspace: Decode<TaskJson["workspace"]> = (value, place) => {
  const fields = objectOf(value, place, ["folder", "repositories"]);
  const read = reader(fields, place);
  return {
    ...(fields["folder"] !== undefined && { folder: read("folder", text) }),
    ...(fields["repositories"] !== undefined && {
      repositories: read("repositories", listOf(repository)),
    }),
  };
};

const step: Decode<TaskStep> = (value, place) => {
  const all = objectOf(value, place, ["type", "text", "moves", "files"]);
  const type = oneOf(["prompt", "change", "session"])(all["type"], within(place, "type"));
  const read = reader(all, place);
  switch (type) {
    case "prompt":
      objectOf(value, place, ["type", "text", "moves"]);
      return {
        type,
        text: read("text", textLike(/\S/u, "a text that is not empty")),
        ...(all["moves"] !== undefined && { moves: read("moves", listOf(move)) }),
      };
    case "change":
      objectOf(value, place, ["type", "files"]);
      return { type, files: read("files", changedFiles) };
    case "session":
      objectOf(value, place, ["type"]);
      return { type };
  }
};

const changedFiles: Decode<Readonly<Record<string, string | null>>> = (value, place) => {
  const files = recordOf((one, at) => (one === null ? null : text(one, at)))(value, place);
  for (const name of Object.keys(files)) path(name, within(place, JSON.stringify(name)));
  return files;
};

const moveTypes = oneOf(["read", "write", "edit", "run", "answer"]);

const move: Decode<Move> = (value, place) => {
  const names = ["type", "path", "content", "oldText", "newText", "command", "text"];
  const type = moveTypes(objectOf(value, place, names)["type"], within(place, "type"));
  const only = (...fields: readonly string[]): Reader =>
    reader(objectOf(value, place, ["type", ...fields]), place);
  switch (type) {
    case "read":
      return { type, path: only("path")("path", text) };
    case "write": {
      const read = only("path", "content");
      return { type, path: read("path", text), content: read("content", text) };
    }
    case "edit": {
      const read = only("path", "oldText", "newText");
      return {
        type,
        path: read("path", text),
        oldText: read("oldText", textLike(/[^]/u, "a text that is not empty")),
        newText: read("newText", text),
      };
    }
    case "run":
      return { type, command: only("command")("command", text) };
    case "answer":
      return { type, text: only("text")("text", text) };
  }
};

const fact: Decode<Fact> = (value, place) => {
  const names = ["id", "pattern", "value", "neededAt", "source", "recover"];
  const fields = objectOf(value, place, names);
  const read = reader(fields, place);
  return {
    id: read("id", textLike(/^[\w-]+$/u, "letters, digits, `_` and `-`")),
    pattern: read("pattern", text),
    value: read("value", text),
    neededAt: read("neededAt", listOf(wholeFrom(0))),
    source: read("source", text),
    ...(fields["recover"] !== undefined && { recover: read("recover", listOf(move)) }),
  };
};

const check: Decode<Check> = (value, place) => {
  const names = [
    "type",
    "name",
    "command",
    "folder",
    "prints",
    "seconds",
    "step",
    "path",
    "content",
  ];
  const all = objectOf(value, place, [...names, "includes", "excludes"]);
  const type = oneOf(["command", "answer", "file"])(all["type"], within(place, "type"));
  const only = (...fields: readonly string[]): Reader =>
    reader(objectOf(value, place, ["type", "name", ...fields]), place);
  const name = reader(all, place)("name", textLike(/^\S[^\n]*$/u, "one line of text"));
  switch (type) {
    case "command": {
      const read = only("command", "folder", "prints", "seconds");
      return {
        type,
        name,
        command: read("command", command),
        ...(all["folder"] !== undefined && { folder: read("folder", path) }),
        ...(all["prints"] !== undefined && { prints: read("prints", text) }),
        ...(all["seconds"] !== undefined && { seconds: read("seconds", positive) }),
      };
    }
    case "answer": {
      const read = only("step", "includes", "excludes");
      return { type, name, step: read("step", wholeFrom(0)), ...textParts(all, read) };
    }
    case "file": {
      const read = only("path", "content", "includes", "excludes");
      return {
        type,
        name,
        path: read("path", path),
        ...(all["content"] !== undefined && {
          content: read("content", (one, at) => (one === null ? null : text(one, at))),
        }),
        ...textParts(all, read),
      };
    }
  }
};

const command: Decode<readonly [string, ...string[]]> = (value, place) => {
  const [name, ...args] = listOf(text)(value, place);
  return name === undefined ? refuse(place, value, "a program and its arguments") : [name, ...args];
};

function textParts(
  all: JsonObject,
  read: Reader,
): Pick<Extract<Check, { type: "answer" }>, "includes" | "excludes"> {
  return {
    ...(all["includes"] !== undefined && { includes: read("includes", listOf(text)) }),
    ...(all["excludes"] !== undefined && { excludes: read("excludes", listOf(text)) }),
  };
}

const limits: Decode<Task["limits"]> = (value, place) => {
  const read = reader(objectOf(value, place, ["calls", "minutes"]), place);
  return { calls: read("calls", wholeFrom(1)), minutes: read("minutes", positive) };
};
