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
export { armHash } from "./arms/arm-hash.ts";
export { armForms, armNames, findArms } from "./arms/find-arms.ts";
export { namedArms } from "./arms/named-arms.ts";
export { type AiSdkHostOptions, openAiSdkHost } from "./hosts/ai-sdk-host.ts";
export { openPiHost, type PiHostOptions } from "./hosts/pi-host.ts";
export type { EvaluationHost, HostAnswer, HostOptions, HostSession } from "./model/host.ts";
