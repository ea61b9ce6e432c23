import type { ExtensionHost } from "./extension-host.ts";

/** Adds a custom message as the last message of each request. Its time is constant, and its text is not. */
// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default function remindWithFixedTime(pi: ExtensionHost): void {
  let count = 0;
  pi.on("context", ({ messages }) => {
    count += 1;
    const content = `REMINDER number ${count}: keep to the task`;
    const reminder = { role: "custom", customType: "reminder", content, display: false };
    return { messages: [...messages, { ...reminder, timestamp: 1_700_000_000_000 }] };
  });
}
