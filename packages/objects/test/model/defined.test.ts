import { expect, expectTypeOf, it } from "vitest";
import { defined } from "../../src/model/defined.ts";

it("leaves out undefined fields and keeps null and the order of the others", () => {
  const range = [1, 2] as readonly number[] | undefined;
  const absent = undefined as string | undefined;

  const fields = defined({ b: null, absent, a: 0, range });

  expect(Object.entries(fields)).toEqual([
    ["b", null],
    ["a", 0],
    ["range", [1, 2]],
  ]);
  expectTypeOf(fields).toEqualTypeOf<
    { b: null; a: number } & { absent?: string; range?: readonly number[] }
  >();
});
