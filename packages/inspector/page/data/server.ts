import type { ChangeNotice, ErrorAnswer } from "../../src/answers.ts";
import { jsonLines } from "./json-lines.ts";
import { AnswerError, type Connection, type DataSource } from "./source.ts";

/** Waits between attempts to connect again, in milliseconds. After the last one the page gives up. */
const waits = [250, 500, 1000, 2000, 4000, 8000, 8000, 8000] as const;

/** The wait until another page may have made room. A page that waits so does not give up. */
const crowdedWait = 5000;

/**
 * Asks the local server that `scm inspect` runs. The token goes into a header, so no address has it. `origin`: that of the
 * server; default: the page's own.
 */
export function serverSource(token: string, origin = ""): DataSource {
  const request = async (path: string, signal?: AbortSignal): Promise<Response> => {
    let response: Response;
    try {
      response = await fetch(`${origin}/api/${path}`, {
        headers: { "x-scm-token": token },
        cache: "no-cache",
        credentials: "omit",
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (cause) {
      if (signal?.aborted === true) throw cause;
      throw new AnswerError(
        "NO_CONNECTION",
        "The inspector does not answer. It may have been stopped; start it again with `scm inspect`.",
        { cause },
      );
    }
    if (!response.ok) throw await refusal(response);
    return response;
  };

  return {
    ask: async <Answer>(path: string, signal?: AbortSignal): Promise<Answer> =>
      (await (await request(path, signal)).json()) as Answer,
    follow: (after, notice, state) => {
      const stop = new AbortController();
      void followChanges(request, { after, notice, state, signal: stop.signal });
      return () => stop.abort();
    },
  };
}

async function refusal(response: Response): Promise<AnswerError> {
  if (response.status === 401)
    return new AnswerError(
      "NO_TOKEN",
      "The inspector refuses this page's token. Open the address that `scm inspect` printed last.",
    );
  try {
    const { error } = (await response.json()) as ErrorAnswer;
    return new AnswerError(error.code, error.message);
  } catch (cause) {
    return new AnswerError("NO_ANSWER", `The inspector answered with status ${response.status}.`, {
      cause,
    });
  }
}

interface Following {
  readonly after: string;
  readonly notice: (change: ChangeNotice) => void;
  readonly state: (connection: Connection) => void;
  readonly signal: AbortSignal;
}

async function followChanges(
  request: (path: string, signal: AbortSignal) => Promise<Response>,
  { after, notice, state, signal }: Following,
): Promise<void> {
  let position = after;
  for (let attempt = 0; attempt < waits.length; attempt++) {
    let isCrowded = false;
    try {
      const response = await request(`changes?after=${encodeURIComponent(position)}`, signal);
      state("live");
      if (response.body !== null)
        for await (const line of jsonLines(response.body)) {
          const change = line as ChangeNotice;
          position = change.position;
          attempt = 0;
          notice(change);
        }
    } catch (error) {
      if (signal.aborted) return;
      // A refused token is refused again, so only a lost connection is tried again.
      if (error instanceof AnswerError && error.code === "NO_TOKEN") break;
      isCrowded = error instanceof AnswerError && error.code === "TOO_MANY_PAGES";
    }
    if (signal.aborted) return;
    state(isCrowded ? "crowded" : "reconnecting");
    const wait = isCrowded ? crowdedWait : waits[attempt];
    if (isCrowded) attempt = -1;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
  state("ended");
}
