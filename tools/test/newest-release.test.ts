import { describe, expect, test } from "vitest";

import { untestedRelease } from "../newest-release.ts";

const tested = [{ version: "0.73.1" }, { version: "1.5.2" }];

describe("the newest release of Pi", () => {
  test.each(["1.5.2", "1.5.1", "0.99.1"])("is tested, or the registry is behind: %s", (newest) => {
    expect(untestedRelease(newest, tested)).toBeUndefined();
  });

  test.each(["1.5.3", "1.6.0", "1.10.0", "2.0.0"])("is not tested: %s", (newest) => {
    expect(untestedRelease(newest, tested)).toBe(
      `@earendil-works/pi-coding-agent ${newest} is not tested; the tested releases in tests-e2e/src/pi-versions.ts are 0.73.1, 1.5.2`,
    );
  });

  test("is reported if the registry names no release", () => {
    expect(untestedRelease("", tested)).toBe('"" is no version of @earendil-works/pi-coding-agent');
  });
});
