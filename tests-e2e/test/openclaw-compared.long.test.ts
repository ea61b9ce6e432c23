// If OpenClaw cannot be installed, the tests are skipped.
/* oxlint-disable vitest/no-disabled-tests */
import type { Reply } from "@self-context-manager/evaluate/loopback";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openClawProblem, openClawVersion } from "../src/openclaw/install-openclaw.ts";
import { costOf, longFiles, longWork } from "../src/openclaw/long-work.ts";
import {
  changesOf,
  errorsOf,
  type PlayedGateway,
  playedGateway,
  type PlayedStep,
} from "../src/openclaw/played-gateway.ts";

const read = (index: number): PlayedStep => [["read", { path: `f${index}.txt` }]];
const say =
  (text: string): PlayedStep =>
  () => ({ type: "text", text });

describe.skipIf((await openClawProblem()) !== undefined)(
  "managed context beside OpenClaw alone",
  () => {
    let managed: PlayedGateway;
    let plain: PlayedGateway;

    beforeAll(async () => {
      [managed, plain] = await Promise.all([
        playedGateway({ files: longFiles, plugin: {} }),
        playedGateway({ files: longFiles }),
      ]);
    });

    afterAll(async () => {
      await managed?.[Symbol.asyncDispose]();
      await plain?.[Symbol.asyncDispose]();
    });

    /** In this release OpenClaw's own part of a request costs 2,100 tokens of uncached input more, with the plugin and without. */
    const most = openClawVersion === "2026.9.5" ? 0.65 : 0.6;

    // The two gateways share the processors with other tests.
    it("costs much less in a session with a turn of 90 calls", { timeout: 600_000 }, async () => {
      const session = "agent:main:long";
      const work = async (side: PlayedGateway): Promise<void> => {
        await side.turn("work", longWork, session);
        await side.turn("look again", longWork.slice(0, 3), session);
        await side.turn("and now", [], session);
      };
      await Promise.all([work(managed), work(plain)]);

      const requests = managed.requestsOf(session);
      expect(errorsOf(managed, requests)).toEqual([]);
      expect(changesOf(requests).length).toBeLessThan(7);
      expect(costOf(managed, session) / costOf(plain, session)).toBeLessThan(most);
      expect((requests.at(-1)?.text ?? "").split("file1 line 7 ").length - 1).toBeLessThan(2);
    });

    it("is never dearer than OpenClaw alone by more than 3 %", async () => {
      const session = "agent:main:short";
      const work = async (side: PlayedGateway): Promise<void> => {
        await side.turn("look", [read(2)], session);
        await side.turn("and this", [[["exec", { command: "ls" }]]], session);
        await side.turn("thanks", [], session);
      };
      await Promise.all([work(managed), work(plain)]);

      const requests = managed.requestsOf(session);
      expect(errorsOf(managed, requests)).toEqual([]);
      expect(changesOf(requests)).toEqual([]);
      expect(costOf(managed, session) / costOf(plain, session)).toBeLessThanOrEqual(1.03);
    });

    const troubles: readonly { readonly name: string; readonly reply: Reply }[] = [
      { name: "500", reply: { type: "error", status: 500, message: "internal error" } },
      { name: "429", reply: { type: "error", status: 429, message: "slow down" } },
      { name: "400", reply: { type: "error", status: 400, message: "bad request" } },
      { name: "cut", reply: { type: "disconnect", text: "half an ans" } },
    ];
    it.each(troubles)(
      "continues after the provider's error in mid-turn as OpenClaw alone does: $name",
      async ({ name, reply }) => {
        const session = `agent:main:error-${name}`;
        const steps = [read(0), () => reply, read(1), say("the end")];

        const forms = [];
        for (const side of [managed, plain]) {
          const outcome = await side.turn("work on it", steps, session).then(
            () => "answered",
            (error: unknown) => String(error),
          );
          await side.turn("and now", [read(2), say("that is all")], session);
          const requests = side.requestsOf(session);
          expect(errorsOf(side, requests)).toEqual([]);
          forms.push({
            outcome,
            roles: requests.map(({ messages }) => messages.map(({ role }) => role).join(" ")),
            prompts: requests.map(({ text }) => text.split("work on it").length - 1),
          });
        }

        const [withPlugin, without] = forms;
        expect(withPlugin).toEqual(without);
        expect(new Set(withPlugin?.prompts)).toEqual(new Set([1]));
        expect(managed.requestsOf(session).at(-1)?.text).toMatch(
          /f\d+ f2\.txt v1\n~~~\nfile2 line 0 /u,
        );
      },
    );

    it("continues byte for byte after a restart", async () => {
      const session = "agent:main:again";
      await managed.turn("look", [read(3)], session);
      await managed.turn("go on", [[["exec", { command: "echo before the restart" }]]], session);

      await managed.gateway.stop();
      await managed.gateway.start();
      await managed.turn("after it", [], session);

      const requests = managed.requestsOf(session);
      expect(requests.at(-1)?.text).toContain("before the restart");
      expect(changesOf(requests)).toEqual([]);
      expect(errorsOf(managed, requests)).toEqual([]);
    });
  },
);
