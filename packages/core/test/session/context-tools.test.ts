import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";

import {
  contextTools,
  contextToolsBeside,
  declarations,
  toolTokens,
} from "../../src/session/context-tools.ts";

/** The greatest number of tokens of the tools and the instruction in each request. */
const most = 400;

/** The tokens of what a host adds to each request, as JSON and text. */
function tokensBeside(hostTools: readonly string[]): number {
  const { tools, instruction } = contextToolsBeside(hostTools);
  const declared = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }));
  return encode(JSON.stringify(declared)).length + encode(instruction).length;
}

/** The texts that the model reads before its first call. */
function textsBeside(hostTools: readonly string[]): string {
  const { tools, instruction } = contextToolsBeside(hostTools);
  return [instruction, ...tools.map(({ description }) => description)].join("\n");
}

describe("the context tools and the instruction", () => {
  it("have at most 400 tokens beside the tools of a host that reads files", () => {
    expect(tokensBeside(["read", "bash", "edit", "write"])).toBeLessThanOrEqual(most);
  });

  it("are estimated within 5 % of their tokens", () => {
    const named = contextToolsBeside(["read"]);
    const tokens = [named.instruction, ...declarations(named.tools)].map(
      (text) => encode(text).length,
    );

    const whole = tokens.reduce((sum, one) => sum + one, 0);
    expect(Math.abs(toolTokens(named) / whole - 1)).toBeLessThan(0.05);
  });

  it.each([
    { what: "under other names", hostTools: ["read", "pin"], more: 40 },
    { what: "in a host without a tool that reads files", hostTools: [], more: 60 },
  ])("have at most $more tokens more $what", ({ hostTools, more }) => {
    expect(tokensBeside(hostTools)).toBeLessThanOrEqual(most + more);
  });

  it.each([
    ["the handles of files and of outputs", /f1.*t3/u],
    ["the line that an output leaves, and how it is shown again", /activate t3 .*\[t3 ok, .*\]/u],
    [
      "the stand-in for arguments, which it may not write",
      /Never write \[\d+ characters, now in f3 v2\]/u,
    ],
    ["the forms of a name", /handle, path or name; f1@2: .*; f1#Costs: .*; chat#t3: /u],
    ["the fields of a document", /field: headings, tags, links/u],
    ["the types that it can look for", /type: note, file, toolcall, user, chat/u],
    ["the marks in notes", /#tags and \[\[links\]\]/u],
    ["a note on what it removes", /your note/u],
  ])("tell the model %s", (_, told) => {
    expect(textsBeside(["read"])).toMatch(told);
  });

  it("name every argument once, and describe each tool", () => {
    const named = contextTools.map(({ name, description, parameters }) => [
      name,
      description === "" ? "nothing" : Object.keys(parameters.properties).join(" "),
    ]);

    expect(Object.fromEntries(named)).toEqual({
      read: "path offset limit",
      activate: "id from to turn field",
      deactivate: "id note",
      pin: "id",
      unpin: "id",
      find_objects: "words tag relation path type session",
    });
  });
});
