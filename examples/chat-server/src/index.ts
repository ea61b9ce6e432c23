import { jsonSchema, tool, type ToolSet } from "ai";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { openChatServer } from "./chat-server.ts";

const folder = join(process.cwd(), ".chats");
await mkdir(folder, { recursive: true });

/** The notes of each user, by their titles. */
const notes = new Map<string, Map<string, string>>();

function toolsOf(user: string): ToolSet {
  const own = notes.get(user) ?? new Map<string, string>();
  notes.set(user, own);
  return {
    list_notes: tool({
      description: "Lists the titles of the user's notes.",
      inputSchema: jsonSchema<object>({ type: "object", properties: {} }),
      execute: () => [...own.keys()].join("\n"),
    }),
    show_note: tool({
      description: "Shows a note of the user.",
      inputSchema: jsonSchema<{ title: string }>({
        type: "object",
        properties: { title: { type: "string" } },
        required: ["title"],
      }),
      execute: ({ title }) => own.get(title) ?? "There is no note with this title.",
    }),
    keep_note: tool({
      description: "Keeps a note of the user.",
      inputSchema: jsonSchema<{ title: string; text: string }>({
        type: "object",
        properties: { title: { type: "string" }, text: { type: "string" } },
        required: ["title", "text"],
      }),
      execute: ({ title, text }) => {
        own.set(title, text);
        return `kept ${title}`;
      },
    }),
  };
}

const server = await openChatServer({
  model: process.env["CHAT_MODEL"] ?? "anthropic/claude-sonnet-4.5",
  folder,
  // A real server checks a password or a token.
  userOf: ({ headers }) => headers.authorization?.replace(/^User /u, ""),
  toolsOf,
  port: 8080,
});
console.log(
  `curl -N ${server.url}/chats/first -H "authorization: User ann" -d "Keep a note: buy tea."`,
);
