export { forgottenVersions } from "../forget/forgotten-versions.ts";
export { forgottenMask, type ForgottenMask } from "../forget/forgotten-mask.ts";
export { forgottenFilter } from "../forget/forgotten-texts.ts";
export { forget } from "../forget/forget.ts";
export { isTombstone } from "../forget/forgotten-object.ts";
export {
  type ForgetPlan,
  type ForgetTarget,
  type PlannedObject,
  planForget,
  type PlanOptions,
} from "../forget/plan-forget.ts";
export { literalPlaces, shortestForgotten } from "../forget/literal-places.ts";
export { matchedTexts } from "../forget/matched-texts.ts";
export { formsOf } from "../forget/text-forms.ts";
