import type { Task } from "../model/task.ts";
import { forgetfulChooser } from "./forgetful-chooser.ts";
import type { LogEntry } from "./mind.ts";
import type { SeenChange } from "./planted.ts";
import { scriptedChooser } from "./scripted-chooser.ts";
import { serveMind, type TestModel, type TestModelApi } from "./serve-mind.ts";
import { taskMind } from "./task-mind.ts";

export interface TestModelOptions {
  /**
   * `scripted` makes the moves of the task's prompts and has the right values. `forgetful` makes the same moves, but has
   * only the text of the request: it looks up, reads again or gives up where something is not there.
   */
  readonly kind: "scripted" | "forgetful";
  readonly task: Task;
  /** The seed of its mistakes. */
  readonly seed: number;
  /** Default: `anthropic-messages`. */
  readonly api?: TestModelApi;
  /** Tokens. A longer request is refused. Default: 200,000. */
  readonly contextWindow?: number;
  /**
   * The share of moves before which it makes a mistake, from 0 to 1. An answer is wrong with a quarter of that. Default:
   * 0.1 for `scripted`, 0 for `forgetful`.
   */
  readonly mistakes?: number;
  /** Changes the messages of each request before the model reads them, such as `dropsNewest`. */
  readonly sees?: SeenChange;
}

/** Opens a model for tests for one run of a task. */
export async function openTestModel(options: TestModelOptions): Promise<TestModel> {
  const { kind, task, seed, api = "anthropic-messages", contextWindow = 200_000 } = options;
  const { mistakes = kind === "scripted" ? 0.1 : 0, sees = (messages) => messages } = options;
  const log: LogEntry[] = [];
  const failures: string[] = [];
  const chooser = kind === "scripted" ? scriptedChooser(task) : forgetfulChooser(task);
  const mind = taskMind({ task, seed, chooser, mistakes, sees, log, failures });
  return await serveMind({ id: kind, mind, api, contextWindow, log, failures });
}
