/** The modules of the project, each with the tax of one country. Two of them round differently from the others. */
export const countries: readonly string[] = [
  "at be bg cy cz de dk ee es fi fr gr hr hu ie it lt lu lv mt nl pl pt ro se si sk uk",
].flatMap((codes) => codes.split(" "));

/** The modules whose checks fail at the beginning. */
export const roundsDown: readonly string[] = ["cz", "hu"];

export function modulePath(country: string): string {
  return `src/taxes/${country}.mjs`;
}

/** The line of a module to which a currency is added. */
export function headLine(country: string): string {
  return `export const country = "${country.toUpperCase()}";`;
}

/** A program for invoices: modules, a check that needs only awk, and documents with links and relations. */
export const ledgerProject: Readonly<Record<string, string>> = {
  "README.md":
    "# Ledger\n\nWrites invoices and adds the taxes of the buyer's country.\n\n- The rules are in [taxes](docs/taxes.md).\n- Run `sh check.sh` with the path of a module to check it.\n",
  "check.sh": `# Checks the module of one country: each rate, and how it rounds.
grep -q 'Math.floor' "$1" && bad=1
awk -v bad="$bad" -v path="$1" '
  /group:/ {
    rows += 1
    if (bad && rows % 9 == 0) { failed += 1; print "not ok " rows " - " path ": " $3 " rounds 0.005 to 0.00, expected 0.01" }
    else print "ok " rows " - " path ": " $3 " has one rate since its date and rounds to the nearest cent"
  }
  END { print "# " rows " checks, " failed + 0 " failed"; exit failed > 0 }
' "$1"
`,
  "src/invoice.mjs": invoiceText(),
  "src/round.mjs":
    "/** Rounds a sum to the nearest cent. */\nexport function toCents(sum) {\n  return Math.round(sum * 100) / 100;\n}\n",
  ...Object.fromEntries(countries.map((country) => [modulePath(country), moduleText(country)])),
  "docs/taxes.md":
    "---\ntags: [rules, taxes]\n---\n# Taxes\n\nEach country has a module in `src/taxes`. Rates are shares of the net sum.\n\n- part_of [[invoices]]\n- depends_on [[rounding]]\n\n## Rounding\n\nAll countries round down. See [[rounding#Cents]].\n\n## Currency\n\nAll sums are in EUR.\n",
  "docs/rounding.md":
    "# Rounding\n\nSums are kept without rounding until they are printed.\n\n## Cents\n\nA sum is rounded down to whole cents. #rules/rounding\n",
  "docs/invoices.md":
    "# Invoices\n\nAn invoice has lines; [[taxes]] are added at its end.\n\n- see_also [[currencies]]\n",
  "docs/currencies.md":
    "# Currencies\n\nAn invoice has the currency of the seller. The tax is computed in it.\n\n- part_of [[invoices]]\n",
};

/** A text that the user pastes: long enough to become an object of its own. */
export const pastedLog: string = Array.from(
  { length: 130 },
  (_, index) =>
    `2026-03-02T08:${String(index % 60).padStart(2, "0")}:14Z invoice ${1000 + index * 7} ${countries[index % countries.length]} net ${(index * 13.37 + 4).toFixed(2)} tax ${(index * 2.81 + 0.8).toFixed(2)} gross ${(index * 16.18 + 4.8).toFixed(2)}${index % 31 === 4 ? " DIFFERS BY 0.01" : ""}`,
).join("\n");

function invoiceText(): string {
  const fields = ["number", "seller", "buyer", "country", "lines", "discount", "paid", "due"];
  const checks = fields.map(
    (field) =>
      `  if (invoice.${field} === undefined) throw new TypeError("an invoice needs its ${field}");`,
  );
  return `import { toCents } from "./round.mjs";\n\n/** Returns the sums of an invoice. */\nexport function sums(invoice, tax) {\n${checks.join("\n")}\n  const net = invoice.lines.reduce((sum, { price, count }) => sum + price * count, 0);\n  return { net: toCents(net), tax: toCents(tax(net)), gross: toCents(net + tax(net)) };\n}\n`;
}

function moduleText(country: string): string {
  const name = country.toUpperCase();
  const seed = countries.indexOf(country);
  const round = roundsDown.includes(country) ? "floor" : "round";
  const rows = Array.from(
    { length: 36 + ((seed * 5) % 17) },
    (_, index) =>
      `  { group: "${name}-${index + 1}", rate: ${(0.04 + ((index * 7 + seed) % 60) / 400).toFixed(4)}, since: "20${String(10 + ((index + seed) % 15)).padStart(2, "0")}-01-01" },`,
  );
  return `${headLine(country)}\n\n/** Tax rates by group of goods. */\nexport const rates = [\n${rows.join("\n")}\n];\n\nexport function tax(sum, rate) {\n  return Math.${round}(sum * rate * 100) / 100;\n}\n`;
}
