import { request } from "node:http";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** A request that is sent as it is given: the path is not normalised, and each header can be set. */
export interface Sent {
  readonly port: number;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request to this machine. */
export async function send({ port, path, method = "GET", headers = {} }: Sent): Promise<Answer> {
  return await new Promise((done, fail) => {
    const asked = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        agent: false,
        setHost: headers["host"] === undefined,
        headers,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => void chunks.push(chunk));
        response.on("error", fail);
        response.on("end", () =>
          done({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString("utf8"),
          }),
        );
      },
    );
    asked.on("error", fail);
    asked.end();
  });
}

/** The port and the token of an inspector's address. */
export function partsOf(url: string): { readonly port: number; readonly token: string } {
  const { port, hash } = new URL(url);
  const token = new URLSearchParams(hash.slice(1)).get("token") ?? "";
  return { port: Number(port), token };
}
