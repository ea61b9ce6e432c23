// How much CPU time does the extension add to a model call of Pi when a session is long?
//
// The newest Pi runs through its SDK against a scripted model in this process: plain, with an extension that returns the
// list of each request as it is (`hooked`: Pi clones the list for each extension that looks at it), and with a session in
// SQLite. They take turns prompt by prompt, and what the process spends in a prompt is divided by its calls. The model's
// server is a part of it in all of them.
//
//   npm run dev -- exec pnpm --filter @self-context-manager/tests-e2e pi-call-cpu
import { keepMeasured, median, rounded } from "../measured.ts";
import { piVersions } from "../pi-versions.ts";
import { callsOfPrompt, openRunningPi } from "./running-pi.ts";

const prompts = 50;
/** The calls of a session whose prompts are counted: around 100 and around 500. */
const counted = { 100: [6, 14], 500: [42, 50] } as const;

const spent: Record<"plain" | "hooked" | "managed", number[]> = {
  plain: [],
  hooked: [],
  managed: [],
};
{
  await using plain = await openRunningPi(undefined);
  await using hooked = await openRunningPi("hooked");
  await using managed = await openRunningPi({ SCM_STORE_KIND: "sqlite" });
  for (let prompt = 0; prompt < prompts; prompt += 1)
    for (const [name, pi] of Object.entries({ plain, hooked, managed })) {
      const before = process.cpuUsage();
      await pi.prompt(`work on part ${prompt}`);
      const { user, system } = process.cpuUsage(before);
      spent[name as keyof typeof spent].push((user + system) / 1_000 / callsOfPrompt);
    }
}

const at = Object.entries(counted).map(([calls, [from, to]]) => {
  const of = (name: keyof typeof spent): number => median(spent[name].slice(from, to));
  const [plain, hooked, managed] = [of("plain"), of("hooked"), of("managed")];
  return [
    calls,
    {
      plain: rounded(plain),
      hooked: rounded(hooked),
      managed: rounded(managed),
      added: rounded(managed - plain),
      addedToHooked: rounded(managed - hooked),
    },
  ];
});
keepMeasured("pi-call-cpu", {
  pi: piVersions.at(-1)?.version,
  unit: "milliseconds of CPU time per model call, median of eight prompts",
  atCalls: Object.fromEntries(at),
  aim: { addedAt500: 8 },
});
process.exit();
