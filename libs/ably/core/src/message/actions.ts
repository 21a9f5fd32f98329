/** Message actions; the indexes are the numbers used in frames and bodies. */
const NAMES = [
  'message.create',
  'message.update',
  'message.delete',
  'meta',
  'message.summary',
  'message.append',
] as const;

export type EditAction = 'append' | 'delete' | 'update';

export const ACTION_NUMBER = { create: 0, update: 1, delete: 2, summary: 4, append: 5 } as const;

const EDITS: ReadonlyMap<unknown, EditAction> = new Map(
  (['update', 'delete', 'append'] as const).flatMap((action): [unknown, EditAction][] => [
    [ACTION_NUMBER[action], action],
    [NAMES[ACTION_NUMBER[action]], action],
  ]),
);

/** Returns the edit of an action given as number or name, or null if it is not an edit. */
export const editOf = (action: unknown): EditAction | null => EDITS.get(action) ?? null;

const NUMBERS: Readonly<Record<string, number>> = ACTION_NUMBER;

/** Returns the number of a native action name; an unknown action is a create. */
export const actionNumber = (name: string): number => NUMBERS[name.replace(/^message\./, '')] ?? 0;
