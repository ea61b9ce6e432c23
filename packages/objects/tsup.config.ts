import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts"],
  format: "esm",
  target: "es2024",
  platform: "node",
  // tsup drops the prefix by itself, and `sqlite` without it is no module.
  removeNodeProtocol: false,
  sourcemap: true,
  clean: true,
  silent: true,
});
