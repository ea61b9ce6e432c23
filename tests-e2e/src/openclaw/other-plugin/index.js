// A plugin of OpenClaw that asks the test for the text of each result.

/** @typedef {{ readonly type: string, readonly text?: string }} Block */

// oxlint-disable-next-line import/no-default-export -- OpenClaw loads a plugin by its default export.
export default {
  id: "other",
  name: "Other",
  description: "Changes the results of tools as a test asks for it.",
  /** @param {any} api */
  register(api) {
    api.registerAgentToolResultMiddleware(
      /** @param {{ result: { content: readonly Block[] } }} event @param {{ sessionKey?: string }} context */
      async ({ result }, { sessionKey }) => {
        const content = await Promise.all(
          result.content.map(async (block) => {
            if (block.type !== "text") return block;
            const body = JSON.stringify({ sessionKey, text: block.text });
            const response = await fetch(api.pluginConfig.url, { method: "POST", body });
            return { ...block, text: await response.text() };
          }),
        );
        return { result: { ...result, content } };
      },
      { runtimes: ["openclaw"] },
    );
  },
};
