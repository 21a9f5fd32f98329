import type { Rule } from './rule.js';

/** The values that occur more than once, each reported once. */
export function duplicates(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}

const uniqueIds: Rule = {
  id: 'app-ids',
  severity: 'error',
  check: ({ config }) =>
    duplicates(config.app_manager.array.apps.map(({ id }) => id)).map((id) => ({
      path: 'app_manager.array.apps',
      message: `duplicate app id "${id}"`,
    })),
};

const uniqueKeys: Rule = {
  id: 'app-keys',
  severity: 'error',
  check: ({ config }) =>
    duplicates(config.app_manager.array.apps.map(({ key }) => key)).map(() => ({
      path: 'app_manager.array.apps',
      message: 'duplicate app key',
    })),
};

export const appRules: readonly Rule[] = [uniqueIds, uniqueKeys];
