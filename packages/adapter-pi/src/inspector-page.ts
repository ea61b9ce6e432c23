/** The inspector's page of one session: opened when it is asked for, once, and closed with the session. */
export interface InspectorPage extends AsyncDisposable {
  /** Opens the page, if it is not open, and returns its address. After a failure the next call tries again. */
  address(): Promise<string>;
}

/** A page that is open. */
export interface ServedPage extends AsyncDisposable {
  readonly url: string;
}

/** Returns the page that a function opens. */
export function inspectorPage(open: () => Promise<ServedPage>): InspectorPage {
  let opening: Promise<ServedPage> | undefined;
  let isClosed = false;
  return {
    async address() {
      if (isClosed) throw new Error("the session is closed");
      opening ??= open();
      const mine = opening;
      try {
        return (await mine).url;
      } catch (error) {
        if (opening === mine) opening = undefined;
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const opened = opening;
      opening = undefined;
      // Who asked for a page that could not be opened has got the error.
      await (await opened?.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}
