import type { Findings, LeafNode } from '../kernel/node.js';
import { truth } from '../kernel/choices.js';
import { leavesOf, putAt } from '../kernel/walk.js';
import { schema } from '../schema/index.js';

/** The variables of a process, as Node gives them. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The text of a variable; null when it is unset or blank, which count alike. */
export function variable(env: Env, name: string): string | null {
  const text = env[name];
  return text === undefined || text.trim() === '' ? null : text;
}

function override(
  node: LeafNode<unknown>,
  path: string,
  env: Env,
  tree: Record<string, unknown>,
  findings: Findings,
): void {
  for (const { name, effect } of node.env) {
    const text = variable(env, name);
    if (text === null) {
      if (node.emptyClears && env[name] !== undefined) {
        putAt(tree, path, null);
        findings.configured.delete(path);
      }
      continue;
    }
    const parsed = node.type.parse(text);
    if ('message' in parsed) {
      findings.problems.push({ path: name, message: parsed.message });
      continue;
    }
    if (effect !== 'value' && truth(text) !== true) continue;
    putAt(tree, path, effect === 'value' ? parsed.value : effect === 'forces-true');
    findings.configured.add(path);
  }
}

/** Lays the mapped variables over the tree, each setting's in their order, so that the last one wins. */
export function applyEnvironment(tree: Record<string, unknown>, env: Env, findings: Findings): void {
  for (const { path, node } of leavesOf(schema)) override(node, path, env, tree, findings);
}
