import { adaptersFaults } from "./core/adapters-faults.ts";
import { chatFaults } from "./core/chat-faults.ts";
import { forgetFaults } from "./core/forget-faults.ts";
import { historyFaults } from "./core/history-faults.ts";
import { layoutsFaults } from "./core/layouts-faults.ts";
import { sessionFaults } from "./core/session-faults.ts";
import { viewsFaults } from "./core/views-faults.ts";
import type { DeliberateFault } from "./deliberate-fault.ts";

/** Faults that the tests in `packages/core/test` must find. */
export const coreFaults: readonly DeliberateFault[] = [
  ...adaptersFaults,
  ...chatFaults,
  ...forgetFaults,
  ...historyFaults,
  ...layoutsFaults,
  ...sessionFaults,
  ...viewsFaults,
];
