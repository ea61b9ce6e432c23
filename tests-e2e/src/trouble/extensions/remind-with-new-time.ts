import type { ExtensionHost } from "./extension-host.ts";

/** Adds a reminder as the last message of each request, in the user's role, with the time of the request. */
// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default function remindWithNewTime(pi: ExtensionHost): void {
  let count = 0;
  pi.on("context", ({ messages }) => {
    count += 1;
    const text = `REMINDER number ${count}: keep to the task`;
    const content = [{ type: "text", text }];
    return { messages: [...messages, { role: "user", content, timestamp: Date.now() }] };
  });
}
