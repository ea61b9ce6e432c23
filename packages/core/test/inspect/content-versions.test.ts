import { describe, expect, it } from "vitest";

import { contentVersions } from "../../src/inspect/content-versions.ts";

describe("the versions whose content a row shows", () => {
  it.each([
    ["u12 0=u1@1:2000+800,2=u2@1 940", ["u1@1", "u2@1"]],
    ["r12.3.0 t31@2 bare 52", ["t31@2"]],
    ["r12.3.0 t31@1 ref 16", []],
    ["r12.3.0 t31@1 [f2@4:lines=10-20 f3@1:above] 90", ["f2@4"]],
    ["b [f2@4:change=3] 20", []],
    ["b [f2@4:diff=3] 60", ["f2@4"]],
    ["n 12 f2@4 is not meant", []],
    ["a12.3 0=f2@4 40", []],
  ])("of %j are %j", (row, versions) => {
    expect(contentVersions(row).map(({ handle, version }) => `${handle}@${version}`)).toEqual(
      versions,
    );
  });
});
