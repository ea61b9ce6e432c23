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
export { openOpenClawHost, type OpenClawHostOptions } from "./hosts/openclaw-host.ts";
export { openPiHost, type PiHostOptions } from "./hosts/pi-host.ts";
export { type Meter, type MeteredRun, type MeterOptions, openMeter } from "./meter/meter.ts";
export type { MeterClock } from "./meter/clock.ts";
export {
  resolveModel,
  type ResolveModelOptions,
  urlModel,
  type UrlModelOptions,
} from "./meter/resolve-model.ts";
export type { RunOptions, StopReason } from "./meter/run-ledger.ts";
export type { EvaluationHost, HostAnswer, HostOptions, HostSession } from "./model/host.ts";
export { openHost, type OpenHostOptions } from "./hosts/open-host.ts";
export type { Plan, PlannedTask, Results } from "./model/plan.ts";
export { estimateCost, type CostEstimate } from "./run/estimate-cost.ts";
export { evaluate, type Evaluated, type EvaluateOptions, planOf } from "./run/evaluate.ts";
export { type EvaluatedModel, providerModel, testModel } from "./run/evaluated-model.ts";
export { findTasks } from "./run/find-tasks.ts";
export type { PlannedRun, TasksBySeed } from "./run/make-plan.ts";
export { ownVersion } from "./run/own-version.ts";
export { pageLinks } from "./run/page-links.ts";
export { openResults, readResults, type ResultsFolder } from "./run/results-folder.ts";
export type { RunProgress } from "./run/run-plan.ts";
export { verifyResults, type ResultProblem, type VerifiedResults } from "./run/verify-results.ts";
export { loadSweInstances, type SweOptions } from "./tasks/swe-instances.ts";
export { loadTasks } from "./tasks/load-task.ts";
export { ownTasks } from "./tasks/own-tasks.ts";
export { piInstallation } from "./hosts/pi-installation.ts";
export { evaluationJson } from "./report/evaluation-json.ts";
export { evaluationPage, type EvaluationPageOptions } from "./report/evaluation-page.ts";
export { evaluationTable, type EvaluationTable, tableAlarms } from "./report/evaluation-table.ts";
export { evaluationText } from "./report/evaluation-text.ts";
export { replayPage } from "./report/replay-page.ts";
export { type KeptRequest, readRequests } from "./meter/request-file.ts";
