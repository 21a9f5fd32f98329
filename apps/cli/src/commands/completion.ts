import type { Invocation } from '../program/invocation.js';
import { oneOf } from '../program/values.js';
import { profileNames } from '../settings/profiles.js';

export async function run({ values, terminal, env, texts }: Invocation): Promise<void> {
  const shell = oneOf(values.argument(0), 'shell', ['bash', 'zsh', 'fish'] as const);
  terminal.text(texts.completion(shell, await profileNames(env)));
}
