import { urlSummarizer } from "@self-context-manager/compose";
import type { ObjectId, ObjectStore, Summarizer } from "@self-context-manager/core";
import { notedBody, noteOf, noteRequest, readNote } from "@self-context-manager/core/host";
import { messageOf } from "@self-context-manager/objects";

import { CliError, UsageError } from "../cli-errors.ts";
import { type Command, type CommandCall, targetNote, targetOptions } from "../command.ts";
import { findTarget } from "../find-target.ts";
import { visible } from "../format/terminal-text.ts";
import { writeNote } from "../write-note.ts";

/** The variable with the key of the server. */
const keyVariable = "SCM_SUMMARY_KEY";

export const summarizeCommand: Command = {
  name: "summarize",
  summary: "have a model write the notes of objects",
  arguments: "TARGET...",
  argumentCount: { least: 1, most: 200 },
  options: {
    url: {
      value: "URL",
      help: "a server with OpenAI's chat completions: http://127.0.0.1:11434/v1",
    },
    model: { value: "NAME", help: "the model of the server" },
    again: { help: "also of objects that have a note" },
    ...targetOptions,
  },
  notes: `${targetNote}\nThe text of each object is sent to the server. $${keyVariable} is its key, if it requires one.
A note is one line that stays with the object; scm note writes one by hand.`,
  async run(call) {
    const summarizer = summarizerOf(call);
    const ending = new AbortController();
    void call.interruption().then(() => ending.abort());
    await using store = await call.openStore();
    let failed = 0;
    for (const target of call.arguments) {
      const { body } = await findTarget(store, call, target);
      const name = `object ${visible(body.id)}`;
      try {
        const known = call.isSet("again") ? undefined : noteOf(body);
        const note = known ?? (await made(store, body.id, summarizer, call, ending.signal));
        await call.print(`${name} has the note ${visible(JSON.stringify(note))}\n`);
      } catch (error) {
        if (ending.signal.aborted) throw new CliError("ended by the user", { cause: error });
        failed += 1;
        call.note(`${name}: no note was written: ${visible(messageOf(error))}`);
      }
    }
    if (failed === 0) return;
    const all = call.arguments.length;
    throw new CliError(`${failed} of ${all} objects got no note; the lines above say why`);
  },
};

function summarizerOf(call: CommandCall): Summarizer {
  const [url, model] = [call.text("url"), call.text("model")];
  if (url === undefined || model === undefined)
    throw new UsageError("give the server with --url, and its model with --model");
  if (!URL.canParse(url))
    throw new UsageError(
      `--url is ${JSON.stringify(url)}; give an address such as http://127.0.0.1:11434/v1`,
    );
  const key = call.environment[keyVariable];
  return urlSummarizer({ url, model, ...(key === undefined ? {} : { key }) });
}

/** Has the model write the note of an object, and returns it. */
async function made(
  store: ObjectStore,
  id: ObjectId,
  summarizer: Summarizer,
  call: CommandCall,
  signal: AbortSignal,
): Promise<string | undefined> {
  const stored = await store.get(id);
  // Nothing is sent of an object that can have no note.
  const reason = stored === undefined ? undefined : notedBody(stored, "one", "summarizer");
  if (typeof reason === "string") throw new Error(reason);
  const content = stored?.body.content ?? "";
  if (content.trim() === "") throw new Error("it has no text");
  const answer = await summarizer.summarize({ ...noteRequest(content), signal });
  const line = readNote(answer.text);
  if (line === undefined) throw new Error("the model wrote no line");
  return await writeNote(store, id, call.mask()?.hide(line) ?? line, "summarizer");
}
