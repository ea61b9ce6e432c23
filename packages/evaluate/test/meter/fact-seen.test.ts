import { describe, expect, it } from "vitest";

import { factSeen, factValue } from "../../src/meter/fact-seen.ts";
import type { Fact } from "../../src/model/task.ts";

const fact = (fields: Partial<Fact> = {}): Fact => ({
  id: "port",
  pattern: "^port = (\\d+)$",
  value: "8080",
  neededAt: [1],
  source: "server.ini",
  ...fields,
});

describe("a fact in a text", () => {
  it("is right if the last match has the right value", () => {
    expect(factSeen("port = 1\nport = 8080\n", fact())).toBe("right");
  });

  it("is stale if a later match has another value", () => {
    expect(factSeen("port = 8080\nport = 1", fact())).toBe("stale");
    expect(factValue("port = 8080\nport = 1", fact())).toBe("1");
  });

  it("is absent without a match", () => {
    expect(factSeen("a port = 8080", fact())).toBe("none");
  });

  it("can be searched again, because no position is kept", () => {
    const port = fact();

    expect([factSeen("port = 8080", port), factSeen("port = 8080", port)]).toEqual([
      "right",
      "right",
    ]);
  });

  it.each([["port = ("], ["port"], ["(a)(b)"]])("is refused with the pattern %s", (pattern) => {
    expect(() => factSeen("", fact({ pattern }))).toThrow(
      expect.objectContaining({ code: "EVALUATE_TASK", message: expect.stringContaining("port") }),
    );
  });
});
