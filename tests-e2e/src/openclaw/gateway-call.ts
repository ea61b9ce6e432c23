import { fieldsOf } from "@self-context-manager/core/host";

import { once } from "node:events";

export interface GatewayCall {
  /** The gateway's address, which begins with `http://`. */
  readonly origin: string;
  readonly token: string;
  readonly method: string;
  readonly params: object;
}

/** The version of the gateway's protocol. */
const protocol = 4;

/** Without a paired device, the host accepts only this client, only on this machine, and only with the gateway's token. */
const client = { id: "gateway-client", version: "0.0.0", platform: "node", mode: "backend" };

/**
 * Calls a method of a gateway over its WebSocket and returns the first answer. The command `openclaw gateway call` does the
 * same, but takes several seconds of the processor to start.
 */
export async function callGateway({
  origin,
  token,
  method,
  params,
}: GatewayCall): Promise<unknown> {
  const socket = new WebSocket(origin.replace(/^http/u, "ws"));
  try {
    await once(socket, "open");
    await answered(socket, "connect", {
      minProtocol: protocol,
      maxProtocol: protocol,
      client,
      role: "operator",
      scopes: ["operator.admin"],
      auth: { token },
    });
    return await answered(socket, method, params);
  } finally {
    socket.close();
  }
}

/**
 * Sends a request and returns the result of its answer. Rejects if the gateway reports an error, and with `TypeError` if it
 * ends the connection.
 */
async function answered(socket: WebSocket, method: string, params: object): Promise<unknown> {
  const id = crypto.randomUUID();
  const answer = new Promise<unknown>((resolve, reject) => {
    socket.addEventListener("message", ({ data }) => {
      const frame = fieldsOf(JSON.parse(String(data)));
      if (frame["type"] !== "res" || frame["id"] !== id) return;
      if (frame["ok"] === true) resolve(frame["payload"]);
      else reject(new Error(`the method ${method} failed: ${JSON.stringify(frame["error"])}`));
    });
    socket.addEventListener("close", ({ code, reason }) => {
      reject(new TypeError(`the gateway ended the connection during ${method}: ${code} ${reason}`));
    });
  });
  socket.send(JSON.stringify({ type: "req", id, method, params }));
  return await answer;
}
