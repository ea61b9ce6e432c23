import type { Task } from "../../model/task.ts";
import { otherWork, talkTurn } from "../episode-turns.ts";
import { seededText, type SeededText } from "../seeded-text.ts";
import { answer, read, run, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/** A list of prices changes between the prompts without a word about it. Each answer needs the newest content. */
export function changedPrices(seed: number): Task {
  const name = "interference/changed-prices";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "interference",
    seed,
    title: "A list of prices that another program changes between the questions",
  });
  const articles = text.names(60).map((article): Article => ({
    article,
    price: String(text.unique(4)),
    older: [],
  }));
  draft.file("shop/prices.md", priceList(articles));
  draft.prompt(
    "The prices of the shop are in `shop/prices.md`. Read it completely. My colleagues work with the same folder while we talk.",
    read("shop/prices.md"),
    answer("I have read it."),
  );
  const [first, second, third] = articles.slice(20, 23);
  if (first === undefined || second === undefined || third === undefined)
    throw new RangeError("there are not enough articles");
  for (let round = 1; round <= 4; round += 1) {
    askPrice(draft, round % 2 === 1 ? first : second, round);
    otherWork(draft, text, 4);
    // The third article keeps its price until the last round.
    raise(text, round === 4 ? [first, third, ...articles.slice(40, 44)] : [first, second]);
    draft.change({ "shop/prices.md": priceList(articles) });
    talkTurn(draft, text);
  }
  askPrice(draft, third, 5);
  writeInvoice(draft, [first, second, third, ...articles.slice(39, 41)]);
  return draft.task();
}

interface Article {
  readonly article: string;
  price: string;
  readonly older: string[];
}

function priceList(articles: readonly Article[]): string {
  const rows = articles.map(({ article, price }) => `| ${article} | ${price} cents | in stock |`);
  return `# Prices\n\n| article | price | state |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
}

function raise(text: SeededText, articles: readonly Article[]): void {
  for (const article of articles) {
    article.older.push(article.price);
    article.price = String(text.unique(4));
  }
}

function priceFact(draft: TaskDraft, { article, price }: Article, round: number): string {
  return draft.fact({
    id: `price-${article.toLowerCase()}-${String(round)}`,
    pattern: `\\| ${article} \\| (\\d{4}) cents \\|`,
    value: price,
    source: "shop/prices.md",
    recover: [read("shop/prices.md")],
  });
}

function askPrice(draft: TaskDraft, article: Article, round: number): void {
  const step = draft.prompt(
    `What does ${article.article} cost in our shop? The number of cents alone.`,
    ...(round === 1 ? [] : [run(`grep "${article.article}" shop/prices.md`)]),
    answer(priceFact(draft, article, round)),
  );
  draft.answers(
    step,
    `the price of ${article.article} in round ${String(round)}`,
    [article.price],
    article.older.slice(),
  );
}

function writeInvoice(draft: TaskDraft, articles: readonly Article[]): void {
  const lines = articles.map((one) => `${one.article}: ${priceFact(draft, one, 6)}\n`);
  draft.prompt(
    `Write \`invoice.md\` for ${articles.map(({ article }) => article).join(", ")}: one line for each as \`ARTICLE: CENTS\`, with the prices of the shop, and nothing else.`,
    read("shop/prices.md"),
    write("invoice.md", lines.join("")),
    answer("The invoice is written."),
  );
  draft.check({
    type: "file",
    name: "the invoice has the newest prices",
    path: "invoice.md",
    includes: articles.map(({ article, price }) => `${article}: ${price}`),
  });
}
