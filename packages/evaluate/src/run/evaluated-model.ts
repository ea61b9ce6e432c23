import type { Arm } from "../model/arm.ts";
import { EvaluateError } from "../model/evaluate-error.ts";
import type { ModelAccess } from "../model/model-access.ts";
import type { Task } from "../model/task.ts";
import { openTestModel, type TestModelOptions } from "../models/test-model.ts";

/** What answers the requests of an evaluation. */
export interface EvaluatedModel {
  /** `provider/id`, as results name it. */
  readonly name: string;
  /** Opens the model for one run. */
  open(run: ModelRun): Promise<OpenedModel>;
}

interface ModelRun {
  readonly task: Task;
  readonly seed: number;
  readonly arm: Arm;
}

export interface OpenedModel extends AsyncDisposable {
  readonly access: ModelAccess;
  /** What a model for tests could not do, or what the host did against the rules of the API. Such a run is no result. */
  readonly failures?: readonly string[];
}

/** A provider's model, which all runs share. `thinking`: the thinking level that the host asks for, if one was given. */
export function providerModel(access: ModelAccess, thinking?: string): EvaluatedModel {
  const level = thinking === undefined ? "" : `:${thinking}`;
  // Two servers can have models of one name.
  const provider = access.provider === "url" ? new URL(access.url).host : access.provider;
  return {
    name: `${provider}/${access.id}${level}`,
    open: async () => ({ access, [Symbol.asyncDispose]: async () => {} }),
  };
}

/** A model for tests, which knows the task and is opened for each run. */
export function testModel(
  kind: TestModelOptions["kind"],
  options: Omit<TestModelOptions, "kind" | "task" | "seed"> = {},
): EvaluatedModel {
  return {
    name: `test/${kind}`,
    open: async ({ task, seed }) => {
      if (!task.steps.some((step) => step.type === "prompt" && step.moves !== undefined))
        throw new EvaluateError(
          "EVALUATE_TASK",
          `${task.name} has no moves, so a model for tests has nothing to follow; choose a model of a provider or a server, or add moves to the task`,
        );
      return await openTestModel({ ...options, kind, task, seed });
    },
  };
}
