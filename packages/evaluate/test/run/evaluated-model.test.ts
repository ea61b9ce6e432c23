import { expect, it } from "vitest";

import { urlModel } from "../../src/meter/resolve-model.ts";
import { providerModel, testModel } from "../../src/run/evaluated-model.ts";
import { keepingArm } from "./run-host.ts";
import { madeTask } from "../made-task.ts";

it("names a server's model by the server, and by the thinking level", () => {
  const access = urlModel({
    url: "http://127.0.0.1:8080/v1",
    id: "small",
    api: "openai-completions",
    contextWindow: 8_192,
  });

  expect(providerModel(access).name).toBe("127.0.0.1:8080/small");
  expect(providerModel(access, "high").name).toBe("127.0.0.1:8080/small:high");
});

it("refuses a task without moves for a model for tests", async () => {
  const run = { task: madeTask(), seed: 1, arm: keepingArm("plain") };

  await expect(testModel("forgetful").open(run)).rejects.toMatchObject({
    code: "EVALUATE_TASK",
    message: expect.stringContaining("coding/made has no moves"),
  });
});
