import type { Grants } from './capabilities.js';
import { operationNamed, type Operation } from './operations.js';

/** Limit of patterns in a token or in one list of a sign-in. */
const MAX_PATTERNS = 100;

/** Reason of a refusal in words for the client. Never contains received data. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Reads a token's map, pattern → operations. Throws a Refusal. */
export function grantsByPattern(value: unknown): Grants {
  const entries = Object.entries(objectOf(value));
  if (entries.length > MAX_PATTERNS) throw new Refusal(`capability has more than ${MAX_PATTERNS} patterns`);
  const grants = new Map<Operation, string[]>();
  for (const [key, operations] of entries) {
    const pattern = patternOf(key);
    for (const operation of new Set(textsOf(operations).map(knownOperation))) {
      grants.set(operation, [...(grants.get(operation) ?? []), pattern]);
    }
  }
  return grants;
}

/** Reads a sign-in's map, operation → patterns. Two spellings of one operation add up. Throws a Refusal. */
export function grantsByOperation(value: unknown): Grants {
  const grants = new Map<Operation, string[]>();
  for (const [name, patterns] of Object.entries(objectOf(value))) {
    const operation = knownOperation(name);
    const all = [...(grants.get(operation) ?? []), ...textsOf(patterns).map(patternOf)];
    if (all.length > MAX_PATTERNS) throw new Refusal(`capability has more than ${MAX_PATTERNS} patterns`);
    grants.set(operation, all);
  }
  return grants;
}

function objectOf(value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new Refusal('capability is not an object');
}

function textsOf(value: unknown): string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new Refusal('capability holds something else than lists of texts');
}

function knownOperation(spelling: string): Operation {
  const operation = operationNamed(spelling);
  if (operation === null) throw new Refusal('capability names an unknown operation');
  return operation;
}

function patternOf(pattern: string): string {
  if (pattern === '') throw new Refusal('capability has an empty pattern');
  return pattern;
}
