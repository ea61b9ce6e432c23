import { StoreError } from "@self-context-manager/objects";
import { describe, expect, test } from "vitest";
import { failureNotice, lostStoreText } from "../../src/adapters/failure-notice.ts";

const unchanged = "own messages are sent to the model.";

describe("the notice of a failure", () => {
  test.each([
    ["it failed", "It failed. The next call tries again."],
    ["SCM_AT is empty", "SCM_AT is empty. The next call tries again."],
    ["it failed. The next call tries again.", "It failed. The next call tries again."],
  ])("says the reason and what follows: %s", (message, text) => {
    expect(failureNotice().failed(new Error(message))).toBe(
      `self-context-manager: The host's ${unchanged} ${text}`,
    );
  });

  test("says what the user can do, and names the host", () => {
    const options = { whose: "Pi's", advice: "SCM_OFF=1 switches it off." };
    const isLasting = (error: unknown): boolean => error === "no store";

    expect(failureNotice(options).failed("away")).toBe(
      `self-context-manager: Pi's ${unchanged} away. The next call tries again; SCM_OFF=1 switches it off.`,
    );
    expect(failureNotice({ ...options, isLasting }).failed("no store")).toBe(
      `self-context-manager: Pi's ${unchanged} No store. SCM_OFF=1 switches it off.`,
    );
  });

  test("is given once until the failure is over", () => {
    const notice = failureNotice();
    const texts = ["one", "one", "two"].map((message) => notice.failed(new Error(message)));
    const isOn = [notice.isOn];
    notice.recovered();
    isOn.push(notice.isOn);
    texts.push(notice.failed(new Error("two")), notice.failed(new Error("one")));

    expect(texts.map((text) => text !== undefined)).toEqual([true, false, false, true, false]);
    expect(isOn).toEqual([true, false]);
  });

  test("of a lost store does not repeat the advice of the error", () => {
    const error = new StoreError("STORE_LOST", "the store is gone; open it again");

    expect(lostStoreText(error)).toMatch(
      /^self-context-manager: The store is gone\. A new store was begun/u,
    );
  });
});
