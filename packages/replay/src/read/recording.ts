import type {
  DamagedLine,
  RecordedAssistant,
  RecordedMessage,
  RecordedSystem,
  RecordedToolResult,
  RecordedUser,
} from "./recorded-session.ts";

/** A result with the id that the call has in the recording. */
export type RecordedAnswer = Omit<RecordedToolResult, "role" | "toolName">;

/** The facts of a model call apart from its content. */
export type ModelCallFacts = Omit<RecordedAssistant, "role" | "content">;

/**
 * Collects rows while a file is read.
 *
 * The rows follow the rules of the neutral format, in whatever order the recorder wrote them: exactly one result
 * follows each tool call directly, a missing result is synthesised, and a repeated call id gets `#2`, `#3` … A model
 * call without content is left out.
 */
export interface Recording {
  add(row: RecordedSystem | RecordedUser): void;
  /** Begins a model call. */
  call(content: RecordedAssistant["content"], facts: ModelCallFacts): void;
  /** Adds to the newest model call and replaces known facts. Returns whether there is a model call. */
  extendCall(content: RecordedAssistant["content"], facts: ModelCallFacts): boolean;
  /** The facts of the newest model call. */
  newestCall(): ModelCallFacts | undefined;
  /** Gives the newest tool call with this id its result; a second result is not used. */
  answer(answer: RecordedAnswer, line: number): void;
  damaged(line: number, reason: string): void;
  finish(): { readonly rows: readonly RecordedMessage[]; readonly damaged: readonly DamagedLine[] };
}

/** A tool call, with whether it has its result. */
interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly of: ModelCall;
  isAnswered: boolean;
}

interface ModelCall {
  readonly content: RecordedAssistant["content"][number][];
  facts: ModelCallFacts;
  readonly calls: OpenCall[];
  /** In the order in which they arrived. */
  readonly results: RecordedToolResult[];
}

export function recording(): Recording {
  const entries: (RecordedSystem | RecordedUser | ModelCall)[] = [];
  const damagedLines: DamagedLine[] = [];
  const uses = new Map<string, number>();
  const known = new Map<string, OpenCall>();
  let newest: ModelCall | undefined;

  const append = (modelCall: ModelCall, content: RecordedAssistant["content"]): void => {
    for (const block of content) {
      if (block.type !== "toolCall") {
        modelCall.content.push(block);
        continue;
      }
      const use = (uses.get(block.id) ?? 0) + 1;
      uses.set(block.id, use);
      const id = use === 1 ? block.id : `${block.id}#${use}`;
      const call: OpenCall = { id, name: block.name, of: modelCall, isAnswered: false };
      modelCall.content.push(use === 1 ? block : { ...block, id });
      modelCall.calls.push(call);
      known.set(block.id, call);
    }
  };

  return {
    add(row) {
      entries.push(row);
    },
    call(content, facts) {
      newest = { content: [], facts, calls: [], results: [] };
      entries.push(newest);
      append(newest, content);
    },
    extendCall(content, facts) {
      if (newest === undefined) return false;
      append(newest, content);
      newest.facts = { ...newest.facts, ...facts };
      return true;
    },
    newestCall() {
      return newest?.facts;
    },
    answer({ toolCallId, ...answer }, line) {
      const call = known.get(toolCallId);
      if (call === undefined) {
        damagedLines.push({
          line,
          reason: `a result of the call ${toolCallId}, which is missing`,
        });
      } else if (call.isAnswered) {
        damagedLines.push({ line, reason: `a second result of the call ${toolCallId}` });
      } else {
        call.isAnswered = true;
        const { id, name } = call;
        call.of.results.push({ role: "toolResult", toolCallId: id, toolName: name, ...answer });
      }
    },
    damaged(line, reason) {
      damagedLines.push({ line, reason });
    },
    finish() {
      const rows = entries.flatMap((entry) => ("calls" in entry ? rowsOf(entry) : [entry]));
      return { rows, damaged: damagedLines };
    },
  };
}

function rowsOf({ content, facts, calls, results }: ModelCall): readonly RecordedMessage[] {
  if (content.length === 0) return [];
  const missing = calls.filter(({ isAnswered }) => !isAnswered).map(missingResult);
  return [{ role: "assistant", content, ...facts }, ...results, ...missing];
}

function missingResult({ id, name }: OpenCall): RecordedToolResult {
  return {
    role: "toolResult",
    toolCallId: id,
    toolName: name,
    content: [{ type: "text", text: "[no result recorded]" }],
    isError: true,
    synthetic: true,
  };
}
