import * as fc from "fast-check";
import { expect, it } from "vitest";
import { distinctNames } from "../../src/render/distinct-names.ts";
import { blockHeader } from "../../src/render/content-block.ts";
import { poolLine } from "../../src/render/reference-line.ts";
import { shortName } from "../../src/render/short-name.ts";
import { shownAs } from "../../src/render/shown-as.ts";
import { entrySample, fileSample } from "../samples.ts";

const anyName = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom("/", ".", " ", "-", "…"),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
    ),
    minLength: 1,
    maxLength: 90,
  })
  .filter((name) => name.trim() !== "");

it("recognises each name that a line shows, in any composition", () => {
  fc.assert(
    fc.property(
      anyName,
      fc.option(anyName),
      fc.integer({ min: 2, max: 60 }),
      (path, nickname, weight) => {
        const own = { path: `/work/${path}`, ...(nickname === null ? {} : { nickname }) };
        const body = fileSample(own);
        const call = fileSample({ type: "toolcall", path: null, args_display: `bash: ${path}` });
        const entry = entrySample("f1", body);
        const shown: readonly (readonly [typeof body, string])[] = [
          [body, shortName("/work", body, weight)],
          [body, shortName("/work", body)],
          [body, blockHeader(entry, "/work", undefined, 0).replace(/^f1 (.*) v1$/u, "$1")],
          [body, poolLine(entry, "/work").replace(/^f1 (.*) 6$/u, "$1")],
          [body, poolLine(entry, "/work", { nameWeight: 60 }).replace(/^f1 (.*) 6$/u, "$1")],
          [call, shortName("/work", call, weight)],
        ];

        for (const [of, text] of shown) {
          for (const form of ["NFC", "NFD"])
            expect([text, shownAs("/work", of, text.normalize(form))]).not.toEqual([
              text,
              undefined,
            ]);
        }
      },
    ),
  );
});

it.each(["b.ts", "…b.ts", "a…", "…a.ts…", "a…a.ts", "a.ts…", "a.t", ""])(
  "does not take %j for a shown name of src/a.ts",
  (text) => {
    expect(shownAs("/work", fileSample({ path: "/work/src/a.ts" }), text)).toBeUndefined();
  },
);

it("gives different objects different names where a line has no handles", () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyName, { minLength: 2, maxLength: 6 }), (names) => {
      const objects = names.map((name, index) => ({
        ...fileSample({ path: `/work/${name}` }),
        id: `id-${index}` as ReturnType<typeof fileSample>["id"],
      }));
      const shown = distinctNames("/work", objects);

      expect(new Set(shown.map((name) => name.normalize("NFC"))).size).toBe(names.length);
    }),
  );
});

it("names objects without handles by their short names, and by whole ones if these are equal", () => {
  const long = (folder: string) =>
    fileSample({ path: `/work/packages/${folder}/src/session/with/folders/context-session.ts` });
  const near = fileSample({ path: "/work/b.md" });

  expect(distinctNames("/work", [long("core"), near])).toEqual([
    shortName("/work", long("core")),
    "b.md",
  ]);
  expect(distinctNames("/work", [long("core"), long("links"), near])).toEqual([
    "packages/core/src/session/with/folders/context-session.ts",
    "packages/links/src/session/with/folders/context-session.ts",
    "b.md",
  ]);
});
