import type { DeliberateFault } from "../deliberate-fault.ts";

/** Faults of forgetting. */
export const forgetFaults: readonly DeliberateFault[] = [
  {
    file: "forget/text-forms.ts",
    of: "spans.push(...cutSpans(text, form, mark));",
    becomes: "",
    breaks: "The beginning of a forgotten key stays in the line of a tool call that was cut.",
  },
  {
    file: "forget/text-forms.ts",
    of: "    forms.push(JSON.stringify(forms.at(-1)).slice(1, -1));",
    becomes: "    forms.push(text);",
    breaks: "A forgotten text with quotation marks stays in the JSON of arguments.",
  },
  {
    file: "forget/plan-forget.ts",
    of: "...concerned.flatMap(({ view }) => view?.body.id ?? []),",
    becomes: "",
    breaks: "A running session shows the mark without an end of its epoch.",
  },
  {
    file: "forget/plan-forget.ts",
    of: "if (content === null || content.trim().length < shortestWhole) continue;",
    becomes: "continue;",
    breaks: "A forgotten file stays in the call that wrote it.",
  },
  {
    file: "forget/forgotten-texts.ts",
    of: "print = (Math.imul(print - first, base)",
    becomes: "print = (Math.imul(print, base)",
    breaks: "A forgotten text that comes again is known only at the beginning of a text.",
  },
  {
    file: "forget/mark-spans.ts",
    of: ".replaceAll(/[^\\r\\n]+/gu, () => mark)",
    becomes: ".replace(/^[\\s\\S]+$/u, () => mark)",
    breaks: "A forgotten text of several lines changes the numbers of the lines after it.",
  },
];
