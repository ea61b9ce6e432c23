import { describe, expect, it } from "vitest";

import { requestCheck } from "../src/request-check.ts";

const seen = { isSeen: true, missed: 0, isComplete: true, texts: 10_000 };

describe("a request", () => {
  it("is as its view if what the host adds grows by little", () => {
    const check = requestCheck();

    expect(check.problem({ run: "one", outcome: seen, bytes: 60_000 })).toBeUndefined();
    expect(check.problem({ run: "one", outcome: seen, bytes: 61_000 })).toBeUndefined();
    expect(check.problem({ run: "one", outcome: seen, bytes: undefined })).toBeUndefined();
  });

  it("is not as its view if it has many bytes more than the one before", () => {
    const check = requestCheck();
    check.problem({ run: "one", outcome: seen, bytes: 60_000 });

    expect(check.problem({ run: "one", outcome: seen, bytes: 80_000 })).toBe(
      "the request has 20000 bytes more than its view",
    );
  });

  it("of another run can have other tools", () => {
    const check = requestCheck();
    check.problem({ run: "one", outcome: seen, bytes: 60_000 });

    expect(check.problem({ run: "two", outcome: seen, bytes: 80_000 })).toBeUndefined();
  });

  it("is not as its view if its texts did not pass, or not all of them", () => {
    const check = requestCheck();
    const unseen = { run: "one", outcome: { ...seen, isSeen: false }, bytes: 60_000 };
    const missed = { run: "one", outcome: { ...seen, missed: 2 }, bytes: 60_000 };

    expect(check.problem(unseen)).toBe("the host did not pass the texts of the request");
    expect(check.problem(missed)).toBe("texts of the view were not in the request (2)");
  });
});
