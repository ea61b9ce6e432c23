import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts"],
  format: "esm",
  target: "es2024",
  platform: "node",
  sourcemap: true,
  clean: true,
  silent: true,
});
