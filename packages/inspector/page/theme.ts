import { type Signal, signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";

/** The appearance of the page: as the system has it, or as the reader chose. */
export type Theme = "auto" | "light" | "dark";

const place = "scm-theme";

/** The chosen appearance. */
export const theme: Signal<Theme> = signal<Theme>(storedTheme());

/** Applies an appearance, and keeps it for the next time. */
export function setTheme(next: Theme): void {
  theme.value = next;
  if (next === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = next;
  try {
    localStorage.setItem(place, next);
  } catch {
    // A browser that keeps nothing still shows the chosen appearance.
  }
}

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(place);
    return stored === "light" || stored === "dark" ? stored : "auto";
  } catch {
    // A page from a file may not read what the browser keeps.
    return "auto";
  }
}

/** A value that changes with the colours of the page, for pictures that are drawn with them. */
export function useTheme(): string {
  const [isDark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const change = (): void => setDark(query.matches);
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, []);
  return `${theme.value} ${String(isDark)}`;
}
