// What waits for what in one model call of Pi with the store in XTDB?
//
// The newest Pi runs through its SDK against a scripted model in this process, on the defaults, with a local node. Each operation
// of the store's port and each HTTP request to the node is recorded with its begin and its end. The result has their number
// per call, the medians of their times, the processor time of the node's process, and all of one call, in milliseconds from
// the arrival of a request to the model. With the path of another checkout, which must be built, its code takes turns prompt
// by prompt. Needs Java and Maven; run it by hand:
//
//   npm run dev -- exec pnpm --filter @self-context-manager/tests-e2e trace-pi-calls [CHECKOUT]
import { piExtension } from "@self-context-manager/adapter-pi";
import { configFromEnvironment, openContextManager } from "@self-context-manager/compose";
import type { ObjectStore, ObjectWrite } from "@self-context-manager/objects";
import { openXtdbStore, startNode, type StartedNode } from "@self-context-manager/store-xtdb";
import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { keepMeasured, median, rounded } from "../measured.ts";
import { type OtherCheckout, otherCheckout } from "./other-checkout.ts";
import { openRunningPi, type RunningPi } from "./running-pi.ts";

const prompts = 12;
const warmUp = 3;

/** An operation of the store, or a request within one. */
interface Span {
  readonly what: string;
  readonly begin: number;
  end: number;
}

/** Where a span is recorded, and the operation that it is in. */
const current = new AsyncLocalStorage<{ readonly spans: Span[]; readonly operation: string }>();

function begin(spans: Span[], what: string): Span {
  const span: Span = { what, begin: performance.now(), end: Number.NaN };
  spans.push(span);
  return span;
}

/** Returns an object whose operations are recorded. */
function recorded<Target extends object>(target: Target, spans: Span[], prefix = ""): Target {
  return new Proxy(target, {
    get(inner, name) {
      const value: unknown = Reflect.get(inner, name, inner);
      if (name === "documents" && typeof value === "object" && value !== null)
        return recorded(value, spans, "documents.");
      if (typeof value !== "function" || typeof name === "symbol" || name === "versions")
        return value;
      return async (...given: readonly unknown[]): Promise<unknown> => {
        const operation = `${prefix}${name}${name === "commit" ? typesIn(given[0]) : ""}`;
        const span = begin(spans, operation);
        try {
          return await current.run({ spans, operation }, () =>
            Promise.resolve(value.apply(inner, given)),
          );
        } finally {
          span.end = performance.now();
        }
      };
    },
  });
}

function typesIn(writes: unknown): string {
  const types = (writes as readonly ObjectWrite[]).map(({ object }) => object.body.type);
  return ` ${types.join("+")}`;
}

const requests = new WeakMap<object, Span>();
subscribe("undici:request:create", (message) => {
  const { request } = message as { readonly request: { readonly path: string } };
  const within = current.getStore();
  if (within === undefined) return;
  const route = request.path.replace(/^\/_(?:xtdb|scm)\//u, "").replace(/\?.*/u, "");
  requests.set(request, begin(within.spans, `${within.operation} > ${route}`));
});
subscribe("undici:request:trailers", (message) => {
  const span = requests.get((message as { readonly request: object }).request);
  if (span !== undefined) span.end = performance.now();
});

/** Code that is measured. */
type Code = Pick<
  OtherCheckout,
  "piExtension" | "openContextManager" | "configFromEnvironment" | "openXtdbStore" | "startNode"
>;

interface Traced {
  readonly spans: Span[];
  readonly node: StartedNode;
  readonly pi: RunningPi;
  readonly calls: (readonly [from: number, to: number])[];
  /** Processor time of the node's process when the counting began, in milliseconds. */
  used: number;
}

const own = { piExtension, openContextManager, configFromEnvironment, openXtdbStore, startNode };
const other = await otherCheckout(process.argv[2]);
const folder = await mkdtemp(join(tmpdir(), "scm-pi-trace-"));
const traced = new Map<string, Traced>();
for (const [name, code] of Object.entries({ before: other, now: own }))
  if (code !== undefined) traced.set(name, await trace(name, code));
for (let prompt = 0; prompt < prompts; prompt += 1) {
  for (const one of traced.values()) {
    if (prompt === warmUp) one.used = processorTime(one.node);
    await one.pi.prompt(`work on part ${prompt}`);
    if (prompt < warmUp) continue;
    for (const [index, to] of one.pi.arrivals.entries()) {
      const from = one.pi.arrivals[index - 1];
      if (from !== undefined) one.calls.push([from, to]);
    }
  }
}
const results = Object.fromEntries([...traced].map(([name, one]) => [name, resultOf(one)]));
for (const { pi, node } of traced.values()) {
  await pi[Symbol.asyncDispose]();
  await node.stop();
}
await rm(folder, { recursive: true, force: true });
keepMeasured("pi-call-trace", {
  ...(other === undefined ? {} : { beforeIs: other.commit }),
  ...results,
});
process.exit();

async function trace(name: string, code: Code): Promise<Traced> {
  const spans: Span[] = [];
  const node = await code.startNode({ dataFolder: join(folder, name) });
  const { at: _at, store: _store, xtdb: _xtdb, ...config } = code.configFromEnvironment({});
  const pi = await openRunningPi(() =>
    code.piExtension({
      openContext: async ({ host, workspace }) => {
        const store: ObjectStore = recorded(await code.openXtdbStore(node), spans);
        const manager = await code.openContextManager({ ...config, store, workspace });
        return {
          session: await manager.openSession(host),
          [Symbol.asyncDispose]: async () => await manager[Symbol.asyncDispose](),
        };
      },
    }),
  );
  return { spans, node, pi, calls: [], used: 0 };
}

function resultOf({ spans, calls, node, used }: Traced): Readonly<Record<string, unknown>> {
  const within = calls.map((call) => ({ call, spans: spansIn(spans, call) }));
  const times = new Map<string, number[]>();
  for (const span of within.flatMap((one) => one.spans))
    times.set(span.what, [...(times.get(span.what) ?? []), span.end - span.begin]);
  const count = [...times].filter(([what]) => what.includes(" > ")).flatMap(([, all]) => all);
  const sorted = within.toSorted((one, two) => lengthOf(one.call) - lengthOf(two.call));
  const middle = sorted[Math.floor(sorted.length / 2)];
  return {
    between: rounded(median(calls.map(lengthOf))),
    requestsPerCall: rounded(count.length / calls.length),
    nodeProcessorTimePerCall: rounded((processorTime(node) - used) / calls.length),
    operations: Object.fromEntries(
      [...times].map(([what, all]) => [
        what,
        { perCall: rounded(all.length / calls.length), median: rounded(median(all)) },
      ]),
    ),
    oneCall: middle?.spans.map(({ what, begin: start, end }) => {
      const [from] = middle.call;
      return `${Math.round(start - from)} to ${Math.round(end - from)}: ${what}`;
    }),
  };
}

function spansIn(spans: readonly Span[], [from, to]: readonly [number, number]): readonly Span[] {
  return spans.filter((span) => span.begin >= from && span.begin < to && span.end > 0);
}

function lengthOf([from, to]: readonly [number, number]): number {
  return to - from;
}

/** Returns the processor time of a node's process in milliseconds; NaN where the system does not say it. */
function processorTime({ pid }: StartedNode): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return Number.NaN;
  const fields = readFileSync(path, "utf8")
    .replace(/^.*\) /u, "")
    .split(" ");
  // Of a hundredth of a second each.
  return 10 * (Number(fields[11]) + Number(fields[12]));
}
