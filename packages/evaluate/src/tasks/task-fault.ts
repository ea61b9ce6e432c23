import type { Check, Fact, Move, Task } from "../model/task.ts";

/** The first part of a task that does not fit the others: its field, and what is wrong. Undefined: all parts fit. */
export function taskFault(task: Task): string | undefined {
  const { steps, facts, checks } = task;
  if (steps[0]?.type !== "prompt")
    return "field steps[0] has to be a prompt: the first step is one";
  if (checks.length === 0) return "field checks is empty: without a check every run is solved";
  return (
    repeated(
      "checks",
      "name",
      checks.map(({ name }) => name),
    ) ??
    repeated(
      "facts",
      "id",
      facts.map(({ id }) => id),
    ) ??
    first(facts, (fact, index) => factFault(fact, `facts[${String(index)}]`, task)) ??
    first(checks, (check, index) => checkFault(check, `checks[${String(index)}]`, task)) ??
    first(steps, (step, index) =>
      step.type === "prompt" && step.moves !== undefined
        ? movesFault(step.moves, `steps[${String(index)}].moves`, task)
        : undefined,
    )
  );
}

function first<Item>(
  list: readonly Item[],
  fault: (item: Item, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of list.entries()) {
    const found = fault(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

function repeated(list: string, field: string, values: readonly string[]): string | undefined {
  const again = values.findIndex((value, index) => values.indexOf(value) < index);
  return again < 0
    ? undefined
    : `field ${list}[${String(again)}].${field} is ${JSON.stringify(values[again])} a second time; use another one`;
}

function promptFault(step: number, field: string, { steps }: Task): string | undefined {
  const found = steps[step]?.type ?? "absent";
  return found === "prompt"
    ? undefined
    : `field ${field} is ${String(step)}, but this step is ${found}; it has to be the index of a prompt`;
}

function checkFault(check: Check, field: string, task: Task): string | undefined {
  return check.type === "answer" ? promptFault(check.step, `${field}.step`, task) : undefined;
}

function factFault(fact: Fact, field: string, task: Task): string | undefined {
  const groups = groupsOf(fact.pattern);
  if (groups !== 1) {
    const found = groups === undefined ? "no regular expression" : `has ${String(groups)} groups`;
    return `field ${field}.pattern is ${JSON.stringify(fact.pattern)} and ${found}; it has to have one group`;
  }
  return (
    first(fact.neededAt, (step, index) =>
      promptFault(step, `${field}.neededAt[${String(index)}]`, task),
    ) ?? placeholderFault(fact.recover ?? [], `${field}.recover`, task)
  );
}

/** The number of groups of a pattern, or undefined if it cannot be compiled. */
function groupsOf(pattern: string): number | undefined {
  try {
    // With an empty alternative every pattern matches, so the length of the match shows the groups.
    const match = new RegExp(`${pattern}|`, "mu").exec("");
    return match === null ? undefined : match.length - 1;
  } catch {
    return undefined;
  }
}

function movesFault(moves: readonly Move[], field: string, task: Task): string | undefined {
  const answer = moves.findIndex(({ type }) => type === "answer");
  return answer === moves.length - 1 && answer >= 0
    ? placeholderFault(moves, field, task)
    : `field ${field} has to end with its only answer, because an answer ends the turn`;
}

function placeholderFault(moves: readonly Move[], field: string, task: Task): string | undefined {
  return first(moves, (move, index) => {
    const names = [...JSON.stringify(move).matchAll(/\{\{([\w-]+)\}\}/gu)].map(
      ([, name = ""]) => name,
    );
    const unknown = names.find((name) => task.facts.every(({ id }) => id !== name));
    return unknown === undefined
      ? undefined
      : `field ${field}[${String(index)}] contains {{${unknown}}}, but no fact has this id`;
  });
}
