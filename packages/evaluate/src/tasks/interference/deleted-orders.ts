import type { Task } from "../../model/task.ts";
import { otherWork, talkTurn } from "../episode-turns.ts";
import { documentText, withLines } from "../generated-texts.ts";
import { seededText, type SeededText } from "../seeded-text.ts";
import { answer, read, run, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/** Files of orders are deleted, added and written again by another program after the agent has read them. */
export function deletedOrders(seed: number): Task {
  const name = "interference/deleted-orders";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "interference",
    seed,
    title: "Files that another program deletes, adds and writes again after they were read",
  });
  const orders = text.names(6).map((order): Order => orderOf(order, text));
  for (const order of orders) draft.file(pathOf(order), textOf(text, order));
  draft.prompt(
    "In `orders/` is one file for each open order. Another program removes an order when it is paid. Please read the orders that I name, one after the other.",
    run("ls orders"),
    answer("Understood."),
  );
  for (const order of orders) {
    const id = pieces(draft, order);
    draft.prompt(
      `Read \`${pathOf(order)}\`. How many pieces does the customer want?`,
      read(pathOf(order)),
      answer(`${id} pieces.`),
    );
    talkTurn(draft, text);
  }
  otherWork(draft, text, 5);
  const [paid, again, open] = orders;
  if (paid === undefined || again === undefined || open === undefined)
    throw new RangeError("there are not enough orders");
  const written = { ...orderOf(again.order, text), change: 2 };
  const added = orderOf(text.name(), text);
  draft.change({
    [pathOf(paid)]: null,
    [pathOf(again)]: textOf(text, written),
    [pathOf(added)]: textOf(text, added),
  });
  otherWork(draft, text, 6);

  askState(draft, paid, "gone");
  askState(draft, open, "there");
  const last = draft.prompt(
    `How many pieces does the order ${written.order} have? The number alone.`,
    read(pathOf(written)),
    answer(pieces(draft, written)),
  );
  draft.answers(last, `the pieces of ${written.order}`, [written.pieces], [again.pieces]);
  const listed = [written, added, ...orders.slice(2)];
  pieces(draft, added);
  writeList(draft, listed, paid);
  return draft.task();
}

interface Order {
  readonly order: string;
  readonly pieces: string;
  readonly change: number;
}

function orderOf(order: string, text: SeededText): Order {
  return { order, pieces: String(text.unique(4)), change: 1 };
}

const pathOf = ({ order }: Order): string => `orders/${order.toLowerCase()}.md`;
const idOf = ({ order, change }: Order): string =>
  `pieces-${order.toLowerCase()}-${String(change)}`;

function textOf(text: SeededText, { order, pieces: count }: Order): string {
  return withLines(documentText(text, order, text.integer(5, 9)), [
    { at: 0.5, line: `The order ${order} is for ${count} pieces in one delivery.` },
  ]);
}

function pieces(draft: TaskDraft, order: Order): string {
  return draft.fact({
    id: idOf(order),
    pattern: `The order ${order.order} is for (\\d{4}) pieces in`,
    value: order.pieces,
    source: pathOf(order),
    recover: [read(pathOf(order))],
  });
}

function askState(draft: TaskDraft, order: Order, state: "gone" | "there"): void {
  const command = `echo "The file of ${order.order} is $(test -e ${pathOf(order)} && echo there || echo gone) now"`;
  const id = draft.fact({
    id: `state-${order.order.toLowerCase()}`,
    pattern: `The file of ${order.order} is (\\w+) now`,
    value: state,
    source: command,
    recover: [run(command)],
  });
  const step = draft.prompt(
    `Does the order ${order.order} still have a file in \`orders/\`? Answer with the word “there” or the word “gone”.`,
    run(command),
    answer(id),
  );
  draft.answers(step, `the file of ${order.order}`, [state], [state === "gone" ? "there" : "gone"]);
}

function writeList(draft: TaskDraft, orders: readonly Order[], paid: Order): void {
  draft.prompt(
    "Write `open.md` with all orders that are open now: one line for each as `NAME: PIECES`, in any order, and nothing else.",
    run('grep -h "^The order" orders/*.md'),
    write("open.md", orders.map((order) => `${order.order}: {{${idOf(order)}}}\n`).join("")),
    answer("The list is written."),
  );
  draft.check({
    type: "file",
    name: "the list has the open orders and no other",
    path: "open.md",
    includes: orders.map(({ order, pieces: count }) => `${order}: ${count}`),
    excludes: [paid.order],
  });
}
