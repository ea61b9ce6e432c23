import type { Task } from "../../model/task.ts";
import { askPage, pageTurn, talkTurn } from "../episode-turns.ts";
import { measuredTable, withLines } from "../generated-texts.ts";
import { seededText, type SeededText } from "../seeded-text.ts";
import { answer, edit, read, run, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/**
 * An inventory in a file that changes with almost each prompt. Late questions ask for the counts at the beginning, for
 * levels that were only said, and for papers that were shown once.
 */
export function stockLedger(seed: number): Task {
  const name = "long-episode/stock-ledger";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "long-episode",
    seed,
    title: "An inventory with a hundred edits: its first counts, its levels and its deliveries",
  });
  const items = text.names(36).map((item): Item => {
    const first = text.unique(4);
    return { item, first, count: first, state: "counted", level: 0 };
  });
  draft.file("stock.md", ledger(items));
  draft.file("tools/delivery.sh", 'cat "deliveries/$1.txt" && rm "deliveries/$1.txt"\n');
  draft.prompt(opening, answer("Understood."));
  draft.prompt(
    "Read `stock.md` completely. These are the counts with which we begin.",
    read("stock.md"),
    answer("I have read the counts."),
  );
  const leveled = text.shuffle(items).slice(0, 12);
  for (const item of leveled) {
    levelTurn(draft, text, item);
    saleTurn(draft, text, text.pick(items));
  }
  const pages = Array.from({ length: 3 }, () => pageTurn(draft, text, "docs", 9));

  const deliveries: Delivery[] = [];
  for (let hour = 1; hour <= 16; hour += 1) {
    deliveries.push(deliveryTurn(draft, text, hour, text.pick(items)));
    for (let turn = text.integer(4, 6); turn > 0; turn -= 1)
      saleTurn(draft, text, text.pick(items));
    talkTurn(draft, text);
    if (hour % 5 === 0) levelTurn(draft, text, text.pick(leveled.slice(0, 6)));
    talkTurn(draft, text);
    if (hour % 2 === 0)
      draft.prompt(
        `Please read \`stock.md\` again and say whether the table is in order. ${text.remarks(10)}`,
        read("stock.md"),
        answer("It is in order."),
      );
    pages.push(pageTurn(draft, text, "docs", text.pick([6, 9, 22])));
  }
  askLate(draft, text, items, deliveries);
  for (const page of text.shuffle(pages.slice(0, 6)).slice(0, 2)) askPage(draft, page);
  writeOrder(draft, [...leveled.slice(0, 5), ...leveled.slice(9, 11)]);
  draft.check({
    type: "file",
    name: "the ledger has the counts of the end",
    path: "stock.md",
    content: ledger(items),
  });
  return draft.task();
}

interface Item {
  readonly item: string;
  readonly first: number;
  count: number;
  /** Whether the count was changed since the beginning. */
  state: "counted" | "booked";
  level: number;
}

interface Delivery {
  readonly number: number;
  readonly item: string;
  readonly pieces: number;
  readonly driver: string;
}

const opening =
  "You keep the stock of our shop in `stock.md` today. I report what is sold, and you change the row of the article at once: the new count, and `booked` instead of `counted`. Touch nothing else in the file. Levels below which we order again are only said here, not written down; a later level replaces an earlier one. Papers of deliveries are shown with `sh tools/delivery.sh NUMBER`; the program shows each paper one time. A delivery is not booked today, because the goods stay outside until tomorrow. Keep answers short.";

const row = ({ item, count, state }: Item): string => `| ${item} | ${String(count)} | ${state} |`;

function ledger(items: readonly Item[]): string {
  return `# Stock\n\n| article | count | state |\n| --- | --- | --- |\n${items.map(row).join("\n")}\n`;
}

function saleTurn(draft: TaskDraft, text: SeededText, item: Item): void {
  const before = row(item);
  const sold = text.integer(1, 9);
  item.count -= sold;
  item.state = "booked";
  draft.prompt(
    `${text.remarks(text.pick([0, 0, 0, 15, 40, 100]))} ${String(sold)} ${item.item} ${text.pick(["were sold", "left the shop", "went to a customer"])}.`,
    edit("stock.md", before, row(item)),
    answer("Booked."),
  );
}

