/**
 * Runs work with variables in the environment of this process, from which the extension takes its settings. Other
 * settings of the extension are absent meanwhile, so that it runs on its defaults.
 */
export async function inEnvironment<Result>(
  variables: Readonly<Record<string, string>>,
  work: () => Promise<Result>,
): Promise<Result> {
  const own = Object.keys(process.env).filter((name) => name.startsWith("SCM_"));
  const names = [...own, ...Object.keys(variables)];
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of own) delete process.env[name];
  Object.assign(process.env, variables);
  try {
    return await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
