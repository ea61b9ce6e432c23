// How much CPU time does the extension add to a model call of Pi when a session is long?
//
// The newest Pi runs through its SDK against a scripted model in this process: plain, and with a session in SQLite. They
// take turns prompt by prompt, and what the process spends in a prompt is divided by its calls. The model's server is a
// part of it in both.
//
//   npm run dev -- exec pnpm --filter @self-context-manager/tests-e2e pi-call-cpu
import { keepMeasured, median, rounded } from "../measured.ts";
import { piVersions } from "../pi-versions.ts";
import { callsOfPrompt, openRunningPi } from "./running-pi.ts";

const prompts = 50;
/** The calls of a session whose prompts are counted: around 100 and around 500. */
const counted = { 100: [6, 14], 500: [42, 50] } as const;

const spent: Record<"plain" | "managed", number[]> = { plain: [], managed: [] };
{
  await using plain = await openRunningPi(undefined);
  await using managed = await openRunningPi({ SCM_STORE_KIND: "sqlite" });
  for (let prompt = 0; prompt < prompts; prompt += 1)
    for (const [name, pi] of Object.entries({ plain, managed })) {
      const before = process.cpuUsage();
      await pi.prompt(`work on part ${prompt}`);
      const { user, system } = process.cpuUsage(before);
      spent[name as keyof typeof spent].push((user + system) / 1_000 / callsOfPrompt);
    }
}

const at = Object.entries(counted).map(([calls, [from, to]]) => {
  const [plain, managed] = [spent.plain, spent.managed].map((all) => median(all.slice(from, to)));
  const added = (managed ?? Number.NaN) - (plain ?? Number.NaN);
  return [
    calls,
    { plain: rounded(plain ?? 0), managed: rounded(managed ?? 0), added: rounded(added) },
  ];
});
keepMeasured("pi-call-cpu", {
  pi: piVersions.at(-1)?.version,
  unit: "milliseconds of CPU time per model call, median of eight prompts",
  atCalls: Object.fromEntries(at),
  aim: { addedAt500: 8 },
});
process.exit();
