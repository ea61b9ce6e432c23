/**
 * Whether this value of the environment variable `SCM_OFF` switches managed context off. Every value does, except empty,
 * `0`, `false`, `no` and `off`.
 */
export function switchesOff(value: string | undefined): boolean {
  return !["", "0", "false", "no", "off"].includes((value ?? "").toLowerCase());
}
