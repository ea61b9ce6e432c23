import { afterEach, expect, it, vi } from "vitest";

import { openClawCodec } from "../src/openclaw-messages.ts";
import { type FakeCall, fakeGateway } from "./fake-gateway.ts";

afterEach(() => void vi.restoreAllMocks());

const calls = Array.from({ length: 20 }, (_, index): FakeCall => ({
  name: "exec",
  args: { command: `print ${index}` },
  result: "done",
}));

it("identifies each message of a request once, and each of its view once", async () => {
  await using gateway = await fakeGateway();
  const { runtime } = gateway;
  const assemble = runtime.assemble.bind(runtime);
  const identify = vi.spyOn(openClawCodec, "identify");
  const identified: number[] = [];
  const listed: number[] = [];
  vi.spyOn(runtime, "assemble").mockImplementation(async (...given) => {
    identify.mockClear();
    const result = await assemble(...given);
    identified.push(identify.mock.calls.length);
    listed.push(gateway.messages.length);
    return result;
  });
  await gateway.turn("go", calls);

  await gateway.turn("on", calls.slice(0, 2));

  const [begin, first, ...others] = identified.slice(-4);
  // Nothing has left the view. Two messages show where the turn begins.
  const both = listed.slice(-3).map((count) => 2 * count);
  expect(both[0]).toBeGreaterThan(80);
  expect([begin, first, ...others]).toEqual([2, Number(both[0]) + 2, ...both.slice(1)]);
});
