import { openSqliteStore } from "../src/index.ts";

/** Opens the store whose path is on the command line, and prints the result. */
try {
  const store = await openSqliteStore({ path: process.argv[2] ?? "" });
  await store[Symbol.asyncDispose]();
  console.log(JSON.stringify({ opened: true }));
} catch (error) {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  console.log(JSON.stringify({ code, message }));
}
