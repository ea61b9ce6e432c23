import type { DamageAnswer, SnapshotCall, SnapshotData } from "../../src/answers.ts";

/** Which calls of a session in a snapshot were damaged when it was made. */
export function snapshotDamage(data: SnapshotData, sessionPath: string): DamageAnswer {
  const damaged: DamageAnswer["damaged"][number][] = [];
  let calls = 0;
  for (const [path, answer] of Object.entries(data.answers)) {
    if (!path.startsWith(`${sessionPath}/calls/`)) continue;
    calls += 1;
    const { call, isVerified, problems } = answer as SnapshotCall;
    if (!isVerified) damaged.push({ call, problems: problems.map(({ text }) => text) });
  }
  return { calls, damaged: damaged.toSorted((one, other) => one.call - other.call) };
}
