export type { Arm } from "./model/arm.ts";
export { EvaluateError, type EvaluateErrorCode } from "./model/evaluate-error.ts";
export type { ModelAccess, ModelApi, ModelPrices } from "./model/model-access.ts";
export type {
  CallRecord,
  CallUsage,
  FactSeen,
  Failure,
  FailureKind,
  RunEnd,
  RunFigures,
  RunParts,
  RunRecord,
} from "./model/run-record.ts";
export type {
  Check,
  CheckResult,
  Fact,
  Move,
  Task,
  TaskFamily,
  TaskFiles,
  TaskLimits,
  TaskRepository,
  TaskStep,
  TaskWorkspace,
} from "./model/task.ts";
