import type { ByStrategy } from "../strategies/strategies.ts";
import type { ReplayReport, StrategyReport } from "./replay-report.ts";

type StrategyJson = Omit<StrategyReport, "worst"> & {
  readonly worst: { readonly session: string; readonly costRatio: number } | null;
};

/** The object that `scm replay --json` prints. */
interface ReplayJson extends Pick<ReplayReport, "corpus" | "time" | "store"> {
  readonly profiles: Readonly<Record<string, ByStrategy<StrategyJson>>>;
}

/** A report as an object for programs; `worst` is null if no session has 20 calls. */
export function replayJson({ corpus, profiles, time, store }: ReplayReport): ReplayJson {
  return {
    corpus,
    profiles: Object.fromEntries(
      Object.entries(profiles).map(([profile, strategies]) => [
        profile,
        Object.fromEntries(
          Object.entries(strategies).map(([name, report]) => [
            name,
            { ...report, worst: report.worst ?? null },
          ]),
        ) as unknown as ByStrategy<StrategyJson>,
      ]),
    ),
    time,
    store,
  };
}
