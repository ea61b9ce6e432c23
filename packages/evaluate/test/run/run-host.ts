import type { Arm } from "../../src/model/arm.ts";
import type { EvaluationHost } from "../../src/model/host.ts";
import { fakeHost } from "../models/fake-host.ts";

/** An arm of the host below: it keeps the newest results in view, and shows the others by a line. */
export function keepingArm(name: string, keeps?: number): Arm {
  return {
    name,
    title: `The host that keeps ${keeps ?? "all"} results.`,
    isManaged: false,
    environment: keeps === undefined ? {} : { KEEPS: String(keeps) },
  };
}

/** A host of a few lines, so that a run takes milliseconds. */
export function runHost(): EvaluationHost {
  return {
    name: "pi",
    version: "of a test",
    open: async ({ access, workspace, arm }) => {
      const keeps = arm.environment["KEEPS"];
      const host = fakeHost({
        access,
        workspace,
        ...(keeps === undefined ? {} : { keeps: Number(keeps) }),
      });
      return {
        prompt: async (text) => {
          const before = host.errors.length;
          const answer = await host.prompt(text);
          const error = host.errors[before];
          return error === undefined ? { text: answer } : { text: answer, error };
        },
        newSession: async () => host.newSession(),
        [Symbol.asyncDispose]: async () => {},
      };
    },
  };
}
