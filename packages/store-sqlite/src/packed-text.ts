import { deflateRawSync, inflateRawSync } from "node:zlib";

import type { SqlValue } from "./connection.ts";
import { DamageError } from "./sqlite-errors.ts";

/**
 * How the rows of versions begin, in the order in which they commonly go on: what the packing refers back to. It belongs
 * to the schema, since what was packed with one dictionary can be unpacked with the same one only.
 */
const dictionary: Buffer = Buffer.from(
  [
    '{"short_summary":"","nickname":"","view":[],"path":"/src/index.ts","file_type":"typescript","char_count":',
    '"presence":"present","unread","non_text","missing","size":0,"content_fields":[],"parent_refs":[]',
    '[3,["content",[1,0,0,"--- user\\n--- thinking\\n--- assistant\\n--- toolcall [ref:toolcall/call_ toolu_] tool=bash args=\\"',
    '\\" status=fail\\n status=ok\\n"],"turns",[2,0,0,[2,0,[3,["steps",[2,0,0,[1,{"assistant":[{"type":"thinking","thinking":"',
    '","thinkingSignature":"},{"type":"text","text":"},{"type":"toolCall","id":"call_","name":"read","arguments":{"path":"',
    '{"command":"}}],"toolcall_ids":["],"assistant_meta":{"api":"openai-completions","anthropic-messages","provider":"",',
    '"model":"","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,',
    '"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"toolUse","stop","responseId":"","timestamp":1760000000000}}]]],[],[]]]],',
    '"toolcall_refs",[2,0,0,[1,{"ref":"static","id":"',
    '{"id":"01","type":"session","locked":true,"content":0,"harness":"pi","session_id":"01","chat_ref":{"ref":"dynamic","id":"01"},',
    '"system_prompt_refs":{"host":{"ref":"dynamic","id":"01"},"own":{"ref":"dynamic","id":"01"}},"active_set":0,"inactive_set":0,',
    '"pinned_set":0,"pool":0,"handle_counts":{"f":1,"t":1},"activations":0,"pending_calls":0,"calibration":{"factor":1,"overhead":0},',
    '"last_tx_id":1,"provenance":{"origin":"01","generator":"system"}}',
    '[3,["pool",[2,0,0,[1,{"id":"call_","handle":"t1"}]],"active_set",[2,0,0,[1,"inactive_set","activations",[3,["{"turn":0,"call":1},',
    '{"id":"01","type":"chat","locked":true,"content":0,"turns":0,"session_ref":{"ref":"dynamic","id":"01"},"turn_count":1,',
    '"step_count":1,"toolcall_refs":0,"provenance":{"origin":"01","generator":"system"}}',
    '{"id":"call_","type":"toolcall","locked":false,"content":0,"char_count":100,"tool":"bash","args":0,"args_display":"bash: \\"',
    '","status":"ok","is_error":false,"chat_ref":{"ref":"static","id":"01","tx_id":1,"tx_time":"2026-01-01T00:00:00.000Z",',
    '"content_hash":"","metadata_view_hash":"","object_hash":"","position":{"turn":0,"step":0,"call":0}},"file_refs":[],',
    '"context_tool":true,"blocks":0,"details":0,"provider_id":"","timestamp":1760000000000,',
    '"provenance":{"origin":"toolcall","generator":"tool","human","agent"}}[0,{"content":"~#1","args":{"command":"',
  ].join(""),
);

/** Shorter texts are kept as they are: packing one takes as long as writing it. */
const shortestPacked = 1_024;

/** A text as it stands in a row: itself, or deflated where that is shorter. */
export function packText(text: string): string | Uint8Array {
  if (text.length < shortestPacked) return text;
  const packed = deflateRawSync(text, { level: 1, dictionary });
  return packed.length < text.length ? packed : text;
}

/** The text of a row. Throws `DamageError` for what was not packed by `packText`. */
export function unpackText(value: SqlValue | undefined): string {
  if (typeof value === "string") return value;
  if (!(value instanceof Uint8Array)) throw new DamageError("a text is missing");
  try {
    return inflateRawSync(value, { dictionary }).toString("utf8");
  } catch (cause) {
    throw new DamageError("a text cannot be unpacked", { cause });
  }
}
