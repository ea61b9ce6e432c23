import { configFromEnvironment, sessionSettings } from "@self-context-manager/compose";
import { switchesOff } from "@self-context-manager/core/host";

/**
 * Throws `RangeError` or `ConfigError` for environment variables with which the demo shows no managed context: a setting
 * that is not allowed, or `SCM_OFF`. The host would only notify the user of a wrong setting.
 */
export function checkSettings(environment: Readonly<Record<string, string | undefined>>): void {
  if (switchesOff(environment["SCM_OFF"]))
    throw new RangeError("SCM_OFF switches managed context off; remove it to run the demo");
  sessionSettings(configFromEnvironment(environment));
}
