import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** Writes the licences of all packages that a bundle contains into a file: their terms ask for it. */
export function bundledNotices(file: string): Plugin {
  return {
    name: "bundled-notices",
    setup: (build) => {
      build.initialOptions.metafile = true;
      build.onEnd(({ metafile }) => {
        const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) =>
          Object.keys(output.inputs),
        );
        const folders = inputs.flatMap((input) => {
          const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(input) ?? [];
          return folder === undefined ? [] : [folder];
        });
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, [...new Set(folders)].map(noticeOf).toSorted().join("\n"));
      });
    },
  };
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  ) as Record<string, string>;
  const licence = readdirSync(folder).find((one) => /^licen[cs]e/iu.test(one));
  if (licence === undefined) throw new TypeError(`${folder} has no file with its licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, licence), "utf8").trim()}\n`;
}
