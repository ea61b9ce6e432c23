import { appendFileSync } from "node:fs";

/** The little of Pi's extension interface that observing takes. */
interface PassThroughHost {
  on(event: "context", handler: (event: { readonly messages: readonly unknown[] }) => void): void;
}

/**
 * A Pi extension that sees every `context` event and changes nothing: what the managed runs are
 * compared with. With `PASS_THROUGH_LOG` set to a path, it writes each message list there as a line.
 */
export const passThroughExtension = (pi: PassThroughHost): void => {
  pi.on("context", (event) => {
    const log = process.env["PASS_THROUGH_LOG"];
    if (log !== undefined) {
      appendFileSync(log, `${JSON.stringify(event.messages)}\n`);
    }
  });
};

// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default passThroughExtension;
