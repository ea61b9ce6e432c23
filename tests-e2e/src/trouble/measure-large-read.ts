// For how long does Pi do nothing else, and how much memory does it need, if the model reads 20 lines of a large file?
//
// The newest Pi runs against a scripted model, plain and with the extension on its defaults. After the `read` the model runs
// three commands, with pauses in which the derived indexes are made. With sizes in megabytes as arguments, only these are
// measured, and the result is not kept. With `SCM_PROFILE`, a folder, each process with the extension leaves a profile of
// its processor there.
//
//   npm run dev -- check:packages && npm run dev -- exec pnpm --filter @self-context-manager/tests-e2e pi-large-read

import { keepMeasured } from "../measured.ts";
import { everyPiVersion } from "../pi-versions.ts";
import { type LargeRead, readLargeFile } from "./read-large-file.ts";

const usualSizes = [1, 5, 20, 60, 100];
const pauseMs = 2_000;
const shownSilences = 5;

const pi = everyPiVersion.at(-1);
if (pi === undefined) throw new Error("no release of Pi is installed");
const folder = process.env["SCM_PROFILE"];
const given = process.argv.slice(2).filter((text) => /^\d+$/u.test(text));
const sizes: Record<string, Readonly<Record<string, LargeRead>>> = {};
for (const megabytes of given.length > 0 ? given.map(Number) : usualSizes) {
  const profile = `--cpu-prof --cpu-prof-dir=${folder} --cpu-prof-name=${megabytes}.cpuprofile`;
  const environment: Readonly<Record<string, string>> =
    folder === undefined ? {} : { NODE_OPTIONS: profile };
  const shared = { pi, megabytes, pauseMs, environment };
  const results = {
    plain: shortened(await readLargeFile({ ...shared, isManaged: false })),
    managed: shortened(await readLargeFile({ ...shared, isManaged: true })),
  };
  sizes[`${megabytes} MB`] = results;
  console.error(megabytes, JSON.stringify(results));
}
if (given.length === 0) keepMeasured("pi-large-read", { pi: pi.version, pauseMs, sizes });

function shortened({ silences, ...others }: LargeRead): LargeRead {
  return { silences: silences.slice(0, shownSilences), ...others };
}
