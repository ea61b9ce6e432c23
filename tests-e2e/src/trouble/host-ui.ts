/** The user of a session in this process. */
export interface HostUi {
  /** The object that extensions get as `ctx.ui`. Newer releases copy its own fields. */
  readonly ui: object;
  /** The texts with which extensions notified the user. */
  readonly notices: readonly string[];
}

/** Returns a user who reads notifications and answers no question. Styles leave a text as it is. */
export function silentUser(): HostUi {
  const notices: string[] = [];
  const ui = {
    notify: (text: string) => void notices.push(text),
    setStatus: nothing,
    setWidget: nothing,
    setTitle: nothing,
    select: unanswered,
    input: unanswered,
    editor: unanswered,
    confirm: async () => false,
    theme: new Proxy(
      {},
      {
        get:
          () =>
          (...texts: readonly string[]) =>
            texts.at(-1) ?? "",
      },
    ),
  };
  return { ui, notices };
}

const nothing = (): undefined => undefined;

const unanswered = async (): Promise<undefined> => undefined;
