import { describe, expect, it } from "vitest";

import { dropsNewest, withoutHandles } from "../../src/models/planted.ts";
import { evaluationTable } from "../../src/report/evaluation-table.ts";
import { modelBy, resultsOf } from "./evaluated-results.ts";
import { keepingArm } from "./run-host.ts";
import { smallTasks } from "./small-tasks.ts";

describe("an evaluation with the forgetful model", () => {
  it.each([
    ["that loses the newest result", dropsNewest],
    ["whose lines name no handle", withoutHandles],
  ])("finds a view %s", async (_, planted) => {
    const results = await resultsOf({
      arms: [keepingArm("plain", 2), { ...keepingArm("planted", 2), title: "With a fault." }],
      tasks: new Map([[1, smallTasks(6)]]),
      model: modelBy((arm) => ({
        kind: "forgetful",
        seed: 1,
        ...(arm === "planted" ? { sees: planted } : {}),
      })),
    });

    const [, faulty] = evaluationTable(results).arms;
    expect(faulty?.comparison).toMatchObject({ both: 0, onlyBaseline: 6, nonInferiority: "worse" });
  });

  it("finds that a view which keeps one result is too short for two facts", async () => {
    const results = await resultsOf({
      arms: [keepingArm("plain"), keepingArm("short", 1)],
      tasks: new Map([[1, smallTasks(6)]]),
      model: modelBy(() => ({ kind: "forgetful", seed: 1 })),
    });

    const [, short] = evaluationTable(results).arms;
    expect(short?.comparison).toMatchObject({ nonInferiority: "worse" });
  });
});
