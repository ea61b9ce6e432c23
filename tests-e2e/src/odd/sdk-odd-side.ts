import {
  memoryFolder,
  type ModelReply,
  type ModelRequest,
  type ModelToolCall,
} from "@self-context-manager/testkit";
import { generateText, isStepCount, jsonSchema, type ModelMessage, tool, type ToolSet } from "ai";

import { openScriptedModel } from "../ai-sdk/scripted-sdk-model.ts";
import { openSdkChat, said } from "../ai-sdk/sdk-chat.ts";
import { sdkTools } from "../ai-sdk/sdk-tools.ts";
import {
  type OddAnswer,
  type OddCall,
  oddFiles,
  type OddScenario,
  type OddSide,
  plainText,
} from "./odd-scenario.ts";

/** Plays a scenario in an app on the AI SDK, with managed context or without. */
export async function sdkOddSide(scenario: OddScenario, isManaged: boolean): Promise<OddSide> {
  const waiting: ModelReply[] = [];
  const problems: string[] = [];
  const tools = appTools();
  const scripted = oddReplies();
  const sdk = await openScriptedModel({
    thinking: "free",
    model: () => waiting.shift() ?? { text: "", calls: [], refuses: "the script has ended" },
  });
  await using chat = await openSdkChat({
    tools,
    openModel: async () => await Promise.resolve(sdk),
  });
  let messages: readonly ModelMessage[] = [];

  const plainRun = async (): Promise<readonly ModelMessage[]> => {
    const options = { stopWhen: isStepCount(100), maxRetries: 0 };
    const result = await generateText({
      ...options,
      model: sdk.model,
      messages: [...messages],
      tools,
    });
    return result.responseMessages;
  };

  await scenario.play({
    async prompt(text, ...answers) {
      waiting.push(...answers.map(scripted));
      messages = [...messages, said(text)];
      try {
        const made = isManaged ? await chat.run(messages, []) : await plainRun();
        messages = [...messages, ...made];
      } catch (error) {
        problems.push(`the prompt ${text} failed: ${String(error)}`);
      }
      if (waiting.length > 0) problems.push(`the prompt ${text} left ${waiting.length} answers`);
      waiting.length = 0;
    },
    async resume() {
      if (isManaged) await chat.restart();
    },
    async compact(text) {
      const last = messages.findLastIndex(({ role }) => role === "user");
      messages = [said(text), ...messages.slice(last)];
      await Promise.resolve();
    },
  });
  return {
    requests: sdk.requests.map((request) => ({
      texts: request.messages.map(({ text }) => text),
      results: request.messages.filter(({ role }) => role === "tool").length,
    })),
    problems: [...problems, ...sdk.requests.flatMap(unpairedCalls)],
    notices: chat.notices,
  };
}

function appTools(): ToolSet {
  const inputSchema = jsonSchema<object>({ type: "object", properties: {} });
  return {
    ...sdkTools(memoryFolder(oddFiles)),
    print_lines: tool({
      inputSchema: jsonSchema<{ lines: number }>({
        type: "object",
        properties: { lines: { type: "number" } },
      }),
      execute: ({ lines }) =>
        Array.from({ length: lines }, (_, index) => `the words of line_${index + 1}\n`).join(""),
    }),
    plain_text: tool({ inputSchema, execute: () => plainText }),
    nothing: tool({ inputSchema, execute: () => null }),
  };
}

/** The tools that get odd arguments: those of the app, and one that it does not have. */
const calledTools = ["show", "read", "write", "no_such_tool"] as const;

/** Returns a function that makes the model's answers, with an id for each call that has none. */
function oddReplies(): (answer: OddAnswer) => ModelReply {
  let calls = 0;
  const callsOf = ({ id, calls: called }: OddCall): readonly ModelToolCall[] => {
    const made: readonly (readonly [string, unknown])[] =
      "shows" in called
        ? [["show", { path: called.shows, ...called.beside }]]
        : "gives" in called
          ? [[called.gives === "null" ? "nothing" : "plain_text", {}]]
          : "prints" in called
            ? [["print_lines", { lines: called.prints }]]
            : calledTools.map((name) => [name, called.args]);
    return made.map(([name, args]) => {
      calls += 1;
      // A model can give anything as arguments.
      return { id: id ?? `call_${calls}`, name, arguments: args as ModelToolCall["arguments"] };
    });
  };
  return (answer) => {
    if (typeof answer === "string") return { text: answer, calls: [] };
    return "thinking" in answer
      ? { ...answer, calls: [] }
      : { text: "", calls: answer.flatMap(callsOf) };
  };
}

/** Returns the calls of a request whose results do not follow them in order. */
function unpairedCalls({ messages }: ModelRequest): readonly string[] {
  return messages.flatMap(({ toolCalls }, index) => {
    const results = messages.slice(index + 1, index + 1 + toolCalls.length);
    const given = results.map(({ toolCallId }) => toolCallId);
    const ids = toolCalls.map(({ id }) => id);
    return JSON.stringify(given) === JSON.stringify(ids)
      ? []
      : [`the calls ${ids.join(", ")} have the results ${given.join(", ")}`];
  });
}
