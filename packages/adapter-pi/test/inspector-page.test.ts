import { expect, test } from "vitest";

import { inspectorPage, type ServedPage } from "../src/inspector-page.ts";

/** A function that opens pages, with the numbers of those that are open. */
function opener(failures: readonly Error[] = []): {
  readonly open: () => Promise<ServedPage>;
  readonly opened: readonly number[];
} {
  const left = [...failures];
  const opened: number[] = [];
  let count = 0;
  return {
    opened,
    open: async () => {
      const failure = left.shift();
      if (failure !== undefined) throw failure;
      const number = (count += 1);
      opened.push(number);
      return await Promise.resolve({
        url: `http://page/${number}`,
        [Symbol.asyncDispose]: async () => {
          opened.splice(opened.indexOf(number), 1);
          await Promise.resolve();
        },
      });
    },
  };
}

test("the page is opened once, when it is asked for, and closed with the session", async () => {
  const { open, opened } = opener();
  const page = inspectorPage(open);
  const before = [...opened];

  const addresses = await Promise.all([page.address(), page.address()]);
  const during = [...opened];
  await page[Symbol.asyncDispose]();

  expect(before).toEqual([]);
  expect(addresses).toEqual(["http://page/1", "http://page/1"]);
  expect(during).toEqual([1]);
  expect(opened).toEqual([]);
  await expect(page.address()).rejects.toThrow("the session is closed");
});

test("a page that could not be opened is tried again", async () => {
  const { open } = opener([new Error("no port is free")]);
  const page = inspectorPage(open);

  await expect(page.address()).rejects.toThrow("no port is free");
  expect(await page.address()).toBe("http://page/1");
});

test("a page that is being opened when the session closes is closed too", async () => {
  const { open, opened } = opener();
  const page = inspectorPage(open);

  const asked = page.address();
  await page[Symbol.asyncDispose]();
  await asked;

  expect(opened).toEqual([]);
});
