import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { llmsText } from "../llms.mjs";

const root = join(import.meta.dirname, "..", "..");

test("llms.txt equals the output of `node tools/llms.mjs`", () => {
  expect(readFileSync(join(root, "llms.txt"), "utf8")).toBe(llmsText(root));
});
