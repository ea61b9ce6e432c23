import type { ServerResponse } from "node:http";

import type { RunLedger, StopReason } from "./run-ledger.ts";

/**
 * The messages for a run that gets no more answers. They have no digits and none of the words by which hosts recognise
 * errors that pass, because a host would repeat the request.
 */
const messages: Readonly<Record<StopReason, string>> = {
  budget: "The evaluation is out of budget. No more model calls are made.",
  "call-limit": "The run has made the most model calls that its task allows.",
  "time-limit": "The run has used the time that its task allows.",
  closed: "The run has ended.",
};

/** Answers that a run gets no more answers: 402 for the budget, otherwise 403. Hosts repeat neither. */
export function refuseStopped(outgoing: ServerResponse, ledger: RunLedger): void {
  const { stopped = "closed" } = ledger;
  ledger.refused += 1;
  sendError(outgoing, stopped === "budget" ? 402 : 403, messages[stopped]);
}

/** Sends an error in a form that the clients of all protocols can read. After the beginning of an answer, breaks it off. */
export function sendError(outgoing: ServerResponse, status: number, message: string): void {
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  const error = { type: "meter_error", code: status, status: "METER_ERROR", message };
  outgoing.writeHead(status, { "content-type": "application/json" });
  outgoing.end(JSON.stringify({ type: "error", error }));
}
