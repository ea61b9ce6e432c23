// Hides 100 secrets of its own, and prints the texts with marks: `secret-writer PATH NAME`.
import { secretMask } from "@self-context-manager/secrets";

import { createHash } from "node:crypto";

import { secretFiles } from "../src/secret-files.ts";

const [, , path = "", name = ""] = process.argv;
const mask = secretMask(secretFiles(path, true));
const texts = Array.from({ length: 100 }, (_, index) => {
  const bytes = createHash("sha512").update(`${name} ${index}`).digest("base64");
  const token = ["ghp", bytes.replaceAll(/[^A-Za-z0-9]/gu, "").slice(0, 36)].join("_");
  return mask.hide(`TOKEN=${token}`);
});
process.stdout.write(JSON.stringify(texts));
