import { isListedUserId } from './characters.js';

/**
 * Users admitted by `base#u1,u2` (a logical name), in order. `none`: no `#`, all users. `malformed`: not exactly one
 * `#`, an empty base, or an empty or invalid id.
 */
export function usersOf(logical: string): ReadonlySet<string> | 'none' | 'malformed' {
  const [base, list, ...more] = logical.split('#');
  if (list === undefined) return 'none';
  if (base === '' || more.length > 0) return 'malformed';
  const users = list.split(',');
  return users.every(isListedUserId) ? new Set(users) : 'malformed';
}
