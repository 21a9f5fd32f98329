import { jsonSchema } from '@carillon/config';
import type { Invocation } from '../program/invocation.js';

export async function run({ terminal }: Invocation): Promise<void> {
  terminal.text(jsonSchema());
}
