const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** A number of tokens or calls with its thousands: `12,345`. */
export function count(value: number): string {
  return whole.format(Math.round(value));
}

/** A number in at most four characters and a letter: `950`, `12.3k`, `4.56M`. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size < 1000) return whole.format(value);
  if (size < 999_500) return `${(value / 1000).toFixed(size < 99_950 ? 1 : 0)}k`;
  return `${(value / 1e6).toFixed(size < 9.95e6 ? 2 : size < 99.5e6 ? 1 : 0)}M`;
}

/** A share as a percentage: `3.1 %`, `42 %`. */
export function percent(share: number): string {
  if (!Number.isFinite(share)) return "–";
  const value = share * 100;
  if (value > 0 && value < 0.05) return "< 0.1 %";
  return `${Math.abs(value) < 10 && value !== 0 ? value.toFixed(1) : value.toFixed(0)} %`;
}

/** A ratio with two digits: `0.58 ×`. */
export function ratio(value: number): string {
  return Number.isFinite(value) ? `${value.toFixed(2)} ×` : "–";
}

/** A number with its noun: `1 call`, `3 calls`. */
export function counted(value: number, noun: string, plural: string = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : plural}`;
}

/** A size of text in bytes: `5.2 MB`. */
export function bytes(value: number): string {
  if (value < 1000) return counted(value, "byte");
  return value < 1e6 ? `${(value / 1000).toFixed(1)} kB` : `${(value / 1e6).toFixed(1)} MB`;
}

/** A time for people, in the time zone of the reader: `2026-11-26 19:55:05`. Another text stays as it is. */
export function time(at: string | number | undefined): string {
  if (at === undefined) return "–";
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
