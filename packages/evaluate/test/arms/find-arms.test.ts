import { describe, expect, it } from "vitest";

import { armHash } from "../../src/arms/arm-hash.ts";
import { armNames, findArms } from "../../src/arms/find-arms.ts";
import { namedArms } from "../../src/arms/named-arms.ts";
import { checkSettings } from "../../src/arms/settings-arm.ts";
import type { Arm } from "../../src/model/arm.ts";
import { EvaluateError } from "../../src/model/evaluate-error.ts";

describe("findArms", () => {
  it("returns the arms in the order of the names", () => {
    const arms = findArms(["thrifty", "plain"]);

    expect(arms.map(({ name, isManaged }) => [name, isManaged])).toEqual([
      ["thrifty", true],
      ["plain", false],
    ]);
  });

  it("names the near arms and all others if there is none of this name", () => {
    expect(failure(["defualt"])).toMatch(/no arm "defualt"; did you mean default\?/u);
    expect(failure(["literally"])).toContain("did you mean literal?");
    expect(failure(["xyz"])).toMatch(/no arm "xyz"\. The arms are plain, default, .*setting:NAME/u);
  });

  it("refuses an arm that is there twice", () => {
    expect(failure(["plain", "default", "plain"])).toContain("the arm plain is there twice");
  });

  it("reads settings whose values contain commas", () => {
    const [arm] = findArms(['setting:SCM_EPOCHS={"small":1,"trim":null},SCM_ALIVE=40']);

    expect(arm?.environment).toEqual({ SCM_EPOCHS: '{"small":1,"trim":null}', SCM_ALIVE: "40" });
    expect(arm?.name).toMatch(/^[\w.-]+$/u);
  });

  it.each([
    ["setting:SCM_ALIVE", /no setting; write setting:NAME=VALUE/u],
    ["setting:SCM_ALIVE=many", /SCM_ALIVE.*many.*whole number from 1/u],
    ["setting:SCM_ALIVE=300", /alive.*300/u],
    ["setting:SCM_ALIV=3", /did you mean SCM_ALIVE\?/u],
    ["setting:SCM_STORE=a.sqlite", /SCM_STORE cannot be set/u],
    ["setting:SCM_BREAKPOINTS=no", /own or host/u],
    ["compaction:sixty", /a number of tokens/u],
    ["extension:--registry=x y", /not the npm name/u],
  ])("refuses %s", (name, message) => {
    expect(failure([name])).toMatch(message);
  });

  it("takes the npm name of another extension with its version", () => {
    const [arm] = findArms(["extension:@someone/pi-context@1.2.3"]);

    expect(arm).toMatchObject({
      name: "extension-someone-pi-context-1.2.3",
      isManaged: false,
      extension: "@someone/pi-context@1.2.3",
    });
  });

  it("takes the tokens of a compaction from its name", () => {
    const [usual, early] = findArms(["compaction", "compaction:40000"]);

    expect([usual?.compactsAt, early?.compactsAt]).toEqual([60_000, 40_000]);
  });
});

describe("armNames", () => {
  it("splits at commas, except inside the settings of an arm", () => {
    const text =
      'plain,setting:SCM_EPOCHS={"small":1,"share":2},SCM_ALIVE=40,default,setting:SCM_FOLD=off';

    expect(armNames(text)).toEqual([
      "plain",
      'setting:SCM_EPOCHS={"small":1,"share":2},SCM_ALIVE=40',
      "default",
      "setting:SCM_FOLD=off",
    ]);
  });
});

describe("the named arms", () => {
  it.each(namedArms)("$name has settings that the context manager takes", (arm) => {
    expect(() => checkSettings(arm.name, arm.environment)).not.toThrow();
    expect(arm.isManaged || Object.keys(arm.environment).length === 0).toBe(true);
  });

  it("have different hashes, which do not depend on the wording", () => {
    const hashes = new Set(namedArms.map(armHash));
    const [first] = namedArms as readonly [Arm];

    expect(hashes.size).toBe(namedArms.length);
    expect(armHash({ ...first, title: "Other words." })).toBe(armHash(first));
  });
});

function failure(names: readonly string[]): string {
  try {
    findArms(names);
  } catch (error) {
    return EvaluateError.is(error) && error.code === "EVALUATE_PLAN" ? error.message : "";
  }
  return "";
}
