import { appendFileSync } from "node:fs";

/** The part of Pi's extension interface that an observer needs. */
interface PassThroughHost {
  on(event: "context", handler: (event: { readonly messages: readonly unknown[] }) => void): void;
}

/**
 * A Pi extension that sees every `context` event and changes nothing. Managed runs are compared with it. If
 * `PASS_THROUGH_LOG` names a file, each list of messages is appended to it as a line.
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
