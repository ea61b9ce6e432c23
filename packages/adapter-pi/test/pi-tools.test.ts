import { standingInstruction } from "@self-context-manager/core";

import { describe, expect, test } from "vitest";
import { freeTools } from "../src/pi-tools.ts";

const named = (...names: readonly string[]): readonly unknown[] => names.map((name) => ({ name }));

describe("the context tools", () => {
  test("have their usual names where these are free", () => {
    const tools = freeTools(named("read", "bash"));

    expect([...tools.names]).toEqual(["activate", "deactivate", "pin", "unpin", "find_objects"]);
    expect(tools.instruction).toBe(standingInstruction);
  });

  test("are all renamed where another tool has one of the names", () => {
    const tools = freeTools(named("read", "pin"));

    expect([...tools.names]).toEqual([
      "context_activate",
      "context_deactivate",
      "context_pin",
      "context_unpin",
      "context_find_objects",
    ]);
    expect(tools.activate).toBe("context_activate");
    for (const name of tools.names) expect(tools.instruction).toContain(name);
    const descriptions = tools.make(() => Promise.reject(new Error("not called")), new Set());
    expect(descriptions.map(({ description }) => description).join(" ")).toContain(
      "context_activate shows them",
    );
  });

  test("are free where the list has them already", () => {
    const made = freeTools([]).make(() => Promise.reject(new Error("not called")), new Set());

    expect(freeTools([...named("read"), ...made]).activate).toBe("activate");
  });

  test("are not added where both names are taken, so nothing may leave the view", () => {
    const tools = freeTools(named("activate", "context_pin"));

    expect(tools.names.size).toBe(0);
    expect(tools.activate).toBeUndefined();
  });
});
