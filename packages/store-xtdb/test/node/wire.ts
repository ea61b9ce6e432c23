import { type IncomingHttpHeaders, request } from "node:http";

/** An HTTP answer. */
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parses the text, which is JSON or transit. */
  readonly json: () => unknown;
}

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** The address of a node, and its token. */
interface WiredNode {
  readonly url: string;
  readonly token: string;
}

/** Returns functions that send HTTP requests to a node without the client of this package. */
export function wire({ url, token }: WiredNode): Wire {
  async function send({ method = "GET", path, headers: given = {}, body }: Asked): Promise<Answer> {
    const headers = { authorization: `Bearer ${token}`, ...given };
    return await new Promise((done, fail) => {
      const sent = request(`${url}${path}`, { method, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("end", () =>
          done({
            status: response.statusCode ?? 0,
            type: response.headers["content-type"] ?? "",
            headers: response.headers,
            text,
            json: () => JSON.parse(text),
          }),
        );
        response.on("error", fail);
      });
      sent.on("error", fail);
      sent.end(body);
    });
  }

  const accepting = (accept: string) => async (path: string) =>
    await send({ path: `/_xtdb/${path}`, headers: { accept } });
  const json = accepting("application/json");

  async function post(route: string, type: string, body: string | Buffer): Promise<Answer> {
    const headers = { "content-type": type, accept: "application/json" };
    return await send({ method: "POST", path: `/_xtdb/${route}`, headers, body });
  }

  async function submit(...ops: readonly unknown[]): Promise<number> {
    const answer = await post("submit-tx", "application/json", JSON.stringify({ "tx-ops": ops }));
    if (answer.status !== 202) throw new Error(`${answer.status} ${answer.text}`);
    return (answer.json() as { readonly txId: number }).txId;
  }

  return {
    url,
    send,
    json,
    transit: accepting("application/transit+json"),
    edn: accepting("application/edn"),
    post,
    submit,
    put: async (document) => {
      const txId = await submit(["put", document]);
      await json(`await-tx?txId=${txId}`);
      return txId;
    },
    isCommitted: async (txId) => {
      const answer = await json(`tx-committed?txId=${txId}&awaitTxId=${txId}`);
      return (answer.json() as Record<string, unknown>)["txCommitted?"] === true;
    },
  };
}

export interface Wire {
  readonly url: string;
  send(asked: Asked): Promise<Answer>;
  json(path: string): Promise<Answer>;
  transit(path: string): Promise<Answer>;
  edn(path: string): Promise<Answer>;
  /** Sends a POST. The answer is JSON. */
  post(route: string, type: string, body: string | Buffer): Promise<Answer>;
  /** Submits operations in JSON and returns the transaction's id. */
  submit(...ops: readonly unknown[]): Promise<number>;
  /** Puts a document and waits until it is indexed. */
  put(document: Readonly<Record<string, unknown>>): Promise<number>;
  isCommitted(txId: number): Promise<boolean>;
}
