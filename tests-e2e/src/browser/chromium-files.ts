import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** A browser that can be started. */
export interface BrowserFiles {
  readonly executablePath: string;
  /** The environment variables by which it finds its libraries and fonts. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The packages as they are on disk, apart from the workspace's own. */
const apart = join(import.meta.dirname, "..", "..", "..", "node_modules", ".chromium");

const installedPaths: readonly string[] = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`,
];

/**
 * Returns the browser of the tests: the one that `SCM_CHROMIUM` names, else the one of the npm package, which is for
 * Linux on x64 only, else one that is installed on the machine. Undefined if there is none.
 */
export async function browserFiles(): Promise<BrowserFiles | undefined> {
  const named = process.env["SCM_CHROMIUM"];
  if (named !== undefined && named !== "") return { executablePath: named, environment: {} };
  if (process.platform === "linux" && process.arch === "x64") return await packedBrowser();
  const found = installedPaths.find((path) => existsSync(path));
  return found === undefined ? undefined : { executablePath: found, environment: {} };
}

/** Returns the browser of the npm package. It is unpacked once, into a folder of `node_modules` of the checkout. */
export async function packedBrowser(): Promise<BrowserFiles> {
  const manifestPath = findPackageJSON("@sparticuz/chromium", import.meta.url);
  if (manifestPath === undefined) throw new Error("@sparticuz/chromium is not installed");
  const manifest: { readonly version: string } = JSON.parse(await readFile(manifestPath, "utf8"));
  const home = join(apart, manifest.version);
  if (!existsSync(home)) await unpack(join(dirname(manifestPath), "bin"), home);
  const libraries = [join(home, "al2023", "lib"), process.env["LD_LIBRARY_PATH"] ?? ""];
  return {
    executablePath: join(home, "chromium"),
    environment: {
      LD_LIBRARY_PATH: libraries.filter((path) => path !== "").join(":"),
      FONTCONFIG_FILE: join(home, fontsFile),
    },
  };
}

/** The libraries in the second file are those that a machine without a desktop lacks, such as `libnss3`. */
const packedFiles = ["chromium.br", "al2023.tar.br", "fonts.tar.br"] as const;

async function unpack(from: string, home: string): Promise<void> {
  // Two workers can unpack at the same time. The first one that is ready wins.
  await mkdir(dirname(home), { recursive: true });
  const own = await mkdtemp(`${home}.`);
  const paths = packedFiles.map((name) => join(from, name));
  const script = `import { inflate } from "@sparticuz/chromium"; await Promise.all(${JSON.stringify(paths)}.map(inflate));`;
  // The package unpacks into the folder for temporary files, so it gets a process whose folder is another one.
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: own },
  });
  await writeFile(join(own, fontsFile), fontsConfiguration(join(home, "fonts")));
  try {
    await rename(own, home);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
}

const fontsFile = "fonts-of-tests.conf";

/** The packed font has no arrows and no fixed width, so those of the machine are used beside it. */
function fontsConfiguration(packed: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>${packed}</dir>
<dir>/usr/share/fonts</dir>
<cachedir>${packed}/cache</cachedir>
${preferred("system-ui", "Open Sans", "DejaVu Sans")}
${preferred("sans-serif", "Open Sans", "DejaVu Sans")}
${preferred("monospace", "DejaVu Sans Mono", "Liberation Mono")}
</fontconfig>
`;
}

function preferred(family: string, ...fonts: readonly string[]): string {
  const families = fonts.map((font) => `<family>${font}</family>`).join("");
  return `<alias><family>${family}</family><prefer>${families}</prefer></alias>`;
}
