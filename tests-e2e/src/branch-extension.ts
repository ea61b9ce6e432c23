/** The little of Pi's interface that going back takes. */
interface BranchHost {
  registerCommand(
    name: string,
    command: {
      readonly description: string;
      handler(args: string, context: BranchContext): Promise<void>;
    },
  ): void;
}

interface BranchContext {
  readonly sessionManager: {
    getBranch(): readonly {
      readonly id: string;
      readonly type: string;
      readonly message?: { readonly role: string };
    }[];
  };
  navigateTree(id: string, options: { readonly summarize: boolean }): Promise<unknown>;
}

/** A Pi extension with `/back N`: goes to the user's Nth message of the branch, counted from 0, as `/tree` does. */
// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default function branchExtension(pi: BranchHost): void {
  pi.registerCommand("back", {
    description: "Go back to an earlier message",
    handler: async (args, { sessionManager, ...context }) => {
      const messages = sessionManager
        .getBranch()
        .filter(({ type, message }) => type === "message" && message?.role === "user");
      const target = messages[Number(args)];
      if (target !== undefined) await context.navigateTree(target.id, { summarize: false });
    },
  });
}
