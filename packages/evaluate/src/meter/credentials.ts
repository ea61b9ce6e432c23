import { randomBytes } from "node:crypto";

/** Headers as a list of names and values in turn, as Node gives and takes them. */
export type RawHeaders = readonly string[];

/** Anthropic's subscriptions have keys of their own, and clients send requests of another form for them. */
const subscription = "sk-ant-oat01-";

/** Returns a key for hosts that only the meter knows. It has the form of the real key, as far as clients look at it. */
export function standInFor(key: string): string {
  return `${key.startsWith("sk-ant-oat") ? subscription : ""}meter-${randomBytes(16).toString("hex")}`;
}

/** Returns headers with the real key where the client put the stand-in. Without a real key, such a header is left out. */
export function withKey(headers: RawHeaders, standIn: string, key: string): RawHeaders {
  return pairsOf(headers).flatMap(([name, value]) => {
    if (!value.includes(standIn)) return [name, value];
    return key === "" ? [] : [name, value.replaceAll(standIn, key)];
  });
}

/** Returns the rest of a path with the real key where the client put the stand-in. */
export function pathWithKey(path: string, standIn: string, key: string): string {
  return path.replaceAll(standIn, encodeURIComponent(key));
}

/** Returns the names of headers with their values. */
export function pairsOf(headers: RawHeaders): readonly (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let index = 0; index < headers.length; index += 2)
    pairs.push([headers[index] ?? "", headers[index + 1] ?? ""]);
  return pairs;
}
