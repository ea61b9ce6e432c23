import type { Reply, ScriptedToolCall } from "@self-context-manager/evaluate/loopback";

/** A model that plays answers in order. Before it edits a text that it does not see, it reads the file again. */
export interface ReadingModel {
  /** Returns the answer to a request, of which it gets the messages. Throws `RangeError` after the last answer. */
  next(messages: unknown): Reply;
  /** The number of files that it has read again. */
  readonly readAgain: number;
}

export function readingModel(answers: readonly Reply[]): ReadingModel {
  let place = 0;
  let readAgain = 0;
  let hasRead = false;
  return {
    next(messages) {
      const answer = answers[place];
      if (answer === undefined) throw new RangeError(`the model has ${answers.length} answers`);
      const unseen = hasRead ? undefined : unseenFile(answer, JSON.stringify(messages));
      hasRead = unseen !== undefined;
      if (unseen === undefined) {
        place += 1;
        return answer;
      }
      readAgain += 1;
      const call = { id: `call_again_${readAgain}`, name: "read", arguments: { path: unseen } };
      return { type: "tool-calls", text: "I read the file again.", calls: [call] };
    },
    get readAgain() {
      return readAgain;
    },
  };
}

/** Returns the path of a file of which an answer edits a text that is not in the request. */
function unseenFile(answer: Reply, request: string): string | undefined {
  if (answer.type !== "tool-calls") return undefined;
  const unseen = answer.calls.find(
    (call) => call.name === "edit" && !request.includes(oldTextOf(call.arguments)),
  );
  return unseen === undefined ? undefined : String(Object(unseen.arguments)["path"]);
}

/** Returns the text that a call of Pi's `edit` replaces, as it is in JSON. */
function oldTextOf(args: ScriptedToolCall["arguments"]): string {
  const { edits } = args as { readonly edits: readonly { readonly oldText: string }[] };
  return JSON.stringify(edits[0]?.oldText ?? "").slice(1, -1);
}
