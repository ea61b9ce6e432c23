// What does managed context save in Pi, and what does it cost between two calls?
//
// Real Pi does the work of the long session five times over, with the extension and without it, on the protocols of two
// providers. A scripted model of this process bills by the rules of their prompt caches. Run it by hand:
//
//   npm run dev -- exec pnpm --filter @self-context-manager/tests-e2e pi-costs
import { keepMeasured, rounded } from "../measured.ts";
import { piVersions } from "../pi-versions.ts";
import { pricedRun, type PricedRun, pricesOf, unitsOf } from "./priced-run.ts";

const rounds = process.env["SCM_BENCH"] === "quick" ? 1 : 5;
const [pi] = piVersions.slice(-1);
if (pi === undefined) throw new Error("no version of Pi is installed");

const measured: Record<string, object> = {};
for (const rules of ["openai", "anthropic"] as const) {
  const plain = await timed(() => pricedRun({ pi, rules, rounds }));
  const managed = await timed(() => pricedRun({ pi, rules, rounds, managed: {} }));
  const unfolded = await timed(() =>
    pricedRun({ pi, rules, rounds, managed: { SCM_FOLD: "off" } }),
  );
  const cost = (one: PricedRun): number => unitsOf(one.billed, pricesOf[rules]);
  measured[rules] = {
    calls: plain.run.billed.length,
    ratio: rounded(cost(managed.run) / cost(plain.run)),
    ratioWithoutFolds: rounded(cost(unfolded.run) / cost(plain.run)),
    plain: rounded(cost(plain.run)),
    managed: rounded(cost(managed.run)),
    largestPrompt: { managed: largest(managed.run), plain: largest(plain.run) },
    readAgain: managed.run.readAgain,
    failures: [...plain.run.failures, ...managed.run.failures, ...unfolded.run.failures],
    secondsOfRun: { managed: managed.seconds, plain: plain.seconds },
  };
  console.log(rules, measured[rules]);
}
keepMeasured("pi-costs", { pi: pi.version, ...measured });

async function timed(
  make: () => Promise<PricedRun>,
): Promise<{ readonly run: PricedRun; readonly seconds: number }> {
  const begun = performance.now();
  const run = await make();
  return { run, seconds: rounded((performance.now() - begun) / 1000) };
}

function largest({ billed }: PricedRun): number {
  return Math.max(...billed.map(({ read, written, input }) => read + written + input));
}
