import { describe, expect, it } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { ActivationPolicy, PolicyObject } from "../../src/policy/activation-policy.ts";
import { scriptHistory } from "../session/script-history.ts";
import { openTestSession } from "../session/test-session.ts";

/** A policy under which everything stays active, and that notes the candidates that it got last. */
function notingPolicy(): ActivationPolicy & { candidates: readonly PolicyObject[] } {
  const policy = {
    name: "noting",
    candidates: [] as readonly PolicyObject[],
    leaving(input: { readonly candidates: readonly PolicyObject[] }) {
      policy.candidates = input.candidates;
      return [];
    },
    keepsArguments: () => () => true,
    staysAtSweep: () => () => true,
  };
  return policy;
}

describe("the size of an object for a policy", () => {
  it.each([
    ["epoch", epochLayout(), 500],
    ["pooled", pooledLayout, 0],
  ])(
    "is that of the active lines and of the whole of a long output, in the %s layout with that of images",
    async (_, layout, image) => {
      const line = "some words that are in the file\n";
      const policy = notingPolicy();
      const { session } = await openTestSession({
        policy,
        layout,
        files: { "/work/a.ts": line.repeat(900) },
      });
      const history = scriptHistory();
      history.user("go on");
      const request = { path: "a.ts", offset: 3, limit: 2 };
      await history.ask("read", request, async (callId) => await session.read(request, { callId }));
      history.call("screenshot", {}, [
        { type: "text", text: "taken" },
        { type: "image", data: "aGk=", mimeType: "image/png" },
      ]);
      history.call("bash", { command: "make" }, line.repeat(900));
      await history.ingest(session);
      await session.nextView();
      history.say("seen");
      history.user("go on");
      await history.ingest(session);

      const sizes = new Map(policy.candidates.map(({ key, tokens }) => [key, tokens]));
      expect(sizes.get("f1")).toBeLessThan(60);
      expect(sizes.get("t2")).toBeGreaterThan(image);
      expect(sizes.get("t3")).toBeGreaterThan(6_000);
    },
  );
});
