/** Secrets for the commands: from standard input or the environment, never from the command line, which everybody on the machine can read. */
import { CommandFailure, type Shell } from './shell.ts';

export interface SecretOptions {
  /** Name of an environment variable. */
  readonly secretEnv?: string;
}

/** Throws `CommandFailure` (wrong usage) saying how to hand it over. */
export async function readSecret(shell: Shell, { secretEnv }: SecretOptions): Promise<string> {
  if (secretEnv !== undefined) {
    const value = shell.env[secretEnv] ?? '';
    if (value === '') throw new CommandFailure(`the environment variable ${secretEnv} is not set`, 2);
    return value;
  }
  const input = await shell.readInput();
  const secret = (input ?? '').trim();
  if (secret === '') {
    throw new CommandFailure(
      'pipe the secret into the command (`printenv KEY | understudy …`), or name its environment variable with --secret-env',
      2,
    );
  }
  // A key file is one JSON object.
  if (/\s/.test(secret) && !secret.startsWith('{'))
    throw new CommandFailure('what was piped in is more than one word; a secret is one', 2);
  return secret;
}
