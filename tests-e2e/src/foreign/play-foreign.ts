import type { JsonObject } from "@self-context-manager/core";
import type { ModelReply, ModelToolCall } from "@self-context-manager/testkit";

import { type ForeignBreaking, type ForeignHost, foreignHost } from "./foreign-host.ts";
import type { ForeignCall, ForeignMove, ForeignSession } from "./foreign-session.ts";
import { textMaker } from "./foreign-text.ts";
import { otherExtension } from "./other-extension.ts";
import { seenTexts } from "./seen-texts.ts";
import { watchedFolder } from "./watched-folder.ts";

/**
 * Plays a session beside another extension. Returns what the model or the store got although it may not, up to the move
 * at which that happened first.
 */
export async function problemsOf(
  session: ForeignSession,
  breaking?: ForeignBreaking,
): Promise<readonly string[]> {
  const maker = textMaker();
  const outputs = new Map<string, string>();
  const files = watchedFolder(
    Object.fromEntries(
      Object.entries(session.files).map(([path, form]) => [path, maker.text(form)]),
    ),
  );
  const { folder } = files;
  const seen = seenTexts(files);
  let steps: (readonly ForeignCall[])[] = [];
  let count = 0;

  function model(): ModelReply {
    const step = steps.shift();
    const text = step === undefined ? `done ${maker.line()}` : "";
    const calls = (step ?? []).map(callOf);
    seen.takeText(JSON.stringify({ text, calls }));
    return { text, calls };
  }

  function callOf(call: ForeignCall): ModelToolCall {
    count += 1;
    const isCommand = call.tool === "bash" || call.tool === "crash" || call.tool === "cat";
    const name = isCommand ? "bash" : call.tool;
    return { id: `call_${count}`, name, arguments: argumentsOf(call) };
  }

  function argumentsOf(call: ForeignCall): JsonObject {
    switch (call.tool) {
      case "read": {
        const { file: path, offset, limit } = call;
        return { path, ...given({ offset, limit }) };
      }
      case "write":
        return { path: call.file, text: maker.text({ ...call.text, secret: -1 }) };
      case "edit":
        return {
          path: call.file,
          oldText: `${lineIn(call.file, call.line)}${call.joins ? "\n" : ""}`,
          newText: `${maker.line()}${call.joins ? ", " : ""}`,
        };
      case "bash":
      case "crash": {
        const command = `${call.tool === "bash" ? "run" : "fail"} ${count}`;
        outputs.set(command, maker.text(call.text));
        return { command };
      }
      case "cat":
        return { command: `cat ${call.file}` };
      case "activate":
        return { id: call.target, ...given({ from: call.from, to: call.to }) };
      default:
        return { id: call.target };
    }
  }

  /** Returns a line of a file that is not secret. */
  function lineIn(path: string, index: number): string {
    const lines = String(folder.get(path))
      .split("\n")
      .filter((line) => /^T:\d+:T/u.test(line));
    return lines[index % Math.max(1, lines.length)] ?? "";
  }

  async function make(host: ForeignHost, move: ForeignMove): Promise<void> {
    switch (move.type) {
      case "prompt":
        steps = [...move.steps];
        return await host.harness.prompt(`prompt ${maker.line()}`);
      case "change":
        folder.set(move.file, changed(String(folder.get(move.file)), move));
        return await host.notice();
      case "note":
        return host.harness.note(`note ${maker.line()}`);
      case "pause":
        return host.pause();
      case "resume":
        return host.resume(move.store);
    }
  }

  function changed(
    text: string,
    { how, text: form }: Extract<ForeignMove, { type: "change" }>,
  ): string {
    switch (how) {
      case "append":
        return `${text}${maker.line()}\n`;
      case "append-secret":
        return `${text}${maker.secretLine()}\n`;
      case "replace-line":
        return text.replace(/^T:\d+:T.*$/mu, () => maker.line());
      case "replace":
        return maker.text(form);
    }
  }

  const other = otherExtension(session, maker);
  const host = foreignHost({ session, model, files, other, seen, outputs, breaking });
  for (const move of session.moves) {
    await make(host, move);
    if (host.problems.length > 0) break;
  }
  return host.problems;
}

function given(values: Readonly<Record<string, number | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
