import { testScale } from "@self-context-manager/store-contract";
import {
  checkListChanges,
  type OpenTriedSession,
  scriptedCodecs,
  sessionsWith,
} from "@self-context-manager/testkit";
import { describe, expect, it } from "vitest";

import { scriptedLists } from "../src/codec/subjects.ts";
import { keptMemoryPlace } from "../src/session/history-places.ts";

const timeout = testScale.isLong ? 3_600_000 : 240_000;

describe("a check of lists detects", () => {
  const { ids } = scriptedCodecs;

  it("a codec that gives equal messages the same id", { timeout }, async () => {
    const codec: typeof ids = {
      ...ids,
      identify: (message) => ({ ...ids.identify(message), key: `${message.kind} ${message.text}` }),
    };

    await expect(
      checkListChanges({
        ...scriptedLists(codec),
        createPlace: keptMemoryPlace,
        openSession: sessionsWith(),
        runs: 100,
      }),
    ).rejects.toThrow(
      expect.objectContaining({
        cause: expect.objectContaining({ message: expect.stringMatching(/the view ends with/u) }),
      }),
    );
  });

  it("a session that shows a second report of a result", { timeout }, async () => {
    const openSession: OpenTriedSession = async (parts, host) => {
      const session = await sessionsWith()(parts, host);
      return {
        ...session,
        async ingestAndView(list, options) {
          const view = await session.ingestAndView(list, options);
          const last = list.messages.at(-1)?.decode();
          if (last?.role !== "toolResult") return view;
          const report = { role: "user", content: last.content } as const;
          return { ...view, messages: [...view.messages, report] };
        },
      };
    };

    await expect(
      checkListChanges({
        ...scriptedLists(ids),
        createPlace: keptMemoryPlace,
        openSession,
        runs: 100,
      }),
    ).rejects.toThrow(
      expect.objectContaining({
        cause: expect.objectContaining({ message: expect.stringMatching(/result/u) }),
      }),
    );
  });
});
