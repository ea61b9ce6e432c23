/** Markup. Texts become markup only by `html`, which escapes them. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | readonly Part[];

/** A template of markup: inserted texts are escaped, inserted markup is not, and lists are joined. */
export function html(parts: TemplateStringsArray, ...values: readonly Part[]): Html {
  const texts = parts.map((part, index) => {
    const value = values[index];
    // The indentation of the source is no part of the page.
    const own = part.replaceAll(/\s+/gu, " ");
    return value === undefined ? own : own + markupOf(value);
  });
  return { markup: texts.join("") };
}

/** Nothing. */
export const noHtml: Html = { markup: "" };

function markupOf(part: Part): string {
  if (typeof part === "string") return escaped(part);
  if (typeof part === "number") return String(part);
  if ("markup" in part) return part.markup;
  return part.map(markupOf).join("");
}

/**
 * Escapes a text for an element or an attribute in quotation marks. Control characters, which HTML does not allow, and
 * characters that change the direction of the text around them become visible as U+FFFD.
 */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, (character) =>
      "\t\n".includes(character) ? character : "\uFFFD",
    )
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** A name that can be broken into lines after its slashes. */
export function breakable(name: string): Html {
  const parts = name.split(/(?<=\/)/u);
  return html`${parts.map((part, index) => (index === 0 ? html`${part}` : html`<wbr />${part}`))}`;
}

/** A link, or only its text if the address is none that a page may lead to: a script, or data. */
export function linkTo(address: string | undefined, text: Html | string, label?: string): Html {
  if (address === undefined || !isPageAddress(address)) return html`${text}`;
  return label === undefined
    ? html`<a href="${address}">${text}</a>`
    : html`<a href="${address}" aria-label="${label}">${text}</a>`;
}

function isPageAddress(address: string): boolean {
  try {
    return ["http:", "https:", "file:"].includes(new URL(address, "http://page.invalid/").protocol);
  } catch {
    // An address that is not one leads nowhere.
    return false;
  }
}
