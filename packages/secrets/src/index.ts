export { findSecrets, secretRuleNames } from "./find-secrets.ts";
export { type KnownMarks, markIds, marksOf } from "./forget-secrets.ts";
export { secretMark, type SecretMark } from "./secret-mark.ts";
export { type SecretBook, secretMask, type SecretsSetting } from "./secret-mask.ts";
export type { SecretSpan } from "./secret-rule.ts";
