import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts", "src/doors/*.ts"],
  format: "esm",
  target: "es2024",
  platform: "node",
  // tsup removes the prefix `node:` by default, and a module `sqlite` does not exist.
  removeNodeProtocol: false,
  sourcemap: true,
  clean: true,
  silent: true,
});
