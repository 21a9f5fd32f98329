/** What happens to a message; the places are the numbers that frames and bodies have. */
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

/** The change that an action, a number or a name, stands for; null: it is none. */
export const editOf = (action: unknown): EditAction | null => EDITS.get(action) ?? null;

const NUMBERS: Readonly<Record<string, number>> = ACTION_NUMBER;

/** The number of an action as the service names it; what lives on in no other way is a create. */
export const actionNumber = (name: string): number => NUMBERS[name.replace(/^message\./, '')] ?? 0;
