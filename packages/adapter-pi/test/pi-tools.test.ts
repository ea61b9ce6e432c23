import { standingInstruction } from "@self-context-manager/core";
import { connect, type Connection } from "@self-context-manager/core/host";
import { describe, expect, test } from "vitest";

import { piCodec } from "../src/pi-codec.ts";
import { type RegisteredTools, registeredTools } from "../src/pi-tools.ts";
import { type FakePi, fakePi } from "./fake-pi.ts";

const renamed = [
  "context_activate",
  "context_deactivate",
  "context_pin",
  "context_unpin",
  "context_find_objects",
];

/** Registers the context tools beside tools of these names. */
function registeredBeside(...names: readonly string[]): {
  readonly pi: FakePi;
  readonly tools: RegisteredTools;
  readonly connection: Connection<unknown>;
} {
  const pi = fakePi();
  for (const name of names) pi.replace({ name, description: "another extension's" });
  const tools = registeredTools(pi.api, () => connection);
  const connection: Connection<unknown> = connect({
    open: async () => await Promise.reject(new Error("not called")),
    codec: piCodec,
    encode: (message) => message,
    hostTools: tools.hostTools,
  });
  tools.register(connection);
  return { pi, tools, connection };
}

describe("the context tools", () => {
  test("have their usual names where these are free", () => {
    const { tools, connection } = registeredBeside("read", "bash");

    expect([...tools.names]).toEqual(["activate", "deactivate", "pin", "unpin", "find_objects"]);
    expect(connection.instruction).toBe(standingInstruction);
    expect(tools.canActivate()).toBe(true);
  });

  test("are all renamed where another tool has one of the names", () => {
    const { tools, connection } = registeredBeside("read", "pin");

    expect([...tools.names]).toEqual(renamed);
    expect(connection.instruction).toContain("begin with context_");
  });

  test("are registered once, and are free where the list has them already", () => {
    const { pi, tools, connection } = registeredBeside("read");
    const size = pi.tools.size;

    tools.register(connection);
    const others = registeredTools(pi.api, () => connection);
    others.register(connection);

    expect([pi.tools.size, [...others.names]]).toEqual([size, [...tools.names]]);
  });

  test("are not added where both names are taken, so nothing may leave the view", () => {
    const { tools } = registeredBeside("activate", "context_pin");

    expect(tools.names.size).toBe(0);
    expect(tools.canActivate()).toBe(false);
  });

  test("are switched off and on together, with the user's other tools as they are", () => {
    const { pi, tools } = registeredBeside("read");

    tools.switchTo(false);
    const off = [...pi.active];
    tools.switchTo(true);

    expect(off).toEqual(["read", "bash"]);
    expect(pi.active).toEqual(["read", "bash", ...tools.names]);
  });
});
