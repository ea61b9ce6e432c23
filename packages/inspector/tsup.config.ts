import { defineConfig } from "tsup";
import { bundledNotices } from "./bundled-notices.ts";

export default defineConfig([
  {
    entry: ["src/index.ts"],
    format: "esm",
    target: "es2024",
    platform: "node",
    // tsup removes the prefix `node:` by default, and a module `sqlite` does not exist.
    removeNodeProtocol: false,
    sourcemap: true,
    silent: true,
  },
  {
    // The page is one script and one style sheet, with everything that it needs.
    entry: { page: "page/main.tsx" },
    outDir: "dist/page",
    tsconfig: "page/tsconfig.json",
    format: "iife",
    target: "es2022",
    platform: "browser",
    noExternal: [/./u],
    minify: true,
    esbuildPlugins: [bundledNotices("dist/page/notices.txt")],
    silent: true,
  },
]);
