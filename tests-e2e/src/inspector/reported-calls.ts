import type { JsonValue, ObjectId, ObjectStore } from "@self-context-manager/objects";
import { resolveVersion } from "@self-context-manager/objects";

/** The usage that the provider reported for one call. */
export interface ReportedCall {
  readonly call: number;
  readonly model: string;
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

type Fields = Readonly<Record<string, JsonValue>>;

/** Reads the usage of each answer from a session's stored chat, as Pi has put it there. */
export async function reportedCalls(
  store: ObjectStore,
  sessionId: ObjectId,
): Promise<readonly ReportedCall[]> {
  const chatId = fields((await bodyOf(store, sessionId))["chat_ref"])["id"] as ObjectId;
  const turns = list((await bodyOf(store, chatId))["turns"]);
  return turns
    .flatMap(({ steps }) => list(steps))
    .flatMap(({ view, assistant_meta: meta }) => {
      const { usage, model } = fields(meta);
      if (usage === undefined) return [];
      const { input, cacheRead, cacheWrite } = fields(usage);
      return [
        {
          call: Number(view),
          model: typeof model === "string" ? model : "",
          input: Number(input),
          cacheRead: Number(cacheRead),
          cacheWrite: Number(cacheWrite),
        },
      ];
    });
}

/** Returns the calls that read less from the cache than the call before had sent. */
export function misses(calls: readonly ReportedCall[]): readonly number[] {
  return calls.flatMap(({ call, cacheRead }, index) => {
    const before = calls[index - 1];
    const sent = before === undefined ? 0 : before.input + before.cacheRead + before.cacheWrite;
    return cacheRead < sent ? [call] : [];
  });
}

/** Returns the content of a session's or a chat's newest version. */
export async function bodyOf(store: ObjectStore, id: ObjectId): Promise<Fields> {
  const { stored } = await resolveVersion(store, id);
  if (stored === undefined) throw new Error(`the store has no object ${id}`);
  return stored.body as unknown as Fields;
}

function fields(value: JsonValue | undefined): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {};
}

function list(value: JsonValue | undefined): readonly Fields[] {
  return Array.isArray(value) ? value.map((one) => fields(one as JsonValue)) : [];
}
