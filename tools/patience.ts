/** Limits of Vitest that only a test that hangs reaches, also on a slow machine. */
export const patience = {
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000 } },
} as const;