function levelTurn(draft: TaskDraft, text: SeededText, item: Item): void {
  item.level = text.unique(3);
  draft.prompt(
    `The level of ${item.item} is ${String(item.level)} pieces. ${text.remarks(text.pick([0, 20, 50]))}`,
    answer("Noted."),
  );
}

function deliveryTurn(draft: TaskDraft, text: SeededText, number: number, item: Item): Delivery {
  const delivery = { number, item: item.item, pieces: text.unique(4), driver: text.name() };
  // The paper arrives just before it is shown, so the history of the workspace does not have it.
  draft.change({
    [`deliveries/${String(number)}.txt`]: withLines(
      measuredTable(text, text.pick([50, 90, 130, 240])),
      [
        {
          at: 0.5,
          line: `delivery ${String(number)} has ${String(delivery.pieces)} pieces of ${item.item}`,
        },
        {
          at: 0.6,
          line: `delivery ${String(number)} was signed by ${delivery.driver} at the gate`,
        },
      ],
    ),
  });
  const id = draft.fact({
    id: `pieces-${String(number)}`,
    pattern: `delivery ${String(number)} has (\\d{4}) pieces of`,
    value: String(delivery.pieces),
    source: `sh tools/delivery.sh ${String(number)}`,
  });
  draft.fact({
    id: `driver-${String(number)}`,
    pattern: `delivery ${String(number)} was signed by (\\w+) at`,
    value: delivery.driver,
    source: `sh tools/delivery.sh ${String(number)}`,
  });
  draft.prompt(
    `Delivery ${String(number)} is here: \`sh tools/delivery.sh ${String(number)}\`. How many pieces are it?`,
    run(`sh tools/delivery.sh ${String(number)}`),
    answer(`${id} pieces.`),
  );
  return delivery;
}

function askLate(
  draft: TaskDraft,
  text: SeededText,
  items: readonly Item[],
  deliveries: readonly Delivery[],
): void {
  const changed = items.filter(({ first, count }) => first !== count);
  for (const { item, first, count } of text.shuffle(changed).slice(0, 3)) {
    const id = draft.fact({
      id: `first-${item.toLowerCase()}`,
      pattern: `\\| ${item} \\| (\\d{4}) \\| counted \\|`,
      value: String(first),
      source: "stock.md",
      recover: [run("git show HEAD:stock.md")],
    });
    const step = draft.prompt(
      `How many ${item} did we have when we began? The number alone.`,
      answer(id),
    );
    draft.answers(step, `the first count of ${item}`, [String(first)], [String(count)]);
  }
  const [early, middle, late] = [deliveries[1], deliveries[5], deliveries[11]];
  for (const delivery of [early, late]) {
    if (delivery === undefined) continue;
    const step = draft.prompt(
      `How many pieces did delivery ${String(delivery.number)} have? The number alone.`,
      answer(`{{pieces-${String(delivery.number)}}}`),
    );
    draft.answers(step, `the pieces of delivery ${String(delivery.number)}`, [
      String(delivery.pieces),
    ]);
  }
  if (middle === undefined) return;
  const step = draft.prompt(
    `By whom was delivery ${String(middle.number)} signed? The name alone.`,
    answer(`{{driver-${String(middle.number)}}}`),
  );
  draft.answers(step, `the signature of delivery ${String(middle.number)}`, [middle.driver]);
}

function writeOrder(draft: TaskDraft, items: readonly Item[]): void {
  const lines = items.map(({ item, level }) => {
    const id = draft.fact({
      id: `level-${item.toLowerCase()}`,
      pattern: `The level of ${item} is (\\d{3}) pieces\\.`,
      value: String(level),
      source: `the level of ${item}`,
    });
    return `${item}: ${id}\n`;
  });
  draft.prompt(
    `Write \`order.md\` with the levels that count now for ${items.map(({ item }) => item).join(", ")}: one line for each as \`ARTICLE: LEVEL\`, in this order, and nothing else.`,
    write("order.md", lines.join("")),
    answer("The list is written."),
  );
  draft.check({
    type: "file",
    name: "the order has the newest levels",
    path: "order.md",
    includes: items.map(({ item, level }) => `${item}: ${String(level)}`),
  });
}
