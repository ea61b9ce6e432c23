import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";

import { openServerModel } from "../../src/index.ts";

test("sums the log-probabilities of the answer's tokens, and leaves out the prompt and the generated token", async () => {
  await using server = await completionsServer();

  await using model = await openServerModel({ url: server.url, model: "m" });
  const result = await model.logLikelihood("a prompt\n", "an answer");

  expect(model.window).toBe(4096);
  expect(model.name).toBe(`m@${server.url}`);
  expect(result).toEqual({ nats: -(2 + 3), tokens: 2 });
  expect(server.requests).toEqual([
    {
      model: "m",
      prompt: "a prompt\nan answer",
      echo: true,
      logprobs: 1,
      max_tokens: 1,
      temperature: 0,
    },
  ]);
});

test("the answer is found from the end, where a prompt has tokens that are parts of characters", async () => {
  await using server = await completionsServer({
    // The replacement characters make the texts of the prompt's tokens longer than the prompt.
    tokens: ["\uFFFD", "\uFFFD", "\uFFFD", "\n", "an", " answer", "generated"],
    values: [null, -10, -20, -30, -1, -2, -50],
  });

  await using model = await openServerModel({ url: server.url, model: "m" });

  expect(await model.logLikelihood("€\n", "an answer")).toEqual({ nats: -3, tokens: 2 });
});

test("a key is sent as a bearer token", async () => {
  await using server = await completionsServer({ key: "k" });

  await using model = await openServerModel({ url: server.url, model: "m", key: "k" });

  expect(model.window).toBe(4096);
  await expect(openServerModel({ url: server.url, model: "m" })).rejects.toMatchObject({
    code: "MODEL_UNUSABLE",
    message: `${server.url}/models answered with status 401: no key`,
  });
});

test("a server without a known window asks for one", async () => {
  await using server = await completionsServer();

  await expect(openServerModel({ url: server.url, model: "other" })).rejects.toMatchObject({
    code: "MODEL_UNUSABLE",
    message: `${server.url}/models does not say how long the window of other is; name it with --surprise-window`,
  });
  await using model = await openServerModel({ url: server.url, model: "other", window: 100 });
  expect(model.window).toBe(100);
});

test("a prompt above the window, a server without log-probabilities and no server have codes of their own", async () => {
  await using small = await completionsServer({ refusal: "maximum context length is 5" });
  await using silent = await completionsServer({ hasLogprobs: false });
  await using short = await openServerModel({ url: small.url, model: "m" });
  await using mute = await openServerModel({ url: silent.url, model: "m" });

  await expect(short.logLikelihood("p\n", "a")).rejects.toMatchObject({ code: "PROMPT_TOO_LONG" });
  await expect(mute.logLikelihood("p\n", "a")).rejects.toMatchObject({ code: "MODEL_UNUSABLE" });
  await small[Symbol.asyncDispose]();
  await expect(short.logLikelihood("p\n", "a")).rejects.toMatchObject({ code: "MODEL_MISSING" });
});

interface ServerBehaviour {
  readonly key?: string;
  readonly refusal?: string;
  readonly hasLogprobs?: boolean;
  readonly tokens?: readonly string[];
  readonly values?: readonly (number | null)[];
}

interface CompletionsServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly unknown[];
}

/** A server that splits a prompt before each space, and gives the token at a place its negative place. */
async function completionsServer({
  key,
  refusal,
  hasLogprobs = true,
  tokens: fixed,
  values,
}: ServerBehaviour = {}): Promise<CompletionsServer> {
  const requests: { readonly prompt: string }[] = [];
  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    };
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`)
      return answer(401, "no key");
    if (request.url === "/v1/models")
      return answer(200, { data: [{ id: "m", max_model_len: 4096 }] });
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      if (refusal !== undefined) return answer(400, { message: refusal });
      const body = JSON.parse(text) as { readonly prompt: string };
      requests.push(body);
      const split = body.prompt.split(/(?<=\n)|(?= )/u);
      const tokens = fixed ?? [...split, "generated"];
      const logprobs = {
        tokens,
        token_logprobs: values ?? tokens.map((_, at) => (at === 0 ? null : -at)),
      };
      const choice = hasLogprobs ? { logprobs } : { text: body.prompt };
      return answer(200, { choices: [choice], usage: { completion_tokens: 1 } });
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
